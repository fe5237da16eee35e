// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
)

var runFiles = []string{"jobs.csv", "manifest.json", "report.html", "series.csv", "summary.json"}

func TestRunFolder(t *testing.T) {
	inFolder(t, small)
	o := must(t, "run", "s.yaml", "--out", "deep/er/out")
	wantFiles(t, ".", append([]string{"s.yaml"}, prefixed("deep/er/out/", runFiles)...)...)
	if !strings.Contains(o.out, "results in deep/er/out") {
		t.Errorf("run does not say where results are:\n%s", o.out)
	}
	json1 := must(t, "run", "s.yaml", "--format", "json")
	if json1.out != read(t, "results/small/summary.json") {
		t.Error("--format json is not summary.json")
	}
	summary := parseJSON[result.Summary](t, json1.out)
	if summary.Scenario != "small" || summary.Policy != "fair" || summary.Jobs != 60 || len(summary.Queues) != 2 || len(summary.Classes) != 2 {
		t.Errorf("summary %+v", summary)
	}
	info, err := os.Stat("results/small")
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("result folder has mode %v, %v", info.Mode(), err)
	}
}

func prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = prefix + n
	}
	return out
}

// TestRunReplaces: a second run replaces the result folder as a whole.
func TestRunReplaces(t *testing.T) {
	inFolder(t, small)
	must(t, "run", "s.yaml")
	must(t, "compare", "s.yaml", "--out", "results/small")
	must(t, "run", "s.yaml", "--seed", "9")
	wantFiles(t, "results/small", runFiles...)
	if m := readManifest(t, "results/small"); m.Seeds[0] != 9 {
		t.Errorf("manifest has seed %d", m.Seeds[0])
	}
}

func TestRefusedInputWritesNothing(t *testing.T) {
	inFolder(t, small)
	write(t, "bad.yaml", "cluster: {}\n")
	for _, args := range []string{"run bad.yaml", "compare bad.yaml", "sweep bad.yaml --set seed=1,2", "run s.yaml --set seed=x", "run s.yaml --policy x",
		"compare s.yaml --policies x", "compare s.yaml --fail-if mean_wait", "sweep s.yaml --set seed=1,x", "run s.yaml --out x --set seed=x"} {
		yardmaster(strings.Fields(args)...).want(t, exitRefused)
		wantFiles(t, ".", "bad.yaml", "s.yaml")
	}
}

func TestForeignFolderIsKept(t *testing.T) {
	inFolder(t, small)
	for _, dir := range []string{"mine", "empty"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "mine/thesis.txt", "irreplaceable")
	for _, command := range []string{"run", "compare"} {
		o := yardmaster(command, "s.yaml", "--out", "mine")
		o.want(t, exitFailed, "mine holds something else than the results of a run; choose another with --out")
		wantFiles(t, "mine", "thesis.txt")
		o = yardmaster(command, "s.yaml", "--out", "s.yaml")
		o.want(t, exitFailed, "s.yaml")
	}
	must(t, "run", "s.yaml", "--out", "empty")
	wantFiles(t, ".", append([]string{"s.yaml", "mine/thesis.txt"}, prefixed("empty/", runFiles)...)...)
}

func readManifest(t *testing.T, folder string) *result.Manifest {
	t.Helper()
	m, err := result.ReadManifest(folder)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestManifestRunsAgain takes the scenario out of the manifest and runs it: the same bytes.
func TestManifestRunsAgain(t *testing.T) {
	inFolder(t, small)
	for _, args := range [][]string{
		{"run", "s.yaml"},
		{"run", "s.yaml", "--set", "policy=delay", "--set", "policy.delay.node-wait=1.5s", "--seed", "12345678901234567890"},
		{"run", "s.yaml", "--set", "policy={fair: {by: pool, weights: {prod: 2.5}}, as: pools}", "--set", "hdfs.replication=2", "--set", "heartbeat.interval=300ms"},
		{"run", "--set", "workload.generate.jobs=20"},
	} {
		must(t, append(args, "--out", "first")...)
		m := readManifest(t, "first")
		if m.Kind != "run" || !strings.HasPrefix(m.Command, "yardmaster run") || len(m.Inputs) != 1 {
			t.Errorf("manifest %+v", m)
		}
		write(t, "again.json", string(m.Scenario))
		must(t, "run", "again.json", "--out", "again")
		wantSame(t, "first", "again", "jobs.csv", "summary.json", "series.csv")
		again := readManifest(t, "again")
		var a, b any
		json.Unmarshal(m.Scenario, &a)
		json.Unmarshal(again.Scenario, &b)
		if x, y := mustJSON(a), mustJSON(b); x != y {
			t.Errorf("the scenario changed on its way through the manifest:\n%s\n%s", x, y)
		}
	}
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestInputHash(t *testing.T) {
	inFolder(t, small)
	must(t, "run", "s.yaml")
	want := map[string]string{"s.yaml": result.Hash([]byte(small))}
	if m := readManifest(t, "results/small"); !maps.Equal(m.Inputs, want) {
		t.Errorf("inputs %v, want %v", m.Inputs, want)
	}
}

// rows reads jobs.csv as one mapping per row.
func rows(t *testing.T, file string) (out []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(read(t, file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range result.Columns {
		want = append(want, c[0])
	}
	for _, c := range result.AllColumns()[len(want):] { // where they have something to say
		if slices.Contains(all[0], c[0]) {
			want = append(want, c[0])
		}
	}
	if !slices.Equal(all[0], want) {
		t.Fatalf("columns %v, documented are %v", all[0], want)
	}
	for _, record := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = record[i]
		}
		out = append(out, row)
	}
	return out
}

// nanoseconds adds up columns exactly.
func nanoseconds(t *testing.T, row map[string]string, columns ...string) (sum model.Time) {
	t.Helper()
	for _, c := range columns {
		if row[c] == "" && strings.HasPrefix(c, "limit_") { // it has held no job back
			continue
		}
		var v model.Time
		if err := v.UnmarshalText([]byte(row[c] + "s")); err != nil {
			t.Fatalf("job %s, %s: %v", row["id"], c, err)
		}
		sum += v
	}
	return sum
}

// TestRowsAddUp checks every row of several runs in integer nanoseconds.
func TestRowsAddUp(t *testing.T) {
	inFolder(t, small)
	var blame, limits []string
	for p := range metrics.Part(metrics.Parts) {
		blame = append(blame, "blame_"+p.String())
	}
	for l := range model.Limits {
		limits = append(limits, metrics.LimitMetric(model.Limit(l)))
	}
	held := []string{"blame_not_admitted", "blame_first_container", "blame_maps_starved", "blame_reduces_starved"}
	for _, set := range []string{"policy=fifo", "policy=fair", "policy=delay", "policy=srpt", "policy=edf", "heartbeat.interval=300ms",
		"cluster={room: containers, classes: [{nodes: 4, containers: 3}]}", "cluster={room: yarn, classes: [{nodes: 4, memory: 3GiB, vcores: 2}]}"} {
		must(t, "run", "s.yaml", "--check", "--set", set, "--out", "out")
		list := rows(t, "out/jobs.csv")
		if len(list) != 60 {
			t.Errorf("%s: %d rows, want 60 jobs", set, len(list))
		}
		for _, row := range list {
			elapsed := nanoseconds(t, row, "elapsed")
			if w := nanoseconds(t, row, "waiting", "execution"); w != elapsed {
				t.Errorf("%s, job %s: waiting + execution = %v, elapsed %v", set, row["id"], w, elapsed)
			}
			if s := nanoseconds(t, row, "finish") - nanoseconds(t, row, "submit"); s != elapsed {
				t.Errorf("%s, job %s: finish - submit = %v, elapsed %v", set, row["id"], s, elapsed)
			}
			if b := nanoseconds(t, row, blame...); b != elapsed {
				t.Errorf("%s, job %s: blame adds up to %v, elapsed %v", set, row["id"], b, elapsed)
			}
			if l, h := nanoseconds(t, row, limits...), nanoseconds(t, row, held...); l != h {
				t.Errorf("%s, job %s: limits add up to %v, held back for %v", set, row["id"], l, h)
			}
		}
	}
}

// TestColumnsAreDocumented compares jobs.csv with the page that users read.
func TestColumnsAreDocumented(t *testing.T) {
	page := read(t, "../../docs/results-reference.md")
	for _, c := range result.AllColumns() {
		if !strings.Contains(page, "| `"+c[0]+"` | "+c[1]+" |") {
			t.Errorf("docs/results-reference.md lacks column %s", c[0])
		}
	}
}
