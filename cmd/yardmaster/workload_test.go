// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/workload"
)

const tinySwim = "a\t0\t0\t300000000\t2000000000\t5\n" +
	"b\t10\t10\t100\t0\t7\n" +
	"c\t40\t30\t0\t50\t0\n"

// describe returns what workload describe says about a trace, as JSON.
func describe(t *testing.T, args ...string) *workload.Description {
	t.Helper()
	o := must(t, append([]string{"workload", "describe", "--output", "json"}, args...)...)
	d := &workload.Description{}
	if err := json.Unmarshal([]byte(o.out), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// Three jobs: 300 MB are three blocks of 128 MiB, 2 GB of shuffle two reduces of 1 GiB; a job without
// input still has one map, a byte of shuffle one reduce.
func TestDescribe(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("t.tsv", []byte(tinySwim), 0o644)
	d := describe(t, "t.tsv", "--html", "t.html")
	if d.Jobs != 3 || d.Maps != 3+1+1 || d.Reduces != 2+0+1 || d.Span != 40 {
		t.Errorf("%+v", d)
	}
	if page := read(t, "t.html"); !strings.Contains(page, "<svg") || !strings.Contains(page, "t.tsv") {
		t.Error("the page has no charts or no title")
	}
	if table := must(t, "workload", "describe", "t.tsv").out; !strings.Contains(table, "3 jobs, 5 maps, 3 reduces") {
		t.Errorf("table:\n%s", table)
	}
}

// Converting to Yardmaster's own CSV and back is the identity.
func TestConvertIsTheIdentity(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("t.tsv", []byte(tinySwim), 0o644)
	must(t, "workload", "convert", "t.tsv", "--out", "one.csv")
	must(t, "workload", "convert", "one.csv", "--out", "two.csv")
	if read(t, "one.csv") != read(t, "two.csv") {
		t.Error("the second conversion differs from the first")
	}
	before, after := describe(t, "t.tsv"), describe(t, "two.csv")
	a, _ := json.Marshal(before)
	b, _ := json.Marshal(after)
	if string(a) != string(b) {
		t.Errorf("the trace\n%s\nbecame\n%s", a, b)
	}
}

// A generated workload written down and read back gives the same run as the generator itself.
func TestGenerateGivesTheSameRun(t *testing.T) {
	inFolder(t, small)
	must(t, "workload", "generate", "s.yaml", "--out", "jobs.csv")
	must(t, "run", "s.yaml", "--out", "direct")
	at := strings.Index(small, "workload:")
	end := strings.Index(small[at:], "\npolic")
	os.WriteFile("t.yaml", []byte(small[:at]+"workload: {trace: {file: jobs.csv}}"+small[at+end:]), 0o644)
	must(t, "run", "t.yaml", "--out", "traced")
	if read(t, "direct/jobs.csv") != read(t, "traced/jobs.csv") {
		t.Error("the run of the trace differs from the run of the generator")
	}
	m := readManifest(t, "traced")
	if len(m.Inputs) != 2 {
		t.Errorf("the manifest names inputs %v, want the scenario and the trace", m.Inputs)
	}
	must(t, "explain", "traced", "1", "--no-what-if")
}

func TestScaleAndSlice(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("t.tsv", []byte(tinySwim), 0o644)
	os.WriteFile("late.tsv", []byte(strings.NewReplacer("a\t0", "a\t3600", "b\t10", "b\t3610", "c\t40", "c\t3640").Replace(tinySwim)), 0o644)
	said := ""
	for _, trace := range []string{"late.tsv", "t.tsv"} {
		said += must(t, "workload", "scale", trace, "--load", "50%", "--on", "s.yaml", "--out", "half.csv").out
		d := describe(t, "half.csv", "--on", "s.yaml")
		most := 0.0
		for _, load := range d.Load {
			most = max(most, load)
		}
		if math.Abs(most-0.5) > 1e-6 {
			t.Errorf("%s: load %v after scaling to 50 %%", trace, d.Load)
		}
	}
	if half := len(said) / 2; said[:half] != said[half:] {
		t.Errorf("an hour before the first job makes a difference:\n%s", said)
	}
	must(t, "workload", "slice", "t.tsv", "--from", "5s", "--to", "20s", "--out", "slice.csv")
	if d := describe(t, "slice.csv"); d.Jobs != 1 {
		t.Errorf("%d jobs in the slice, want b alone", d.Jobs)
	}
}

func TestBadTraces(t *testing.T) {
	for name, c := range map[string]struct{ content, says string }{
		"empty":     {"", "an empty file"},
		"columns":   {"a\t0\t0\t1\t1\n", "line 1"},
		"negative":  {"a\t0\t0\t-1\t1\t1\n", "line 1"},
		"overflow":  {"a\t0\t0\t99999999999999999999\t1\t1\n", "line 1"},
		"backwards": {"a\t9\t0\t1\t1\t1\nb\t3\t0\t1\t1\t1\n", "submit"},
		"twice":     {"a\t0\t0\t1\t1\t1\na\t3\t3\t1\t1\t1\n", "a"},
		"binary":    {"\x00\x01\x02\x03", "t.tsv"},
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, small)
			os.WriteFile("t.tsv", []byte(c.content), 0o644)
			o := yardmaster("workload", "convert", "t.tsv", "--format", "swim", "--out", "o.csv")
			if o.code != exitRefused || !strings.Contains(o.err, c.says) || !strings.Contains(o.err, "t.tsv") {
				t.Errorf("exit code %d, %s", o.code, o.err)
			}
			if _, err := os.Stat("o.csv"); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// With --repair the same faults are mended, and every repair is listed.
func TestRepair(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("t.tsv", []byte("a\t9\t0\t-1\t1\t1\nb\t3\t0\t1\t1\t1\nb\t4\t0\t1\t1\t1\n"), 0o644)
	o := yardmaster("workload", "convert", "t.tsv", "--repair", "--out", "o.csv")
	if o.code != exitDone || strings.Count(o.err, "repaired:") != 3 {
		t.Errorf("repairs listed:\n%s", o.err)
	}
	if d := describe(t, "o.csv"); d.Jobs != 3 {
		t.Errorf("%d jobs", d.Jobs)
	}
}

// A nodes file becomes a cluster section that a scenario can use.
func TestNodesFile(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("n.json", []byte(`{"rack": "r1", "nodes": [{"node": "a"}, {"node": "b", "memory-mb": 2048, "vcores": 2}]}
{"rack": "r2", "nodes": [{"node": "c"}]}`), 0o644)
	section := must(t, "workload", "nodes", "n.json", "--memory", "8GiB", "--vcores", "4").out
	os.WriteFile("t.yaml", []byte(section+"workload: {jobs: [{name: a, maps: 3}]}\n"), 0o644)
	o := must(t, "run", "t.yaml", "--format", "json")
	if !strings.Contains(section, `"racks": 2`) || !strings.Contains(o.out, "utilisation_memory") {
		t.Errorf("%s\n%s", section, o.out)
	}
	os.WriteFile("n.json", []byte(`{"rack": "r1", "nodes": [{}]}`), 0o644)
	if o := yardmaster("workload", "nodes", "n.json"); o.code != exitRefused || !strings.Contains(o.err, "nodes[0]") {
		t.Errorf("exit code %d, %s", o.code, o.err)
	}
}

// Maps whose trace says that their blocks lie on one node find them there, and nowhere else; without names they are drawn,
// which is said.
func TestBlocksOnNamedNodes(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("n.json", []byte(`{"rack":"r1","nodes":[{"node":"node1"},{"node":"node2"}]}{"rack":"r2","nodes":[{"node":"node3"},{"node":"node4"}]}`), 0o644)
	os.WriteFile("t.json", []byte(`{"job.start.ms":0,"job.id":"a","job.tasks":[{"count":80,"container.host":"/r1/node1","duration.ms":1000}]}`), 0o644)
	section := must(t, "workload", "nodes", "n.json", "--memory", "8GiB", "--vcores", "8").out
	const jobs = "workload: {trace: {file: t.json}}\n"
	os.WriteFile("named.yaml", []byte(section+jobs+"policy: {delay: {node-wait: 1h, rack-wait: 1h}}\n"), 0o644)
	o := must(t, "run", "named.yaml", "--format", "json", "--out", "named")
	if !strings.Contains(o.out, `"node_local": 1,`) || !strings.Contains(o.out, `"makespan": 10,`) || strings.Contains(o.err, "warning") {
		t.Errorf("%s\n%s", o.out, o.err)
	}
	os.WriteFile("plain.yaml", []byte("cluster: {room: yarn, racks: 2, classes: [{nodes: 4, memory: 8GiB, vcores: 8}]}\n"+jobs), 0o644)
	if o := yardmaster("run", "plain.yaml", "--out", "plain"); !strings.Contains(o.err, "80 maps lie (/r1/node1 first), but nodes have no names") {
		t.Error(o.err)
	}
	os.WriteFile("t.json", []byte(`{"job.start.ms":0,"job.id":"a","job.tasks":[{"count":3,"container.host":"/r9/node9","duration.ms":1000}]}`), 0o644)
	if o := yardmaster("run", "named.yaml", "--out", "other"); !strings.Contains(o.err, "3 maps of ") || !strings.Contains(o.err, "no nodes of the cluster (/r9/node9 first)") {
		t.Error(o.err)
	}
}

// The facts by which the Facebook trace of 2010 is known.
func TestFacebookTrace(t *testing.T) {
	folder := os.Getenv("YARDMASTER_TRACES")
	if folder == "" {
		t.Skip("skipped: YARDMASTER_TRACES is not set")
	}
	inFolder(t, small)
	d := describe(t, filepath.Join(folder, "FB-2010_samples_24_times_1hr_0.tsv"))
	if d.Jobs != 24442 || d.Maps != 8084865 {
		t.Errorf("%d jobs, %d maps", d.Jobs, d.Maps)
	}
	for i, want := range []float64{0.5002, 0.6870, 0.1258} {
		if got := d.Shares[i].Share; math.Abs(got-want) > 0.00005 {
			t.Errorf("%s: %.4f, want %.4f", d.Shares[i].What, got, want)
		}
	}
	for i, want := range []float64{1082.6e12, 437.9e12, 339.4e12} {
		if q := d.Quantities[i]; math.Abs(q.Total-want) > 0.05e12 {
			t.Errorf("%s: %.1f TB, want %.1f", q.Name, q.Total/1e12, want/1e12)
		}
	}
}

// The format of a trace has a name of its own beside the format of what is printed, and the old one still works.
func TestTraceFormat(t *testing.T) {
	inFolder(t, small)
	must(t, "workload", "generate", "s.yaml", "--out", "jobs.csv")
	for _, flag := range []string{"--trace-format", "--format"} {
		must(t, "workload", "convert", "jobs.csv", flag, "jobcsv", "--out", "again.csv")
		yardmaster("workload", "convert", "jobs.csv", flag, "rumne", "--out", "again.csv").want(t, exitRefused, "rumne")
	}
}

// What a spreadsheet could run comes through a trace and its results as it was.
func TestNamesLikeFormulas(t *testing.T) {
	inFolder(t, small)
	must(t, "workload", "generate", "s.yaml", "--out", "jobs.csv", "--set", `workload={jobs: [{name: "=1+2", user: "@bob", maps: 1, map-length: 3s}]}`)
	b, err := os.ReadFile("jobs.csv")
	if err != nil || !strings.Contains(string(b), "\n'=1+2,'@bob,") {
		t.Errorf("%v: %s", err, b)
	}
	must(t, "run", "s.yaml", "--set", "workload={trace: {file: jobs.csv}}", "--out", "out", "-q")
	for _, name := range []string{"=1+2", "'=1+2"} {
		if o := must(t, "explain", "out", name, "--no-what-if", "-q"); !strings.Contains(o.out, `job 0 "=1+2"`) {
			t.Errorf("explain %s: %s", name, o.out)
		}
	}
}
