// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/live/amshare"
	"github.com/yardmaster/yardmaster/live/bench"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
)

// cluster is a ResourceManager whose applications are the commands that were run: each leaves a file with its user and
// arguments in a folder.
type cluster struct{ dir string }

var tagged = regexp.MustCompile(`-Dmapreduce\.job\.tags=(\S+)`)

func (c cluster) Metrics(context.Context) (*rest.Metrics, error) {
	return &rest.Metrics{Running: 1}, nil
}
func (c cluster) Nodes(context.Context, ...string) ([]rest.Node, error) { return nil, nil }
func (c cluster) Apps(_ context.Context, _ rest.Filter) (list []rest.App, err error) {
	files, err := filepath.Glob(filepath.Join(c.dir, "app*"))
	for i, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		list = append(list, rest.App{ID: filepath.Base(f), Name: string(src), Tags: tagged.FindStringSubmatch(string(src))[1], FinalStatus: "SUCCEEDED",
			Started: 1000, Finished: rest.Moment(3000 + 2000*i)})
	}
	return list, err
}

// hadoop is a command that leaves such a file, and fails for a job of the name bad.
func hadoop(t *testing.T, dir string) string {
	path := filepath.Join(dir, "hadoop")
	script := "#!/bin/sh\ncase \"$*\" in *bad*) echo no such program >&2; exit 3;; esac\necho \"$HADOOP_USER_NAME $*\" > " + dir + "/app$$\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, text string) *bench.Batch {
	t.Helper()
	file := filepath.Join(t.TempDir(), "batch.yaml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := bench.Load(file, "", "root.q")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func run(t *testing.T, b *bench.Batch) (*bench.Outcome, string, error) {
	dir := t.TempDir()
	meter, err := amshare.NewMeter("nodes")
	if err != nil {
		t.Fatal(err)
	}
	var series strings.Builder
	w := csv.NewWriter(&series)
	x := &bench.Bench{Cluster: cluster{dir}, Hadoop: hadoop(t, dir), CPU: meter, Every: time.Millisecond, Batch: b, Series: w}
	o, err := x.Run(context.Background(), 7, "as it is")
	w.Flush()
	return o, series.String(), err
}

// Jobs are submitted by their users with what the batch says; the makespan is the ResourceManager's.
func TestRun(t *testing.T) {
	b := load(t, `
sleep-jar: sleep.jar
examples-jar: examples.jar
jobs:
  - {name: a, user: alice, maps: 4, map: 2s, reduces: 1, reduce: 500ms}
  - {name: b, user: bob, queue: root.other, at: 20ms, program: terasort, args: [/in, "/out-{run}"]}
`)
	o, series, err := run(t, b)
	if err != nil {
		t.Fatal(err)
	}
	said := tagged.ReplaceAllString(o.Apps[0].Name+o.Apps[1].Name, "TAG")
	for _, want := range []string{
		"alice jar sleep.jar sleep TAG -Dmapreduce.job.queuename=root.q -m 4 -r 1 -mt 2000 -rt 500 -recordt 100 -name a\n",
		"bob jar examples.jar terasort TAG -Dmapreduce.job.queuename=root.other -Dmapreduce.job.name=b /in /out-7\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
	if o.Makespan != 4*model.Second || o.Mean != 3*model.Second { // they end at 3 s and 5 s, and begin at 1 s
		t.Errorf("makespan %v, mean %v", o.Makespan, o.Mean)
	}
	if !strings.HasPrefix(series, "7,as it is,0.0,0,1,0,0,") {
		t.Errorf("series %q", series)
	}
	var out strings.Builder
	if err := o.Write(csv.NewWriter(&out)); err != nil || strings.Count(out.String(), "7,as it is,4.000,app") != 2 {
		t.Errorf("%v: %s", err, out.String())
	}
}

// A job that cannot be submitted is told with its command and what it said.
func TestFailedJob(t *testing.T) {
	_, _, err := run(t, load(t, "sleep-jar: s.jar\njobs: [{name: good}, {name: bad}]\n"))
	if err == nil || !strings.Contains(err.Error(), "job bad: ") || !strings.Contains(err.Error(), "exit status 3: no such program") {
		t.Errorf("%v", err)
	}
}

// Batches that cannot run are refused before anything is submitted.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"jobs: [{name: a}]":                 "job a runs sleep; allowed: with sleep-jar",
		"jobs: [{program: pi}]":             "job job1 runs pi; allowed: with examples-jar",
		"sleep-jar: s\njobs: []":            "no jobs",
		"sleep-jar: s\njobs: [{mapps: 3}]":  "mapps",
		"sleep-jar: s\njobs: [{maps: -30}]": "maps",
	} {
		file := filepath.Join(t.TempDir(), "b.yaml")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := bench.Load(file, "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Jobs of a trace become SleepJobs of as many tasks.
func TestTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs.csv")
	text := "name,submit,user,queue,map_lengths,reduce_lengths\nj1,0,alice,root.a,2 4,6\nj2,5,bob,root.b,3,\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := bench.Load(file, "s.jar", "")
	if err != nil {
		t.Fatal(err)
	}
	want := "[{j1 alice root.a 0s sleep [] 2 1 3s 6s} {j2 bob root.b 5s sleep [] 1 0 3s 1s}]"
	if got := fmt.Sprint(b.Jobs); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
