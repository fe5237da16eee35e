// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/recorded"
	"github.com/yardmaster/yardmaster/result"
)

// yarnHistory unpacks the recorded history and configuration of a Hadoop 3.4.2 cluster: 14 jobs of 4 users in 2
// queues whose masters wait for each other.
func yarnHistory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, src := range recorded.Files(t, filepath.Join(sourceFolder, "testdata", "yarn-history.tar.gz")) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What is predicted for a real cluster's jobs, in shares of what they took: with the history and the configuration
// alone, and with the launch of masters measured in the history.
func TestBacktestYarn(t *testing.T) {
	dir := yarnHistory(t)
	for _, c := range []struct {
		name             string
		args             []string
		waiting, elapsed float64
	}{
		{"as configured", nil, 0.25, 0.20},
		{"measured", []string{"--measured"}, 0.15, 0.12},
	} {
		args := append([]string{"backtest", dir + "/run/jhist", "--conf", dir + "/site", "--nodes", dir + "/site/nodes.json", "--seeds=5", "--format=json"}, c.args...)
		o := yardmaster(args...)
		if o.code != exitDone {
			t.Fatal(o.err)
		}
		var rows []result.BacktestRow
		if err := json.Unmarshal([]byte(o.out), &rows); err != nil {
			t.Fatal(err)
		}
		w, e := rows[0].Waiting, rows[0].Elapsed
		t.Logf("%s: mean absolute error of waiting %.1f %%, of elapsed time %.1f %%", c.name, 100*w.Absolute/w.Actual, 100*e.Absolute/e.Actual)
		if rows[0].Jobs != 14 || w.Absolute/w.Actual > c.waiting || e.Absolute/e.Actual > c.elapsed {
			t.Errorf("%s: %+v", c.name, rows[0])
		}
		if measured := strings.Contains(o.err, "measured in 14 jobs: am-launch 17.4s"); measured != (len(c.args) > 0) {
			t.Errorf("%s: %s", c.name, o.err)
		}
	}
}

// A smaller share of masters makes jobs wait for each other.
func TestRunConf(t *testing.T) {
	dir := yarnHistory(t)
	more := dir + "/more"
	if err := os.CopyFS(more, os.DirFS(dir+"/site")); err != nil {
		t.Fatal(err)
	}
	file := more + "/capacity-scheduler.xml"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(src), "<value>0.2</value>", "<value>0.01</value>", 1)
	if err := os.WriteFile(file, []byte(changed), 0o666); err != nil || changed == string(src) {
		t.Fatal(err, "nothing was changed")
	}
	o := yardmaster("backtest", dir+"/run/jhist", "--conf", more, "--nodes", dir+"/site/nodes.json", "--seeds=2", "--format=json")
	var rows []result.BacktestRow
	if err := json.Unmarshal([]byte(o.out), &rows); err != nil {
		t.Fatal(err, o.err)
	}
	if w := rows[0].Waiting; w.Predicted < 1.5*186 { // with 0.2 it is 186 s; now one master of a queue runs at a time
		t.Errorf("waiting %v s", w.Predicted)
	}
}

// TestYarnWithoutQueues: a resource manager without queues is the input's fault, and nothing is written.
func TestYarnWithoutQueues(t *testing.T) {
	inFolder(t, small)
	o := yardmaster("run", "s.yaml", "--set", "cluster={room: yarn, classes: [{nodes: 4, memory: 16GiB, vcores: 16}]}", "--set", "policy=yarn-capacity", "--out", "out")
	if o.code != exitRefused || !strings.Contains(o.err, "no queues; allowed: --conf") {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("a folder was written")
	}
}

// A history meets the same cluster through the scenario that workload nodes makes of a list of nodes as through the list
// itself, also where only the configuration knows how large nodes are; nodes of another size are warned of.
func TestNodesOfAScenario(t *testing.T) {
	dir := yarnHistory(t)
	t.Chdir(dir)
	const bare = `{"rack": "rack1", "nodes": [{"node": "node1"}, {"node": "node2"}]} {"rack": "rack2", "nodes": [{"node": "node3"}, {"node": "node4"}]}`
	write(t, "bare.json", bare)
	backtest := func(flags ...string) outcome {
		return completed(t, append([]string{"backtest", "run/jhist", "--conf", "site", "--seeds=2", "--format=json"}, flags...)...)
	}
	want := backtest("--nodes", "site/nodes.json").out
	write(t, "sized.yaml", completed(t, "workload", "nodes", "site/nodes.json").out)
	write(t, "conf.yaml", completed(t, "workload", "nodes", "bare.json", "--conf", "site").out)
	for _, flags := range [][]string{{"--nodes", "bare.json"}, {"--on", "sized.yaml"}, {"--on", "conf.yaml"}} {
		if o := backtest(flags...); o.out != want || strings.Contains(o.err, "nodes of the scenario have") {
			t.Errorf("%v: %s\n%.300s\nwant\n%.300s", flags, o.err, o.out, want)
		}
	}

	large := completed(t, "workload", "nodes", "bare.json")
	if !strings.Contains(large.err, "bare.json: node node1: no memory or vcores: what is missing is taken to be 10GiB and 10 vcores (and 3 more)") {
		t.Error(large.err)
	}
	write(t, "large.yaml", large.out)
	const warning = "4 nodes of the scenario have 10GiB and 10 vcores each, and site says 2GiB and 8"
	if o := backtest("--on", "large.yaml"); !strings.Contains(o.err, warning) {
		t.Error(o.err)
	}
	completed(t, "compare", "run/jhist", "--on", "large.yaml", "--conf", "site", "--seeds=1", "--out", "told")
	if !strings.Contains(read(t, "told", "manifest.json"), warning) {
		t.Error("the warning is not among the caveats of the manifest")
	}

	write(t, "two.json", `{"rack": "r", "nodes": [{"node": "a", "memory-mb": 2048, "vcores": 8}, {"node": "b", "memory-mb": 2048, "vcores": 8}]}`)
	write(t, "two.yaml", completed(t, "workload", "nodes", "two.json").out)
	backtest("--on", "two.yaml") // with two replicas of a block
}
