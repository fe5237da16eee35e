// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/record"
)

// seen lists what was recorded of links, such as "2: load 0.5 0.5".
func seen(r *rig) (list []string) {
	for _, e := range r.log.Events {
		switch e.Kind {
		case record.LinkLoads:
			list = append(list, fmt.Sprintf("%s: load %g %g", short(e.Time), e.Up, e.Down))
		case record.LinkCongested, record.LinkRelieved:
			list = append(list, fmt.Sprintf("%s: %s %d", short(e.Time), e.Kind, e.Count))
		}
	}
	return list
}

// From 1 s on 62 bytes go from rack 0 to rack 1 at 25 per second: until 3.48 s. They fill the link up from rack 0,
// number 0, and the link down to rack 1, number 3: half of what both racks have each way. Links are
// looked at every second; what has not changed is not told again, and nobody looks at links that are idle.
func TestCongestion(t *testing.T) {
	r := toReduces(t, racks(1, 1), plain)
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 62, MapLength: every(1), ReduceLength: every(50)})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Reduce, 0, 1)
	r.run(2.5)
	r.settle() // as after any other event
	expect(t, "planned at 2.5 s", planned(r.clock), "end at 3480000000", "look at 3000000000")
	r.run(10)
	expect(t, "seen", seen(r), "2: link-congested 0", "2: link-congested 3", "2: load 0.5 0.5", "4: link-relieved 0", "4: link-relieved 3", "4: load 0 0")
	if n := len(r.clock.pending); n != 1 || r.clock.pending[0].event.Kind != attemptEnds {
		t.Errorf("%d events are planned, want the end of the reduce alone", n)
	}
}

// A host's link of 15 bytes per second takes 0.6 of the racks' 25, which is no congestion above 0.8.
func TestLoadWithoutCongestion(t *testing.T) {
	topology := racks(1, 1)
	topology.Classes[0].Hardware.Link = 15
	r := toReduces(t, topology, plain)
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 30})
	r.start(j, model.Map, 0, 1)
	r.start(j, model.Reduce, 0, 0)
	r.runAll()
	expect(t, "seen", seen(r), "1: load 0.3 0.3", "2: load 0 0")
}

// uses writes down the use of the links one by one whenever it is told.
type uses []string

func (u *uses) Record(e *record.Event) {
	if e.Kind == record.LinkLoads {
		*u = append(*u, fmt.Sprintf("%s: %g up %g down, %v", short(e.Time), e.Up, e.Down, e.Links.Use))
	}
}

// 60 bytes go from rack 0 to rack 1, until 2.4 s, and 60 from rack 1 to rack 0 from then on. All links together are in
// use as much as before, but not the same ones.
func TestLinksOneByOne(t *testing.T) {
	var told uses
	r := newRig(t, racks(1, 1), func(s *Site) { s.Config.Durations, s.Records = Network, record.NewSender(&told) })
	for i, length := range []float64{0, 2.4} {
		j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 60, MapLength: every(length)})
		r.start(j, model.Map, 0, model.NodeID(i))
		r.start(j, model.Reduce, 0, model.NodeID(1-i))
	}
	r.runAll()
	expect(t, "told", told, "1: 0.5 up 0.5 down, [1 0 0 1]", "3: 0.5 up 0.5 down, [0 1 1 0]", "5: 0 up 0 down, [0 0 0 0]")
}

// A cluster of one rack has no links between racks.
func TestOneRackHasNoLinks(t *testing.T) {
	r := toReduces(t, racks(2), plain)
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 500})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Reduce, 0, 1)
	r.runAll()
	expect(t, "seen", seen(r))
	expect(t, "ended", r.ended, "map 0 at 0 after 0", "reduce 0 at 10 after 10")
}

// With a tick of 2 s what begins waits for the tick: the map ends at 1 s, its 100 bytes go from 2 s to 4 s at 50
// per second. Links are looked at on the tick.
func TestTickOfRates(t *testing.T) {
	topology := racks(1, 1)
	topology.Uplinks = []model.Rate{50, 50}
	r := newRig(t, topology, func(s *Site) {
		s.Config.Durations, s.Config.Network.Refresh = Network, network.Refresh(2*model.Second)
	})
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 100, MapLength: every(1)})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Reduce, 0, 1)
	r.runAll()
	expect(t, "ended", r.ended, "map 0 at 1 after 1", "reduce 0 at 4 after 3")
	expect(t, "seen", seen(r), "2: link-congested 0", "2: link-congested 3", "2: load 0.5 0.5", "6: link-relieved 0", "6: link-relieved 3", "6: load 0 0")
	if _, refreshes := r.Counts(); refreshes != 2 {
		t.Errorf("%d refreshes, want at 2 s and 6 s", refreshes)
	}
}

// A map reads (and spills) 15 s, then merges 10 s: reading is two thirds, merging one.
func TestProgressOfAMap(t *testing.T) {
	r := newRig(t, racks(1), func(s *Site) { s.Config.Durations, s.Config.Tasks.SortBuffer = Resources, 100 })
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Input: 1000, Shuffle: 500})
	r.start(j, model.Map, 0, 0)
	for _, c := range []struct{ at, want float64 }{{0, 0}, {7.5, 1.0 / 3}, {15.000001, 2.0 / 3}, {20, 2.5 / 3}} {
		r.run(c.at)
		r.checkProgress(model.Map, c.want)
	}
}

// A reduce waits until 6 s, fetches 600 bytes over a link of 50 to its disk until 18 s, merges 2*600*2/3 bytes for
// 8 s, reads 600 for 6 s and writes 300 for 3 s: a third each for copying, sorting and reducing, of
// which reading and writing are half each.
func TestProgressOfAReduce(t *testing.T) {
	r := newRig(t, racks(2), func(s *Site) {
		s.Config.Durations, s.Config.Tasks.ReduceBuffer, s.Config.Tasks.MergeFactor = Resources, 200, 2
	})
	j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 600, Output: 300})
	r.start(j, model.Map, 0, 0) // spills for 6 s
	r.start(j, model.Reduce, 0, 1)
	for _, c := range []struct{ at, want float64 }{{3, 0}, {6, 0}, {9, 1.0 / 12}, {12, 1.0 / 6}, {22, 1.5 / 3}, {29, 2.25 / 3}, {33.5, 2.75 / 3}} {
		r.run(c.at)
		r.checkProgress(model.Reduce, c.want)
	}
	r.runAll()
	expect(t, "ended", r.ended, "map 0 at 6 after 6", "reduce 0 at 35 after 29")
}

// checkProgress compares the sum of the progress of running tasks of a kind.
func (r *rig) checkProgress(kind model.Kind, want float64) {
	r.t.Helper()
	if r.shared != nil {
		r.shared.sync(r.clock.now)
	}
	got := 0.0
	r.Progress(func(_ *cluster.Job, k model.Kind, done float64) {
		if k == kind {
			got += done
		}
	})
	if math.Abs(got-want) > 1e-6 {
		r.t.Errorf("at %v: progress %g, want %g", r.clock.now, got, want)
	}
}

// Replay has lengths and nothing to look into.
func TestNoLoadUnderReplay(t *testing.T) {
	r := newRig(t, racks(1), under(Replay))
	r.start(r.enter(model.Job{Maps: 1, MapLength: every(4)}), model.Map, 0, 0)
	r.run(2)
	r.checkProgress(model.Map, 0)
	if a, b := r.Counts(); r.Hosts() != nil || a != 0 || b != 0 || r.Stalled() != nil || len(r.Running()) != 1 {
		t.Errorf("hosts %v, %d activities, %d refreshes, %v, %v run", r.Hosts(), a, b, r.Stalled(), r.Running())
	}
}

// One map on a host of two cores and a disk of 100 bytes per second. What does not compute waits for the disk.
func TestCPUAndDisk(t *testing.T) {
	for _, c := range []struct {
		name             string
		change           func(*costs.Tasks)
		threads          float64
		work, wait, disk float64
	}{
		{"reads alone: a thread of two waits", func(*costs.Tasks) {}, 0, 0, 0.5, 1},
		{"the kernel's threads wait beside it: min(1 + 3, 2) of 2", func(*costs.Tasks) {}, 3, 0, 1, 1},
		{"20 cycles per byte keep a core busy and half of the disk", func(c *costs.Tasks) { c.MapCycles = 20 }, 0, 0.5, 0, 0.5},
		{"5 cycles per byte at 100 bytes per second: half a core works, half waits", func(c *costs.Tasks) { c.MapCycles = 5 }, 0, 0.25, 0.25, 1},
		{"a process starts", func(c *costs.Tasks) { c.StartCPU = model.Minute }, 5, 0.5, 0, 0},
		{"reads before it computes", func(c *costs.Tasks) { c.MapCycles, c.Overlap = 20, false }, 0, 0, 0.5, 1},
	} {
		r := newRig(t, racks(1), func(s *Site) { s.Config.Durations = Resources; c.change(&s.Config.Tasks) })
		r.start(r.enter(model.Job{Maps: 1, Input: 1000}), model.Map, 0, 0)
		r.run(2)
		if work, wait := r.Hosts().CPU(r.clock.now, c.threads); math.Abs(work-c.work) > 1e-9 || math.Abs(wait-c.wait) > 1e-9 || math.Abs(r.Hosts().Disk()-c.disk) > 1e-9 {
			t.Errorf("%s: work %g, wait %g, disk %g; want %g, %g, %g", c.name, work, wait, r.Hosts().Disk(), c.work, c.wait, c.disk)
		}
	}
}

// A reduce that fetches waits for data, one that has nothing to fetch yet does not, and neither does a host that
// writes back. There are two hosts of two cores.
func TestCPUOfAShuffle(t *testing.T) {
	r := newRig(t, racks(2), func(s *Site) {
		s.Config.Durations, s.Config.Tasks.FileCache, s.Config.Tasks.WriteBack, s.Config.Tasks.SortBuffer = Resources, true, true, 100
	})
	j := r.enter(model.Job{Maps: 2, Reduces: 1, Shuffle: 1000})
	r.start(j, model.Reduce, 0, 1)
	check := func(why string, threads, want float64) {
		t.Helper()
		if work, wait := r.Hosts().CPU(r.clock.now, threads); work != 0 || wait != want {
			t.Errorf("%s: work %g, wait %g; want 0 and %g", why, work, wait, want)
		}
	}
	r.run(1)
	check("no map has ended", 1, 0)
	r.start(j, model.Map, 0, 0) // takes no time; 500 bytes are fetched in 10 s, and written back in 5
	r.run(3)
	check("it fetches", 0, 0.25)
	check("and host 0 writes back", 1, 0.5)
	r.run(20)
	check("it has what there is", 1, 0)
}

// A merge is bound by the disk: of 100 bytes per second 50 are written, which at 10 cycles are half a core.
func TestCPUOfAMerge(t *testing.T) {
	r := newRig(t, racks(1), func(s *Site) {
		s.Config.Durations, s.Config.Tasks.SortBuffer, s.Config.Tasks.MergeCycles = Resources, 100, 10
	})
	r.start(r.enter(model.Job{Maps: 1, Reduces: 1, Input: 1000, Shuffle: 500}), model.Map, 0, 0)
	r.run(16) // it has read and spilled until 15 s
	if work, wait := r.Hosts().CPU(r.clock.now, 0); math.Abs(work-0.25) > 1e-9 || math.Abs(wait-0.25) > 1e-9 {
		t.Errorf("work %g, wait %g; want half a core of two each", work, wait)
	}
}

// A map leaves its output of 500 bytes, a reduce what it has fetched if that goes to disk, and replicas of what the job
// writes. Only these stay when the job leaves.
func TestStored(t *testing.T) {
	for _, c := range []struct {
		why                  string
		reduces              int32
		buffer               model.Bytes
		maps, all, remaining model.Bytes
	}{
		{"in memory: 500, + 2*300", 1, 1000, 500, 1100, 600},
		{"on disk: 500, + 500 + 2*300", 1, 100, 500, 1600, 600},
		{"without reduces: 2*300", 0, 1000, 600, 600, 600},
	} {
		r := newRig(t, racks(2), func(s *Site) {
			s.Config.Durations, s.Files, s.Config.Tasks.Replication, s.Config.Tasks.ReduceBuffer = Resources, true, 2, c.buffer
		})
		j := r.enter(model.Job{Maps: 1, Reduces: c.reduces, Input: 1000, Shuffle: 500, Output: 300})
		r.start(j, model.Map, 0, 0)
		r.run(100)
		maps := r.Hosts().Stored()
		if c.reduces > 0 {
			r.start(j, model.Reduce, 0, 1)
		}
		r.run(200)
		all := r.Hosts().Stored()
		if err := r.Leave(r.clock.now, j, true); err != nil {
			t.Error(err)
		}
		if maps != c.maps || all != c.all || r.Hosts().Stored() != c.remaining {
			t.Errorf("%s: %d after the map, %d at the end, %d after it; want %d, %d, %d", c.why, maps, all, r.Hosts().Stored(), c.maps, c.all, c.remaining)
		}
	}
}
