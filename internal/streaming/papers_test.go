// SPDX-License-Identifier: Apache-2.0

package streaming_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/figures"
	"github.com/yardmaster/yardmaster/internal/streaming"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/reproduce"
)

// terasort is an experiment of six policies, to be run once each.
var terasort = figures.Command{Paper: "marp-2019/terasort", Format: "table"}

// reproduced carries out the command reproduce, here or on a cluster, and returns what it prints.
func reproduced(t *testing.T, c figures.Command, trial reproduce.Trial) (out, findings string, err error) {
	t.Helper()
	var b, e bytes.Buffer
	w := &figures.World{Ctx: t.Context(), Out: &b, Err: &e, Progress: func(experiment.Progress) {}, Still: func() {}}
	err = c.Reproduce(w, trial)
	return b.String(), e.String(), err
}

// errorText is what an error says; nothing without one.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// ours makes a folder the one where traces are found, with a trace of two jobs.
func ours(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "FB-2010_samples_24_times_1hr_0.tsv"), []byte("one\t0\t0\t1000000000\t9\t9\ntwo\t9\t9\t900000000000\t800000000\t70\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("YARDMASTER_TRACES", folder)
}

// TestPapersSameBytes: what reproduce prints of runs that are run on a cluster that loses some results is what it prints of
// runs here, and nothing is left behind.
func TestPapersSameBytes(t *testing.T) {
	few := reproduce.Trial{Seeds: 1}
	span := reproduce.Trial{Seeds: 1, Set: []strict.Setting{{Path: "workload.trace.from", Value: "0s"}, {Path: "workload.trace.to", Value: "1h"}, {Path: "workload.else.preset.fb-2010.jobs", Value: "4"}}}
	for name, c := range map[string]struct {
		command figures.Command
		trial   reproduce.Trial
		traces  func(*testing.T)
		want    string
	}{
		"bands held against": {command: figures.Command{Paper: "slowdown-2015/table-2", Format: "table"}, want: "run time of WCOUNT 600/60"},
		"table":              {command: terasort, trial: few, want: "marp-auto is shorter than PRJ by"},
		"json":               {command: figures.Command{Paper: "slowdown-2015/table-2", Format: "json"}, want: `"experiment": "table-2"`},
		"trace":              {command: figures.Command{Paper: "diverse-2018/simulator/slice"}, trial: span, traces: ours, want: "makespan with a tick of 1 s"},
		"no trace":           {command: figures.Command{Paper: "diverse-2018/simulator/slice"}, trial: span, want: "the jobs are those of workload.else"},
		"bands":              {command: figures.Command{Paper: "slowdown-2015/table-2", Bands: true}, want: "deviations:\n  - {experiment: \"table-2\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("YARDMASTER_TRACES", "")
			if c.traces != nil {
				c.traces(t)
			}
			here, findings, ended := reproduced(t, c.command, c.trial)
			if !strings.Contains(here, c.want) {
				t.Fatalf("here it prints\n%s\n%v", here, ended)
			}
			folder := t.TempDir()
			there := c.command
			there.Cluster = streaming.FakeCluster(t, folder)
			got, said, err := reproduced(t, there, c.trial)
			if got != here || errorText(err) != errorText(ended) || !strings.HasSuffix(said, findings) {
				t.Errorf("on the cluster\n%s\n%s\n%v\nhere\n%s\n%s\n%v", got, said, err, here, findings, ended)
			}
			if left, _ := filepath.Glob("results/*"); len(left) > 0 {
				t.Errorf("left here: %v", left)
			}
			if left, _ := filepath.Glob(filepath.Join(folder, "hdfs", "yardmaster*")); len(left) > 0 {
				t.Errorf("left in the cluster's file system: %v", left)
			}
		})
	}
}

// TestPapersResume: runs that had ended when a job was killed are kept, and the same command runs the others.
func TestPapersResume(t *testing.T) {
	t.Chdir(t.TempDir())
	trial := reproduce.Trial{Seeds: 1}
	here, _, err := reproduced(t, terasort, trial)
	if err != nil {
		t.Fatal(err)
	}
	there := terasort
	there.Cluster = streaming.FakeCluster(t, t.TempDir())
	t.Setenv("YARD_TEST_DIES", "1")
	if out, _, err := reproduced(t, there, trial); err == nil || !strings.Contains(err.Error(), "the job was killed") || out != "" {
		t.Fatal(out, err)
	}
	kept, _ := filepath.Glob("results/reproduce-*/" + experiment.JournalName)
	if len(kept) != 1 {
		t.Fatalf("journals %q", kept)
	}
	if journal, err := os.ReadFile(kept[0]); err != nil || bytes.Count(journal, []byte("\n")) != 5 {
		t.Errorf("kept are %q, %v; want a head and the four runs whose results were not lost", journal, err)
	}
	os.Unsetenv("YARD_TEST_DIES")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	p := streaming.Papers{Cluster: there.Cluster, Names: []string{"marp-2019"}, Trial: reproduce.Trial{Only: "terasort", Seeds: 1}, Folder: "results", Version: version.String(), Log: io.Discard}
	if _, err := p.Run(stopped); err == nil || !strings.Contains(err.Error(), "stopped; 4 of ") || !strings.Contains(err.Error(), filepath.Dir(kept[0])) {
		t.Error(err)
	}
	// Another reproduction has a journal of its own.
	other := there
	other.Paper = "slowdown-2015/table-2"
	if _, _, err := reproduced(t, other, trial); err != nil {
		t.Fatal(err)
	}
	if again, _ := filepath.Glob("results/reproduce-*/" + experiment.JournalName); len(again) != 1 || again[0] != kept[0] {
		t.Errorf("journals %q, before %q", again, kept)
	}
	if out, _, err := reproduced(t, there, trial); err != nil || out != here {
		t.Errorf("resumed\n%s\n%v\nhere\n%s", out, err, here)
	}
	if left, _ := filepath.Glob("results/*"); len(left) > 0 {
		t.Errorf("left here: %v", left)
	}
}

// TestPapersFail: a run that fails ends the command as it does here.
func TestPapersFail(t *testing.T) {
	t.Chdir(t.TempDir())
	command := figures.Command{Paper: "slowdown-2015/table-2"}
	trial := reproduce.Trial{Seeds: 1, Set: []strict.Setting{{Path: "cluster.classes[0].nodes", Value: "1"}, {Path: "cluster.classes[0].map-slots", Value: "1"}, {Path: "workload.jobs[7].map-length", Value: "360d"}}}
	_, _, here := reproduced(t, command, trial)
	if !strings.HasPrefix(errorText(here), "slowdown-2015/table-2: ") || !strings.Contains(here.Error(), "simulated time went beyond") {
		t.Fatal(here)
	}
	command.Cluster = streaming.FakeCluster(t, t.TempDir())
	if out, _, err := reproduced(t, command, trial); out != "" || errorText(err) != here.Error() {
		t.Errorf("%s%v\nhere: %v", out, err, here)
	}
	if left, _ := filepath.Glob("results/*"); len(left) > 0 {
		t.Errorf("left here: %v, with no run in it", left)
	}
}

func TestPapersRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("jobs.csv", []byte("name,submit,map_lengths,reduce_lengths\na,0,5x10,5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cluster := streaming.FakeCluster(t, t.TempDir())
	for want, c := range map[string]struct {
		command figures.Command
		set     []strict.Setting
	}{
		"pages are drawn from whole runs": {command: figures.Command{Paper: "slowdown-2015/table-2", Out: "pages"}},
		"files of the paper, and a trace by its name in the folder $YARDMASTER_TRACES": {
			command: figures.Command{Paper: "slowdown-2015/table-2"}, set: []strict.Setting{{Path: "workload", Value: "{trace: {file: " + filepath.Join(mustGetwd(t), "jobs.csv") + "}}"}}},
		`no experiment "table-3"`:                 {command: figures.Command{Paper: "slowdown-2015/table-3"}},
		"no experiment \"table-3\" with figures":  {command: figures.Command{Paper: "slowdown-2015/table-3", Bands: true}},
		"are not held against the paper; allowed": {command: figures.Command{Paper: "diverse-2018/simulator/slice", Bands: true}},
	} {
		t.Setenv("YARDMASTER_TRACES", "")
		c.command.Cluster = cluster
		var refused *strict.InputError
		if out, _, err := reproduced(t, c.command, reproduce.Trial{Set: c.set}); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || out != "" {
			t.Errorf("want %q: %s%v", want, out, err)
		}
	}
	if left, _ := filepath.Glob("results/*"); len(left) > 0 {
		t.Errorf("left here: %v", left)
	}
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
