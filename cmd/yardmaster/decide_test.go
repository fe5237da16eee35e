// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

const decideSteps = `{ "conf": {"yarn.scheduler.capacity.root.queues": "prod,dev",
             "yarn.scheduler.capacity.root.prod.capacity": "60",
             "yarn.scheduler.capacity.root.dev.capacity": "40",
             "yarn.scheduler.capacity.root.dev.disable_preemption": "true"},
    "nodes": [{"name": "n1", "rack": "/r1", "mem": 8192, "vc": 8}],
    "steps": [{"op": "submit", "app": 1, "queue": "root.dev", "user": "alice"},
              {"op": "hb", "t": 1000, "node": "n1"}] }`

func TestDecide(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "s.json", decideSteps)
	o := yardmaster("decide", "s.json")
	want := "1 0 activate queue=root.dev user=alice app=1 att=1 prio=0\n" +
		"2 1000 allocate node=n1 queue=root.dev user=alice app=1 att=1 c=1 prio=0 mem=1024 vc=1 loc=any\n"
	if o.code != exitDone || o.out != want || !strings.Contains(o.err, "root.dev.disable_preemption is not modelled: nothing is pre-empted") {
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
