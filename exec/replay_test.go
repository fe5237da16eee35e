// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"testing"
	"unsafe"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/model"
)

// A map takes its length, times the factor of its distance, divided by the speed of its machine.
func TestMapTakesItsLength(t *testing.T) {
	for _, c := range []struct {
		name       string
		locality   model.Locality
		speed      float64
		stragglers costs.Stragglers
		want       string
	}{
		{name: "near", locality: model.NodeLocal, speed: 1, want: "map 0 at 6 after 6"},
		{name: "rack: 6 * 1.5", locality: model.RackLocal, speed: 1, want: "map 0 at 9 after 9"},
		{name: "remote: 6 * 2", locality: model.Remote, speed: 1, want: "map 0 at 12 after 12"},
		{name: "no input", locality: model.NoInput, speed: 1, want: "map 0 at 6 after 6"},
		{name: "fast machine: 6 / 4", locality: model.NodeLocal, speed: 4, want: "map 0 at 1.5 after 1.5"},
		{name: "remote on a fast machine: 6 * 2 / 4", locality: model.Remote, speed: 4, want: "map 0 at 3 after 3"},
		{name: "straggler: 6 * 3", locality: model.NodeLocal, speed: 1, stragglers: costs.Stragglers{Share: 1, Slowdown: 3}, want: "map 0 at 18 after 18"},
	} {
		topology := racks(1)
		topology.Classes[0].Speed = c.speed
		r := newRig(t, topology, func(s *Site) {
			s.Config.Locality, s.Stragglers = Penalty{Rack: 1.5, Remote: 2}, c.stragglers
		})
		j := r.enter(model.Job{Maps: 1, MapLength: every(6)})
		r.try(model.Task{Job: j.ID}, 0, 0, c.locality)
		r.runAll()
		expect(t, c.name, r.ended, c.want)
	}
}

// A length is at most ten years, whatever its factor.
func TestLengthIsBounded(t *testing.T) {
	r := newRig(t, racks(1), func(s *Site) { s.Stragglers = costs.Stragglers{Share: 1, Slowdown: 1e12} })
	j := r.enter(model.Job{Maps: 1, MapLength: every(3600)})
	task := r.start(j, model.Map, 0, 0)
	if got := r.length(r.At(r.id(task)), model.NodeLocal); got != 10*365*model.Day {
		t.Errorf("length %v", got)
	}
}

// Two maps of 2 s and 3 s; a reduce that starts at 1 s waits for the second, one that starts at 4 s does
// not wait. Waiting is no work: lengths count from the shuffle on.
func TestReduceWaitsForMaps(t *testing.T) {
	for _, c := range []struct {
		name          string
		tail          float64
		stages, ended []string
	}{
		{"copies 0.5 s, then works 1 s", 0.5,
			[]string{"shuffling 0 at 3", "computing 0 at 3.5", "shuffling 1 at 4", "computing 1 at 4.5"},
			[]string{"map 0 at 2 after 2", "map 1 at 3 after 3", "reduce 0 at 4.5 after 1.5", "reduce 1 at 5.5 after 1.5"}},
		{"has nothing to copy", 0,
			[]string{"computing 0 at 3", "computing 1 at 4"},
			[]string{"map 0 at 2 after 2", "map 1 at 3 after 3", "reduce 0 at 4 after 1", "reduce 1 at 5 after 1"}},
	} {
		r := newRig(t, racks(2), under(Replay))
		j := r.enter(model.Job{Maps: 2, Reduces: 2, ShuffleTail: model.Seconds(c.tail), ReduceLength: every(1),
			MapLength: model.Lengths{Fixed: []model.Time{2 * model.Second, 3 * model.Second}}})
		r.start(j, model.Map, 0, 0)
		r.start(j, model.Map, 1, 0)
		r.run(1)
		waits := r.start(j, model.Reduce, 0, 1)
		if got := r.Waiting(j); len(got) != 1 || r.At(got[0]).Task != waits || r.At(got[0]).Worked(3*model.Second) != 0 {
			t.Errorf("%s: %v wait", c.name, got)
		}
		r.run(4)
		r.start(j, model.Reduce, 1, 1)
		if len(r.Waiting(j)) != 0 {
			t.Errorf("%s: %v wait after the last map", c.name, r.Waiting(j))
		}
		r.runAll()
		expect(t, c.name, r.stages(), c.stages...)
		expect(t, c.name, r.ended, c.ended...)
		if err := r.Leave(r.clock.now, j, true); err != nil || len(r.Running()) != 0 {
			t.Errorf("%s: the job leaves with %v, %v run", c.name, err, r.Running())
		}
	}
}

// Killed attempts say how far they had come, wait for nothing any more, and count nowhere.
func TestKillUnderReplay(t *testing.T) {
	// One map of 2 s, then the reduce copies until 5 s and works until 9 s.
	for _, c := range []struct {
		at   float64
		kind model.Kind
		want string
	}{
		{1.5, model.Map, "computing after 1.5"},
		{1, model.Reduce, "waiting after 0"},
		{4, model.Reduce, "shuffling after 2"},
		{7, model.Reduce, "computing after 5"}, // copying is work
	} {
		r := newRig(t, racks(2), under(Replay))
		j := r.enter(model.Job{Maps: 1, Reduces: 1, ShuffleTail: 3 * model.Second, MapLength: every(2), ReduceLength: every(4)})
		r.start(j, model.Map, 0, 0)
		r.start(j, model.Reduce, 0, 1)
		r.run(c.at)
		task := model.Task{Job: j.ID, Kind: c.kind}
		if got := r.kill(task); got != c.want {
			t.Errorf("killed at %g s: %s, want %s", c.at, got, c.want)
		}
		if c.kind == model.Map {
			continue
		}
		if len(r.Waiting(j)) != 0 || r.Computing(j) != 0 {
			t.Errorf("killed at %g s: %d wait, %d compute", c.at, len(r.Waiting(j)), r.Computing(j))
		}
		r.runAll()
		expect(t, "ended", r.ended, "map 0 at 2 after 2")
	}
}

// One map of two is lost at 5 s. Reduce 0 copies and waits again until the map has run a second time; reduce 1
// has all its data and goes on.
func TestOutputLostUnderReplay(t *testing.T) {
	r := newRig(t, racks(3), under(Replay))
	j := r.enter(model.Job{Maps: 2, Reduces: 2, ShuffleTail: 3 * model.Second, MapLength: every(1), ReduceLength: every(10)})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Map, 1, 1)
	r.run(1)
	r.start(j, model.Reduce, 1, 2)
	r.run(4.5)
	r.start(j, model.Reduce, 0, 2)
	r.run(5)
	r.lose(j, 0, 0)
	if len(r.Waiting(j)) != 1 || r.Computing(j) != 1 {
		t.Errorf("%d wait, %d compute, want one each", len(r.Waiting(j)), r.Computing(j))
	}
	r.run(6)
	r.try(model.Task{Job: j.ID, Kind: model.Map, Index: 0}, 1, 1, model.NodeLocal)
	r.runAll()
	expect(t, "stages", r.stages(), "shuffling 1 at 1", "computing 1 at 4", "shuffling 0 at 4.5", "waiting 0 at 5", "shuffling 0 at 7", "computing 0 at 10")
	expect(t, "ended", r.ended, "map 0 at 1 after 1", "map 1 at 1 after 1", "map 0 at 7 after 1", "reduce 1 at 14 after 13", "reduce 0 at 20 after 13")
}

// Output that is lost while maps run changes nothing for a reduce that waits.
func TestOutputLostWhileMapsRun(t *testing.T) {
	r := newRig(t, racks(2), under(Replay))
	j := r.enter(model.Job{Maps: 2, Reduces: 1, ReduceLength: every(1), MapLength: model.Lengths{Fixed: []model.Time{model.Second, 4 * model.Second}}})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Map, 1, 1)
	r.start(j, model.Reduce, 0, 1)
	r.run(2)
	r.lose(j, 0, 0)
	if len(r.Waiting(j)) != 1 {
		t.Errorf("%d wait", len(r.Waiting(j)))
	}
	r.start(j, model.Map, 0, 1)
	r.runAll()
	expect(t, "ended", r.ended, "map 0 at 1 after 1", "map 0 at 3 after 1", "map 1 at 4 after 4", "reduce 0 at 5 after 1")
}

// A job that has not entered has no reduces that wait; the slot of one that has left serves the next.
func TestSlotsAreUsedAgain(t *testing.T) {
	r := newRig(t, racks(1), under(Replay))
	early := r.state.AddJob(0, &model.Job{ID: 9})
	if r.Waiting(early) != nil {
		t.Error("reduces wait of a job that has not entered")
	}
	first := r.enter(model.Job{ID: 0, Maps: 1, Reduces: 1, MapLength: every(1), ReduceLength: every(1)})
	r.start(first, model.Map, 0, 0)
	r.start(first, model.Reduce, 0, 0)
	r.runAll()
	if err := r.Leave(r.clock.now, first, true); err != nil {
		t.Fatal(err)
	}
	first.Leave()
	r.state.RemoveJob(first)
	second := r.enter(model.Job{ID: 1, Maps: 1, Reduces: 1, MapLength: every(1)})
	if second.Slot != first.Slot || r.Waiting(first) != nil || len(r.Waiting(second)) != 0 || r.Computing(second) != 0 {
		t.Errorf("slot %d after %d; %v and %v wait", second.Slot, first.Slot, r.Waiting(first), r.Waiting(second))
	}
}

// A job that says how long its tasks take on a class takes that long there, whatever the speed of the class; on
// others speed decides. Six maps of 6 s: 2 s on the first class, 6/4 s on the second.
func TestLengthsByClass(t *testing.T) {
	topology := racks(1)
	topology.Classes[0].Name, topology.Classes[0].Speed = "strong", 4
	topology.Classes = append(topology.Classes, model.NodeClass{Name: "weak", Room: topology.Classes[0].Room, Speed: 4})
	topology.Nodes = append(topology.Nodes, model.Node{Class: 1, Host: model.HostID(topology.Hosts)})
	topology.Hosts++
	last := model.NodeID(len(topology.Nodes) - 1)
	r := newRig(t, topology, func(*Site) {})
	j := r.enter(model.Job{Maps: 2, Reduces: 2, MapLength: every(6), ReduceLength: every(8), ShuffleTail: model.Second,
		ByClass: []model.ClassLengths{{Class: "strong", Map: 2 * model.Second, Reduce: 3 * model.Second, ShuffleTail: 500 * model.Millisecond}, {Class: "unknown", Map: 1}}})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Map, 1, last)
	r.start(j, model.Reduce, 0, 0)
	r.start(j, model.Reduce, 1, last)
	r.runAll()
	// The last map ends at 2 s; 0.5 + 3 s on the first class, 1 + 8/4 s on the other.
	expect(t, "two classes", r.ended, "map 1 at 1.5 after 1.5", "map 0 at 2 after 2", "reduce 1 at 5 after 3", "reduce 0 at 5.5 after 3.5")
}

// What the start of a map looks at of a job's work is its first line of memory.
func TestWorkBeginsWithALine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("lines are laid out for 64 bits")
	}
	w := jobWork{}
	if size, sampler := unsafe.Sizeof(w), unsafe.Sizeof(w.samplers[model.Map]); size%64 != 0 || sampler > 64 {
		t.Errorf("work has %d bytes, the sampler of maps %d; want whole lines of 64, and one line", size, sampler)
	}
}
