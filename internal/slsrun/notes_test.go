// SPDX-License-Identifier: Apache-2.0

package slsrun

import (
	"errors"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

// A job with maps of two sizes is asked for with the size of the first, as SLS does. That, labels and delays are said.
func TestSaysWhatHasNoEffect(t *testing.T) {
	trace := `{"am.type":"mapreduce","job.start.ms":0,"job.queue.name":"q","job.id":"j","job.user":"u","job.label.expression":"gpu","job.tasks":[
		{"container.type":"map","container.duration.ms":1000,"container.memory-mb":2048},
		{"container.type":"map","container.duration.ms":1000,"container.memory-mb":1024,"container.request.delay":500}]}`
	nodes := `{"rack":"r","nodes":[{"node":"n","memory-mb":8192,"labels":"gpu"}]}`
	o, err := Run(Input{Format: "sls", Trace: File{"t.json", strings.NewReader(trace)}, Nodes: File{"n.json", strings.NewReader(nodes)}, Seed: 1,
		Conf: conf.Properties{"yarn.scheduler.capacity.root.queues": "q", "yarn.scheduler.capacity.root.q.capacity": "100"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range o.Containers[1:] {
		if c.Memory != 2048 {
			t.Errorf("a container of %d MB", c.Memory)
		}
	}
	for _, word := range []string{"job.label.expression: kept", "maps of several sizes: ", "container.request.delay: kept", "labels: node labels have no effect"} {
		if !strings.Contains(strings.Join(o.Notes, "\n"), word) {
			t.Errorf("%q is not said:\n%s", word, strings.Join(o.Notes, "\n"))
		}
	}
}

// A node without a name, as Hadoop's own sample has one, is left out where repairs are asked for, and that is said. All settings
// that are no numbers are refused at once.
func TestRepairsAndFaults(t *testing.T) {
	in := func(repair bool, more ...string) Input {
		p := conf.Properties{"yarn.scheduler.capacity.root.queues": "q", "yarn.scheduler.capacity.root.q.capacity": "100"}
		for _, name := range more {
			p[name] = "-1"
		}
		return Input{Format: "sls", Seed: 1, Conf: p, Repair: repair,
			Trace: File{"t.json", strings.NewReader(`{"am.type":"mapreduce","job.start.ms":0,"job.queue.name":"q","job.id":"j","job.user":"u","job.tasks":[{"container.type":"map","container.duration.ms":1000}]}`)},
			Nodes: File{"n.json", strings.NewReader(`{"rack":"r","nodes":[{"node":"n","memory-mb":8192},{"memory-mb":8192}]}`)}}
	}
	if _, err := Run(in(false)); err == nil || !strings.Contains(err.Error(), "nodes[1]: node: found nothing") {
		t.Errorf("refused with: %v", err)
	}
	if o, err := Run(in(true)); err != nil || len(o.Notes) == 0 || !strings.Contains(o.Notes[0], "the node is left out") {
		t.Errorf("%v, notes %+v", err, o)
	}
	var faults strict.Errors
	if _, err := Run(in(true, "yarn.sls.am.heartbeat.interval.ms", "yarn.sls.nm.heartbeat.interval.ms")); !errors.As(err, &faults) || len(faults) != 2 {
		t.Errorf("refused with: %v", err)
	}
}
