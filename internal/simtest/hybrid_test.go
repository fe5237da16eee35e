// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
)

// twoKinds draws a case with scale-up and scale-out machines in racks of their own, false if there is none.
func twoKinds(t *rapid.T) (*Case, any, string, bool) {
	d := fromRapid(t)
	c := Generate(d)
	if len(c.Cluster.Classes) < 2 {
		return nil, nil, "", false
	}
	for i, name := range []string{"scale-out", "scale-up"} {
		k := &c.Cluster.Classes[i]
		k.Name, k.OwnRacks = name, 1+d("more-racks", 0, (k.Nodes+k.NodesPerHost-1)/k.NodesPerHost-1)
	}
	c.Topology = c.Cluster.Topology()
	for i := range c.Jobs {
		if c.Jobs[i].Input > 0 {
			c.Jobs[i].Input = model.Bytes(d("input", 1, 6)) * model.GiB
		}
	}
	data := d.chance("data", 2)
	if data {
		c.Data = hdfs.NewByClass(c.Topology, 1, nil)
	}
	back := d.chance("back", 4)
	order := []string{"fair", "capacity", "fifo", "fbq", "corral"}[d("order", 0, 4)]
	if order == "corral" {
		c.recur(d)
	}
	text := fmt.Sprintf("limit: 3GiB\nplacement: %t\nstealing: %t\nsteal-when-busy: %t\nsteal-back: %t\ndata: %t\ndelay: %t\norder: %s\n",
		!d.chance("no-placement", 5), d.chance("stealing", 2), d.chance("busy", 3), back, data, d.chance("delay", 2), order)
	e, _ := policies.All.Find("hybrid")
	params := paramsOf(e, text)
	return c, params, text, suits(c, params)
}

// enough is how many cases must have run for a test to say anything; -short draws fewer.
func enough() int {
	if testing.Short() {
		return 5
	}
	return 10
}

// TestHybridConformance holds hybrid to the contract on two kinds of machines, and to its own rule: a job runs on one
// kind of machine, so none is stolen after it has started.
func TestHybridConformance(t *testing.T) {
	e, _ := policies.All.Find("hybrid")
	ran, small, stolen := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, params, text, ok := twoKinds(t)
		if !ok {
			return
		}
		ran++
		for _, failure := range conform(c, e, params) {
			t.Errorf("%s: %v\n%s%v", failure.check, failure.err, text, c)
		}
		log := &record.Log{}
		if _, err := engine.Run(c.Input(e, params, log)); err != nil {
			t.Fatal(err)
		}
		if text[len("limit: 3GiB\nplacement: ")] == 'f' { // all jobs share all machines
			return
		}
		kinds, told := map[model.JobID]uint8{}, map[model.JobID]bool{}
		for _, ev := range log.Events {
			if ev.Kind == record.JobStolen {
				told[ev.Task.Job] = true
			}
			if ev.Kind != record.TaskStarted {
				continue
			}
			class := c.Topology.Nodes[ev.Node].Class
			if before, seen := kinds[ev.Task.Job]; seen && before != class {
				t.Fatalf("job %d runs on both kinds\n%s%v", ev.Task.Job, text, c)
			}
			kinds[ev.Task.Job] = class
		}
		for id, class := range kinds {
			isSmall := c.Jobs[id].Input < 3*model.GiB
			if told[id] != (isSmall != (class == 1)) {
				t.Fatalf("job %d, small %t, runs on class %d; stolen, as events say: %t\n%s%v", id, isSmall, class, told[id], text, c)
			}
			switch {
			case !isSmall && class == 1 && !strings.Contains(text, "steal-back: true"):
				t.Fatalf("job %d is large and runs on a scale-up machine\n%s%v", id, text, c)
			case isSmall && class == 0:
				stolen++
			case isSmall:
				small++
			}
		}
	})
	if ran < enough() || small == 0 || stolen == 0 && !testing.Short() { // of few cases none may steal
		t.Errorf("%d cases with %d small jobs in place and %d stolen: too few to say anything", ran, small, stolen)
	}
}

// fitAll reports whether every task fits machines of every class.
func fitAll(c *Case) bool {
	for i := range c.Jobs {
		for k := range model.Kind(model.Kinds) {
			for _, class := range c.Topology.Classes {
				if c.Jobs[i].Tasks(k) > 0 && !class.Room.Fits(c.Jobs[i].Need[k]) {
					return false
				}
			}
		}
	}
	return true
}

// TestHybridWithoutOneKind takes all machines of one kind away for good: every job ends on the other. Reduces that wait must
// be able to make way, since a reduce may hold the last container that is left.
func TestHybridWithoutOneKind(t *testing.T) {
	e, _ := policies.All.Find("hybrid")
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		c, params, text, ok := twoKinds(t)
		if !ok || !fitAll(c) { // without placement a task may fit one kind only
			return
		}
		ran++
		gone, at := uint8(rapid.IntRange(0, 1).Draw(t, "gone")), model.Time(rapid.IntRange(0, 30).Draw(t, "at"))*model.Second
		for i, n := range c.Topology.Nodes {
			if n.Class == gone {
				c.Config.Faults.Losses = append(c.Config.Faults.Losses, mishap.Loss{Node: model.NodeID(i), At: at})
			}
		}
		c.Config.Faults.Expiry, c.Config.Jobs.Preempt = 0, true
		log := &record.Log{}
		in := c.Input(e, params, log)
		in.Check = 1
		events := 0
		in.Inspect = func(now model.Time, _ *cluster.State) error {
			if events++; events > 200_000 {
				return fmt.Errorf("the run does not end: it is %v", now)
			}
			return nil
		}
		result, err := engine.Run(in)
		if err == nil && result.Ended != len(c.Jobs) {
			err = fmt.Errorf("%d of %d jobs ended", result.Ended, len(c.Jobs))
		}
		if err == nil {
			err = auditFaults(c, log.Events, false)
		}
		if err != nil {
			t.Fatalf("%v\n%sclass %d gone at %v\n%v", err, text, gone, at, c)
		}
	})
	if ran < enough() {
		t.Errorf("%d cases: too few to say anything", ran)
	}
}
