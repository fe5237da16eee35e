// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/record"
)

// lit returns a rig with circuits of 50 bytes per second that are looked at every second.
func lit(t *testing.T, topology *model.Topology, elephant model.Bytes, change func(*Site)) *rig {
	return newRig(t, topology, func(s *Site) {
		s.Config.Durations, s.Config.Shuffle = Network, ShuffleRules{Source: "rack"}
		s.Config.Network.Circuits = &network.CircuitRules{Rate: 50, Interval: model.Second, Elephant: elephant, Planes: 1}
		change(s)
	})
}

func asIs(*Site) {}

// over lists what a job sent over circuits, and in all.
func over(r *rig) (list []string) {
	for _, e := range r.log.Events {
		if e.Kind == record.DataMoved {
			list = append(list, fmt.Sprintf("%d of %d", e.Over, e.Bytes))
		}
	}
	return list
}

// A map has made 600 bytes on host 0 in rack 0, half of them for each of two reduces on host 2 in rack 1. A flow is what
// one reduce gets from a rack, 300 bytes, unless the job's flows are aggregated. By packets 600 bytes take 24 s, over a
// circuit 12 s, on disks of 100 too. What a host sends is bounded by its own link as well.
func TestElephants(t *testing.T) {
	for _, c := range []struct {
		name     string
		elephant model.Bytes
		whole    bool
		change   func(*Site)
		after    string
		over     string
	}{
		{"300 are more than 299", 299, false, asIs, "14", "600 of 600"},
		{"300 are not more than 300", 300, false, asIs, "26", "0 of 600"},
		{"600 together are", 300, true, asIs, "14", "600 of 600"},
		{"600 are not more than 600", 600, true, asIs, "26", "0 of 600"},
		{"from a node", 299, false, func(s *Site) { s.Config.Shuffle.Source = "node" }, "14", "600 of 600"},
		{"from a map", 299, false, func(s *Site) { s.Config.Shuffle.Source = "map" }, "14", "600 of 600"},
		{"over a circuit as fast as both hosts", 299, false, func(s *Site) { s.Config.Network.Circuits.Rate = 100 }, "14", "600 of 600"},
		{"over a slow circuit", 299, false, func(s *Site) { s.Config.Network.Circuits.Rate = 20 }, "32", "600 of 600"},
		{"with disks", 299, false, func(s *Site) { s.Config.Durations = Resources }, "12", "600 of 600"},
	} {
		r := lit(t, racks(2, 1), c.elephant, func(s *Site) {
			c.change(s)
			if c.whole {
				s.Gate = &door{above: 300} // until both have started
			}
		})
		j := r.enter(model.Job{Maps: 1, Reduces: 2, Shuffle: 600, MapLength: every(1), ReduceLength: every(2)})
		r.start(j, model.Map, 0, 0)
		r.run(100)
		r.start(j, model.Reduce, 0, 2)
		r.start(j, model.Reduce, 1, 2)
		r.runAll()
		if err := r.Leave(r.clock.now, j, true); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		expect(t, c.name, r.ended[len(r.ended)-1:], fmt.Sprintf("reduce 1 at %s after %s", sum(100, c.after), c.after))
		expect(t, c.name, over(r), c.over)
		if got := r.Traffic().Over; c.over == "600 of 600" && (got[1] != 600 || got[2] != 0) {
			t.Errorf("%s: traffic over circuits %v", c.name, got)
		}
	}
}

func sum(a int, b string) string {
	var n int
	fmt.Sscan(b, &n)
	return fmt.Sprint(a + n)
}

// A reduce that is killed takes its part of an elephant along; the map whose output is lost is fetched from where it ran
// again, and rack 0 of the lost output has no demand left.
func TestElephantsAreStopped(t *testing.T) {
	r := lit(t, racks(1, 1, 1), 100, asIs)
	j := r.enter(model.Job{Maps: 1, Reduces: 2, Shuffle: 600, MapLength: every(1), ReduceLength: every(2)})
	r.start(j, model.Map, 0, 0)
	r.run(10)
	first := r.start(j, model.Reduce, 0, 2)
	r.start(j, model.Reduce, 1, 2)
	r.run(12) // 100 bytes have come
	if got := r.kill(first); got != "shuffling after 2" {
		t.Errorf("killed %s", got)
	}
	r.run(14) // 50 + 100 of the other's 300
	r.lose(j, 0, 0)
	r.run(15)
	if got := r.Traffic().Over; got[2] != 150 && got[2] != 200 {
		t.Errorf("carried %v", got)
	}
	r.start(j, model.Map, 0, 1)
	r.run(20) // from rack 1 at 16 s: 50 bytes each second, but none for what it has
	r.try(first, 2, 1, 0)
	r.runAll()
	if err := r.Leave(r.clock.now, j, true); err != nil {
		t.Error(err)
	}
	if got := r.Traffic().Over; got[1*3+2] == 0 || r.shared.solver.Running() != 0 {
		t.Errorf("carried %v, %d activities run", got, r.shared.solver.Running())
	}
}

// A map whose output was an elephant, and which runs again in the rack of its reduce, needs no circuit any more.
func TestElephantComesHome(t *testing.T) {
	r := lit(t, racks(1, 1), 100, func(s *Site) { s.Config.Shuffle.Source = "map" })
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 600, MapLength: every(1), ReduceLength: every(2)})
	r.start(j, model.Map, 0, 0)
	r.run(2)
	r.start(j, model.Reduce, 0, 1)
	r.run(5)
	r.lose(j, 0, 0)
	r.start(j, model.Map, 0, 1)
	r.runAll()
	if over := r.Traffic().Over; over[0*2+1] == 0 || over[1*2+1] != 0 {
		t.Errorf("carried %v", over)
	}
}

// door is a gate: open for flows above its number of bytes, and when all reduces have started.
type door struct {
	above model.Bytes
	never bool
	after model.Time // it opens at this time, and asks to be asked then; 0: never
	asked []string
}

func (d *door) Aggregates(*cluster.Job) bool { return true }

func (d *door) MayFetch(now model.Time, j *cluster.Job, from, to model.RackID, bytes model.Bytes) (bool, model.Time) {
	open := !d.never && (bytes > d.above || j.Pending(model.Reduce) == 0 || d.after > 0 && now >= d.after)
	d.asked = append(d.asked, fmt.Sprintf("%s: %d>%d %d %t", short(now), from, to, bytes, open))
	if d.after > now {
		return open, d.after
	}
	return open, model.Forever
}

// A gate that names a time is asked then although nothing has happened, and what it held is fetched from there on. It is not asked
// at that time for a job that has left.
func TestGateIsAskedAtItsTime(t *testing.T) {
	d := &door{above: 1000, after: 10 * model.Second}
	r := lit(t, racks(2, 2), 1000, func(s *Site) { s.Gate = d })
	j := r.enter(model.Job{Maps: 1, Reduces: 2, Shuffle: 200, MapLength: every(1), ReduceLength: every(2)})
	r.start(j, model.Map, 0, 0)
	r.run(2)
	r.start(j, model.Reduce, 0, 2)
	r.run(9)
	if r.shared.solver.Running() != 0 {
		t.Error("something is fetched before the time")
	}
	r.run(11)
	expect(t, "asked", d.asked, "2: 0>1 100 false", "10: 0>1 100 true")
	if got := r.Traffic().Bytes; got[0*2+1] != 100 {
		t.Errorf("sent %v", got)
	}
	d.asked, d.after = nil, 30*model.Second
	k := r.enter(model.Job{ID: 1, Maps: 1, Reduces: 2, Shuffle: 200, MapLength: every(1), ReduceLength: every(2)})
	r.start(k, model.Map, 0, 0)
	r.run(13)
	first := r.start(k, model.Reduce, 0, 2)
	r.run(14)
	r.kill(first)
	if err := r.Leave(r.clock.now, k, false); err != nil {
		t.Error(err)
	}
	r.runAll()
	expect(t, "asked", d.asked, "13: 0>1 100 false", "14: 0>1 0 false") // the second when it was killed, none at 30 s
}

// Maps end at 1 s in rack 0 and at 5 s in rack 1; each makes 300 bytes for three reduces. The gate wants more than 100 bytes for
// a passage. It is asked when there is something to fetch, when another reduce starts in the rack, when the last reduce
// has started, and at the end of the maps. What stays in the rack is not asked for.
func TestGateIsAsked(t *testing.T) {
	d := &door{above: 100}
	r := lit(t, racks(2, 2), 1000, func(s *Site) { s.Gate = d })
	j := r.enter(model.Job{Maps: 2, Reduces: 3, Shuffle: 600, MapLength: model.Lengths{Fixed: []model.Time{model.Second, 5 * model.Second}}, ReduceLength: every(2)})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Map, 1, 2)
	r.run(2)
	r.start(j, model.Reduce, 0, 3) // 100 bytes from rack 0
	r.run(3)
	if len(r.log.Events) != 0 || r.shared.solver.Running() != 0 {
		t.Errorf("something is fetched: %v", r.log.Events)
	}
	r.run(6) // its own rack's 100 bytes come from host 2 from 5 s on
	r.start(j, model.Reduce, 1, 1)
	r.run(7)
	r.start(j, model.Reduce, 2, 2) // a second one in rack 1: 200 bytes; and the last
	r.runAll()
	expect(t, "asked", d.asked, "2: 0>1 100 false", "5: 0>1 100 false", "6: 1>0 100 false", "7: 1>0 100 true", "7: 0>1 200 true")
	if err := r.Leave(r.clock.now, j, true); err != nil {
		t.Error(err)
	}
	expect(t, "sent", over(r), "0 of 450") // by packets: 1000 is more than anything; 150 lie on the reduces' own hosts
}

// A gate that stays shut when all reduces have started would keep the run from ending: it is a fault.
func TestGateThatStaysShut(t *testing.T) {
	r := lit(t, racks(1, 1), 1000, func(s *Site) { s.Gate = &door{never: true} })
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 600, MapLength: every(1), ReduceLength: every(2)})
	r.start(j, model.Map, 0, 0)
	r.run(2)
	task := model.Task{Job: j.ID, Kind: model.Reduce}
	if _, err := r.state.Start(task, 1); err != nil {
		t.Fatal(err)
	}
	r.Start(r.clock.now, j, task, 1, 0, model.NodeLocal)
	for r.Settle(r.clock.now) {
	}
	if err := r.Plan(r.clock.now); err == nil || !strings.Contains(err.Error(), "lets no reduce of job 0 in rack 1 fetch 600 bytes from rack 0") {
		t.Error(err)
	}
}

// A reduce that is killed while it waits for the gate is forgotten: the gate is asked for the other one alone.
func TestGateForgetsTheKilled(t *testing.T) {
	d := &door{above: 10_000}
	r := lit(t, racks(1, 1), 1000, func(s *Site) { s.Gate = d })
	j := r.enter(model.Job{Maps: 1, Reduces: 3, Shuffle: 600, MapLength: every(1), ReduceLength: every(2)})
	r.start(j, model.Map, 0, 0)
	r.run(2)
	first := r.start(j, model.Reduce, 0, 1)
	r.start(j, model.Reduce, 1, 1)
	r.run(3)
	if got := r.kill(first); got != "shuffling after 1" {
		t.Errorf("killed %s", got)
	}
	r.start(j, model.Reduce, 2, 1)
	r.run(4)
	r.try(first, 1, 1, 0)
	r.runAll()
	expect(t, "asked", d.asked, "2: 0>1 200 false", "2: 0>1 400 false", "3: 0>1 200 false", "3: 0>1 400 false", "4: 0>1 600 true")
	if err := r.Leave(r.clock.now, j, true); err != nil {
		t.Error(err)
	}
}
