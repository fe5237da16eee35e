// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// tinyScenario has one slot and two jobs of known length: under fifo a waits 0 s and takes 10 s, b
// waits 9 s and takes 14 s. Under srpt nothing changes, because a has started when b arrives.
const tinyScenario = `
name: tiny
cluster: {classes: [{nodes: 1, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  jobs:
    - {name: a, queue: prod, class: long, maps: 1, map-length: 10s}
    - {name: b, queue: dev, class: short, submit: 1s, maps: 1, map-length: 5s}
policies: [fifo, srpt]
`

// tinyGrid is a grid of six points and two seeds that runs in milliseconds.
func tinyGrid(t *testing.T, sets ...string) *experiment.Grid {
	t.Helper()
	s, err := scenario.Parse("tiny.yaml", []byte(tinyScenario), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) == 0 {
		sets = []string{"policy=fifo,{fair: {by: user, within: fifo}},srpt", "workload.jobs[1].maps=1,7"}
	}
	var axes []experiment.Axis
	for _, set := range sets {
		a, err := experiment.ParseAxis(set)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, a)
	}
	g, err := experiment.NewGrid(s, axes, 2)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func openJournal(t *testing.T, folder string, g *experiment.Grid) *experiment.Journal {
	t.Helper()
	j, err := experiment.OpenJournal(folder, g, "test")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// sweepCSV sweeps the grid with the journal in folder and returns sweep.csv.
func sweepCSV(t *testing.T, folder string, g *experiment.Grid, workers int) string {
	t.Helper()
	j := openJournal(t, folder, g)
	defer j.Close()
	values, err := experiment.Sweep(context.Background(), g, j, experiment.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := g.WriteCSV(&b, values); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func journalLines(t *testing.T, folder string) []string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(folder, experiment.JournalName))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(src), "\n"), "\n")
}

func writeJournal(t *testing.T, folder, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, experiment.JournalName), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestJournalTornLine cuts the journal at every byte of its last two lines: the sweep that goes on
// from there ends with the same table.
func TestJournalTornLine(t *testing.T) {
	g, folder := tinyGrid(t), t.TempDir()
	want := sweepCSV(t, folder, g, 1)
	lines := journalLines(t, folder)
	whole := strings.Join(lines, "") + "\n"
	keep := len(whole) - len(lines[len(lines)-1]) - len(lines[len(lines)-2]) - 1
	for cut := keep; cut < len(whole); cut += 7 {
		writeJournal(t, folder, whole[:cut])
		if got := sweepCSV(t, folder, g, 2); got != want {
			t.Fatalf("cut at byte %d of %d: another table", cut, len(whole))
		}
		if n := len(journalLines(t, folder)); n != 1+g.Runs() {
			t.Fatalf("cut at byte %d: %d lines in the journal, want a head and %d runs", cut, n, g.Runs())
		}
	}
	for _, torn := range []string{"", "{", `{"grid":"`, `{"run":`} {
		writeJournal(t, folder, torn) // not even the head survived
		if got := sweepCSV(t, folder, g, 2); got != want {
			t.Errorf("journal %q: another table", torn)
		}
	}
}

func TestJournalDamagedLine(t *testing.T) {
	g, folder := tinyGrid(t), t.TempDir()
	sweepCSV(t, folder, g, 1)
	lines := journalLines(t, folder)
	for _, damage := range []string{"garbage\n", "{\"run\":99,\"values\":[]}\n", "{\"run\":1,\"values\":[1]}\n", "\x00\x00\n"} {
		broken := slices.Clone(lines)
		broken[3] = damage
		writeJournal(t, folder, strings.Join(broken, "")+"\n")
		_, err := experiment.OpenJournal(folder, g, "test")
		if err == nil || !strings.Contains(err.Error(), "journal.jsonl:4: damaged line") {
			t.Errorf("%q: got %v, want a damaged line 4", damage, err)
		}
	}
}

func TestJournalRefusals(t *testing.T) {
	g, folder := tinyGrid(t), t.TempDir()
	j := openJournal(t, folder, g)
	if _, err := experiment.OpenJournal(folder, g, "test"); err == nil || !strings.Contains(err.Error(), "in use by another sweep") {
		t.Errorf("second sweep at the same time: %v", err)
	}
	j.Close()
	var input *strict.InputError
	other := tinyGrid(t, "policy=fifo,srpt")
	if _, err := experiment.OpenJournal(folder, other, "test"); !errors.As(err, &input) || !strings.Contains(err.Error(), "another grid") {
		t.Errorf("another grid: %v", err)
	}
	if _, err := experiment.OpenJournal(folder, g, "test2"); !errors.As(err, &input) || !strings.Contains(err.Error(), "version") {
		t.Errorf("another version: %v", err)
	}
	openJournal(t, folder, g).Close() // the refusals left it usable
}

// TestGridOrder checks the order of rows against nested loops, whatever the number of workers.
func TestGridOrder(t *testing.T) {
	var want []string
	for _, policy := range []string{"fifo", `"{fair: {by: user, within: fifo}}"`, "srpt"} { // quoted: it has a comma
		for _, maps := range []string{"1", "7"} {
			for _, seed := range []string{"1", "2"} {
				want = append(want, policy+","+maps+","+seed+",")
			}
		}
	}
	for _, workers := range []int{1, 2, 7} {
		rows := strings.Split(sweepCSV(t, t.TempDir(), tinyGrid(t), workers), "\n")[1:]
		for i, w := range want {
			if !strings.HasPrefix(rows[i], w) {
				t.Errorf("%d workers: row %d is %q, want %s...", workers, i, rows[i], w)
			}
		}
	}
}

func TestAxisRefusals(t *testing.T) {
	for _, text := range []string{"", "x", "=1,2", "x=", "x=1,,2", "x=1,1", "x=1,"} {
		if a, err := experiment.ParseAxis(text); err == nil {
			t.Errorf("%q is read as %+v", text, a)
		}
	}
	a, err := experiment.ParseAxis(`policy={delay: {node-skips: 0, rack-skips: 1}},"a,b",[1, 2]`)
	if want := []string{"{delay: {node-skips: 0, rack-skips: 1}}", `"a,b"`, "[1, 2]"}; err != nil || !slices.Equal(a.Values, want) {
		t.Errorf("values %q, %v; want %q", a.Values, err, want)
	}
}
