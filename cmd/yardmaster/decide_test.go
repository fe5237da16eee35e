// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"
)

const decideSteps = `{ "conf": {"yarn.scheduler.capacity.root.queues": "prod,dev",
             "yarn.scheduler.capacity.root.prod.capacity": "60",
             "yarn.scheduler.capacity.root.dev.capacity": "40",
             "yarn.scheduler.capacity.root.dev.default-node-label-expression": "x"},
    "nodes": [{"name": "n1", "rack": "/r1", "mem": 8192, "vc": 8}],
    "steps": [{"op": "submit", "app": 1, "queue": "root.dev", "user": "alice"},
              {"op": "hb", "t": 1000, "node": "n1"}] }`

func TestDecide(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "s.json", decideSteps)
	o := yardmaster("decide", "s.json")
	want := "1 0 activate queue=root.dev user=alice app=1 att=1 prio=0\n" +
		"2 1000 allocate node=n1 queue=root.dev user=alice app=1 att=1 c=1 prio=0 mem=1024 vc=1 loc=any\n"
	if o.code != exitDone || o.out != want || !strings.Contains(o.err, "root.dev.default-node-label-expression is not modelled: nodes have no labels") {
		t.Errorf("%+v", o)
	}
	write(t, "bad.json", strings.Replace(decideSteps, `"hb"`, `"beat"`, 1))
	if o := yardmaster("decide", "bad.json"); o.code != exitRefused || !strings.HasPrefix(o.err, "bad.json:7:22: steps[1].op: bad value; found \"beat\"") {
		t.Errorf("%+v", o)
	}
	if o := yardmaster("decide", "s.json", "bad.json"); o.code != exitRefused {
		t.Errorf("%+v", o)
	}
}

// A folder that is missing is made and takes one output for each input; a later run replaces them.
func TestDecideIntoFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "a.json", decideSteps)
	write(t, "b.steps", strings.Replace(decideSteps, "alice", "bob", 1))
	for range 2 {
		if o := yardmaster("decide", "a.json", "b.steps", "--output", "new/out"); o.code != exitDone || o.out != "" {
			t.Fatalf("%+v", o)
		}
	}
	alone := yardmaster("decide", "a.json").out
	if a, b := read(t, "new/out/a.out"), read(t, "new/out/b.out"); a != alone || b != strings.ReplaceAll(alone, "alice", "bob") {
		t.Errorf("a:\n%s\nb:\n%s", a, b)
	}
	wantFiles(t, dir, "a.json", "b.steps", "new/out/a.out", "new/out/b.out")
}

// Where one input is refused nothing is written, and all that are refused are named at once: a file that cannot be read, a
// step that is not known, a configuration that is missing when the replay comes to it, and a name that another input has.
func TestDecideRefusesBeforeItWrites(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "good.json", decideSteps)
	write(t, "bad.json", strings.Replace(decideSteps, `"hb"`, `"beat"`, 1))
	write(t, "late.json", strings.Replace(decideSteps, `"op": "hb"`, `"op": "refresh", "confFiles": ["missing.xml"]`, 1))
	write(t, "good.txt", decideSteps)
	files := []string{"good.json", "bad.json", "late.json", "good.txt"}
	yardmaster(slices.Concat([]string{"decide", "absent.json"}, files, []string{"-o", "new"})...).want(t, exitRefused, "bad.json:7:22: steps[1].op: ", "late.json: open missing.xml: ", "open absent.json: ",
		"good.txt: --output: two files of steps for good.out; found good.json before it; allowed: one file of each name, whatever its folder and ending\n")
	wantFiles(t, dir, files...)

	for _, name := range []string{"bad", "late"} {
		write(t, name+".out", "earlier")
		yardmaster("decide", "good.json", name+".json", "-o", ".").want(t, exitRefused)
		if got := read(t, name+".out"); got != "earlier" {
			t.Errorf("a refused %s.json left %q in its output", name, got)
		}
	}
}
