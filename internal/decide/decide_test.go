// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"
)

// play runs a scenario and returns its lines.
func play(t *testing.T, src string) []string {
	t.Helper()
	var out strings.Builder
	if err := Run("s.json", []byte(src), World{Out: &out}); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

const twoLeaves = `"conf": {
    "yarn.scheduler.capacity.root.queues": "prod,dev", // two leaves
    "yarn.scheduler.capacity.root.prod.capacity": "60",
    "yarn.scheduler.capacity.root.dev.capacity": 40,
    "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5"},
  "nodes": [{"name": "n1", "rack": "/r1", "mem": 8192, "vc": 8}]`

func TestPlay(t *testing.T) {
	got := play(t, `{`+twoLeaves+`, "steps": [
    {"op": "submit", "app": 1, "queue": "root.dev", "user": "alice"},
    {"op": "submit", "app": 2, "queue": "nowhere", "user": "alice"},
    {"op": "hb", "t": 100, "node": "n1"},
    {"op": "registerAll", "t": 200},
    {"op": "ask", "app": 1, "reqs": [{"mem": 1000, "n": 1}], "show": true},
    {"op": "hb", "t": 300, "node": "n1"},
    {"op": "ask", "app": 1},
    {"op": "finish", "app": 1, "pick": 0},
    {"op": "end", "t": 400, "app": 1}]}`)
	want := []string{
		"1 0 activate queue=root.dev user=alice app=1 att=1 prio=0",
		"2 0 reject queue=nowhere user=alice app=2 why=unknown-queue",
		"3 100 allocate node=n1 queue=root.dev user=alice app=1 att=1 c=1 prio=0 mem=1024 vc=1 loc=any",
		"5 200 headroom app=1 mem=3072 vc=1",
		"6 300 allocate node=n1 queue=root.dev user=alice app=1 att=1 c=2 prio=1 mem=1024 vc=1 loc=any",
		"8 300 release node=n1 queue=root.dev user=alice app=1 att=1 c=2 prio=1 mem=1024 vc=1 loc=- exit=0",
		"9 400 release node=n1 queue=root.dev user=alice app=1 att=1 c=1 prio=0 mem=1024 vc=1 loc=- exit=0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBadScenarios(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"syntax":    {"{\n  \"steps\": [}", `s.json:2:13: syntax error; found '}'; allowed: an object, a list, a string, a number, true, false or null`},
		"end":       {`{"steps": [`, `s.json:1:12: syntax error; found the end of the file; allowed: a value, nested at most 100 deep`},
		"twice":     {"{\"name\": \"a\",\n\"name\": \"b\"}", `s.json:2:1: name: duplicate key; allowed: each key once`},
		"field":     {`{"step": []}`, `s.json:1:2: step: unknown field; found "step"; allowed: scheduler, name, conf, confFiles, nodes, steps; did you mean "steps"?`},
		"op":        {`{"steps": [{"op": "sumbit"}]}`, `s.json:1:19: steps[0].op: bad value; found "sumbit"; allowed: one of submit, register, registerAll, ask, hb, finish, end, kill, node, lost, refresh, preempt, clock, dump; did you mean "submit"?`},
		"app":       {`{"steps": [{"op": "kill"}]}`, `s.json:1:12: steps[0].app: missing field; allowed: the number of an application`},
		"node":      {`{"steps": [{"op": "hb", "node": "n1"}]}`, `s.json:1:33: steps[0].node: unknown node; found "n1"; allowed: a name of the list nodes`},
		"time":      {`{"steps": [{"op": "clock", "t": 5}, {"op": "clock", "t": 4}]}`, `s.json:1:58: steps[1].t: out of bounds; found 4; allowed: at least 5, the time of an earlier step`},
		"two nodes": {`{"nodes": [{"name": "a", "mem": 1}, {"name": "a", "mem": 1}]}`, `s.json:1:46: nodes[1].name: duplicate name; found a; allowed: each name once`},
		"fair":      {`{"scheduler": "fair"}`, `s.json:1:15: scheduler: bad value; found "fair"; allowed: one of capacity`},
	} {
		var out strings.Builder
		err := Run("s.json", []byte(c.src), World{Out: &out})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
	}
}
