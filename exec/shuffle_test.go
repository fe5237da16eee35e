// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/model"
)

// fixed returns the lengths of tasks in seconds, one by one.
func fixed(s ...float64) (l model.Lengths) {
	for _, v := range s {
		l.Fixed = append(l.Fixed, model.Seconds(v))
	}
	return l
}

// grouped lists the groups of a job by their members, such as "host 1: 0 1".
func grouped(r *rig, j *cluster.Job) (list []string) {
	s := r.shared.shuffles
	for _, id := range r.of(j).shuffle.groups {
		text := fmt.Sprintf("host %d:", s.group(id).host)
		for _, i := range s.group(id).members {
			text += fmt.Sprint(" ", s.list[i].task.Index)
		}
		list = append(list, text)
	}
	return list
}

// toReduces returns a rig under the network model where every map's output is told at once, and copies
// have no limit unless change sets one.
func toReduces(t *testing.T, topology *model.Topology, change func(*ShuffleRules)) *rig {
	return newRig(t, topology, func(s *Site) {
		s.Config.Durations, s.Config.Shuffle = Network, ShuffleRules{Source: "node"}
		change(&s.Config.Shuffle)
	})
}

func plain(*ShuffleRules) {}

// A map has made 600 bytes. A reduce that starts at 100 s fetches them, then works: 2 s under the network model,
// under resources as long as its disk needs. Hosts 0 and 1 are in rack 0, host 2 is in rack 1.
func TestReduceFetches(t *testing.T) {
	for _, c := range []struct {
		name    string
		maps    model.NodeID // where the map ran
		reduces model.NodeID
		model   string
		link    model.Rate
		change  func(*costs.Tasks)
		after   string
		moved   []string
	}{
		{"within a rack: 600/50 + 2", 0, 1, Network, 50, nil, "14", []string{"shuffle 600 (0)"}},
		{"across racks: 600/25 + 2", 0, 2, Network, 50, nil, "26", []string{"shuffle 600 (600)"}},
		{"on one host: 2", 1, 1, Network, 50, nil, "2", nil},
		{"in memory all the way: 600/50", 0, 1, Resources, 50, nil, "12", []string{"shuffle 600 (0)"}},
		{"from the disk where it was made: 600/100", 0, 1, Resources, 1000, func(c *costs.Tasks) { c.CachedOutput = false }, "6", []string{"shuffle 600 (0)"}},
		{"to disk, and read again: 600/100 + 600/100", 0, 1, Resources, 1000, func(c *costs.Tasks) { c.ReduceBuffer = 300 }, "12", []string{"shuffle 600 (0)"}},
		{"from a disk to the same, and read again: 2*600/100 + 600/100", 1, 1, Resources, 1000,
			func(c *costs.Tasks) { c.ReduceBuffer, c.CachedOutput = 300, false }, "18", nil},
	} {
		topology := racks(2, 1)
		topology.Classes[0].Hardware.Link = c.link
		r := newRig(t, topology, func(s *Site) {
			if s.Config.Durations = c.model; c.change != nil {
				c.change(&s.Config.Tasks)
			}
		})
		j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 600, MapLength: every(1), ReduceLength: every(2)})
		r.start(j, model.Map, 0, c.maps)
		r.run(100)
		r.start(j, model.Reduce, 0, c.reduces)
		r.runAll()
		expect(t, c.name, r.ended[1:], "reduce 0 at 1"+fmt.Sprintf("%02s", c.after)+" after "+c.after)
		expect(t, c.name, carried(r, j), c.moved...)
	}
}

// Reduces of a job that start on a host before anything was fetched share a group; later ones, those on other
// hosts and those of other jobs do not.
func TestGroups(t *testing.T) {
	r := toReduces(t, racks(3), plain)
	j := r.enter(model.Job{ID: 0, Maps: 2, Reduces: 5, Shuffle: 1000, MapLength: fixed(2, 50)})
	other := r.enter(model.Job{ID: 1, Maps: 1, Reduces: 1, Shuffle: 1000, MapLength: every(50)})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Map, 1, 0)
	r.start(other, model.Map, 0, 0)
	r.start(j, model.Reduce, 0, 1)
	r.start(j, model.Reduce, 1, 1)
	r.start(j, model.Reduce, 2, 2)
	r.run(1)
	r.start(j, model.Reduce, 3, 1) // nothing has been fetched yet
	expect(t, "before the first map ends", grouped(r, j), "host 1: 0 1 3", "host 2: 2")
	r.run(3)
	r.start(j, model.Reduce, 4, 1)
	expect(t, "after it has", grouped(r, j), "host 1: 0 1 3", "host 2: 2", "host 1: 4")
	r.start(other, model.Reduce, 0, 1)
	expect(t, "of another job", grouped(r, other), "host 1: 0")
}

// A share of 0.3 of ten maps: output is told after three, six and nine maps, and after the last.
func TestReleaseBatches(t *testing.T) {
	r := toReduces(t, racks(2), func(s *ShuffleRules) { s.Release = 0.3 })
	j := r.enter(model.Job{Maps: 10, Reduces: 1, Shuffle: 1000, MapLength: fixed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)})
	for i := range int32(10) {
		r.start(j, model.Map, i, 0)
	}
	var told []int32
	for second := range 10 {
		r.run(float64(second + 1))
		told = append(told, r.of(j).shuffle.released[0])
	}
	if !slices.Equal(told, []int32{0, 0, 3, 3, 3, 6, 6, 6, 9, 10}) {
		t.Errorf("told of %v maps", told)
	}
}

// A fetch of 4 copies in a group with 10 under way: each reduce has all 4 at a time, or with a limit of 5 for
// all its copies 4 * 5/10. A copy by itself counts as one, and so does a fetch that carries on.
func TestCopiesAtATime(t *testing.T) {
	for _, c := range []struct {
		limit, flying int32
		single        bool
		want          float64
	}{{0, 4, false, 4}, {5, 4, false, 2}, {10, 4, false, 4}, {5, 4, true, 1}, {5, 0, false, 0.5}} {
		r := toReduces(t, racks(1), func(s *ShuffleRules) { s.Copies = c.limit })
		r.shared.shuffles.single = c.single
		if got := r.shared.shuffles.copies(&group{flying: 10}, &fetch{flying: c.flying}); got != c.want {
			t.Errorf("limit %d, %d copies, single %t: %g at a time, want %g", c.limit, c.flying, c.single, got, c.want)
		}
	}
}

// With the source map, a reduce has two of five copies under way at a time. All have 100 bytes and share the
// link of 50 bytes per second: 500/50 = 10 s from 1 s on.
func TestSingleCopies(t *testing.T) {
	r := toReduces(t, racks(2), func(s *ShuffleRules) { s.Source, s.Copies = "map", 2 })
	j := r.enter(model.Job{Maps: 5, Reduces: 1, Shuffle: 500, MapLength: every(1)})
	for i := range int32(5) {
		r.start(j, model.Map, i, 0)
	}
	r.run(1)
	r.start(j, model.Reduce, 0, 1)
	for s := 1.5; s < 11; s++ {
		r.run(s)
		want := min(2, 5-2*int((s-1)/4)) // two end every four seconds
		if got := r.shared.solver.Running(); got != want {
			t.Errorf("%d copies under way at %g s, want %d", got, s, want)
		}
	}
	r.runAll()
	expect(t, "ended", r.ended[5:], "reduce 0 at 11 after 10")
}

// What is released while a fetch is under way waits for its end: 300 bytes at 50 per second from 1 s to 7 s,
// then those of both later maps together from 7 s to 19 s.
func TestFetchesFollowEachOther(t *testing.T) {
	r := toReduces(t, racks(2), plain)
	j := r.enter(model.Job{Maps: 3, Reduces: 1, Shuffle: 900, MapLength: fixed(1, 2, 3)})
	for i := range int32(3) {
		r.start(j, model.Map, i, 0)
	}
	r.start(j, model.Reduce, 0, 1)
	r.run(5)
	g := &r.shared.shuffles.all[0]
	check := func(taken, flying int32, work float64) {
		t.Helper()
		if f := &g.fetches[0]; r.shared.solver.Running() != 1 || f.taken != taken || g.flying != flying || f.work != work {
			t.Errorf("at %v: %d fetches; %d maps taken, %d under way, %g bytes; want one, %d, %d, %g",
				r.clock.now, r.shared.solver.Running(), f.taken, g.flying, f.work, taken, flying, work)
		}
	}
	check(1, 1, 300)
	r.run(8)
	check(3, 2, 600)
	r.runAll()
	expect(t, "ended", r.ended[3:], "reduce 0 at 19 after 16") // counted from the last map on
}

// The place of a group serves the next, which finds nothing of it there.
func TestPlacesOfGroups(t *testing.T) {
	p := newGroups(2, false)
	first := p.add(&jobWork{}, 1, 3)
	g := p.group(first)
	g.members, g.open, g.credit, g.fetches[2] = append(g.members, 7), 4, 5, fetch{handle: 1, taken: 2, queued: true}
	if !g.fresh || p.open[1] != first || p.open[0] != none {
		t.Errorf("group %+v, open %v", *g, p.open)
	}
	second := p.add(&jobWork{}, 1, 1) // reduces that start now join this one
	p.remove(first)
	if g = p.group(first); p.open[1] != second || g.job != nil || g.fresh {
		t.Errorf("group %+v is left, open %v", *g, p.open)
	}
	third := p.add(&jobWork{}, 0, 2)
	if g = p.group(first); third != first || len(g.fetches) != 2 || len(g.members) != 0 || g.open != 0 || g.credit != 0 || len(p.all) != 2 {
		t.Errorf("group %d is %+v", third, *g)
	}
	p.remove(first)
	if p.open[0] != none {
		t.Error("reduces may join a group that is gone")
	}
	if p.add(&jobWork{}, 0, 3) != first || g.fetches[2] != (fetch{}) {
		t.Errorf("a fetch of the first group is left: %+v", g.fetches[2])
	}
}

// Two reduces fetch 1,200 bytes together, from 0 on. When one is killed at 6 s, 900 are left, of which the other
// needs half: 450/50 = 9 s more.
func TestLeaveAGroup(t *testing.T) {
	r := toReduces(t, racks(2), plain)
	j := r.enter(model.Job{Maps: 1, Reduces: 2, Shuffle: 1200})
	r.start(j, model.Map, 0, 0)
	r.run(0)
	r.Start(0, j, model.Task{Job: j.ID, Kind: model.Reduce, Index: 0}, 1, 0, model.NoInput)
	r.Start(0, j, model.Task{Job: j.ID, Kind: model.Reduce, Index: 1}, 1, 0, model.NoInput)
	j.Running[model.Reduce] = 2
	r.settle()
	expect(t, "together", grouped(r, j), "host 1: 0 1")
	r.run(6)
	r.Kill(r.clock.now, r.id(model.Task{Job: j.ID, Kind: model.Reduce, Index: 0}))
	r.settle()
	expect(t, "alone", grouped(r, j), "host 1: 1")
	r.runAll()
	expect(t, "ended", r.ended[1:], "reduce 1 at 15 after 15")
	if got := r.of(j).shuffle.fetched; math.Abs(got-750) > 1e-6 {
		t.Errorf("%g bytes fetched, want 300 together and 450 alone", got)
	}
}

// Three reduces fetch 1,800 bytes together, from 0 on. When two are killed at 6 s, 1,500 are left, of which the third needs
// 500: 10 s more.
func TestTwoLeaveAGroup(t *testing.T) {
	r := toReduces(t, racks(2), plain)
	j := r.enter(model.Job{Maps: 1, Reduces: 3, Shuffle: 1800})
	r.start(j, model.Map, 0, 0)
	r.run(0)
	for i := range int32(3) {
		r.Start(0, j, model.Task{Job: j.ID, Kind: model.Reduce, Index: i}, 1, 0, model.NoInput)
	}
	j.Running[model.Reduce] = 3
	r.settle()
	r.run(6)
	for i := range int32(2) {
		r.Kill(r.clock.now, r.id(model.Task{Job: j.ID, Kind: model.Reduce, Index: i}))
	}
	r.settle()
	r.runAll()
	expect(t, "ended", r.ended[1:], "reduce 2 at 16 after 16")
	if got := r.of(j).shuffle.fetched; math.Abs(got-800) > 1e-6 {
		t.Errorf("%g bytes fetched, want 300 together and 500 alone", got)
	}
}

// The last member takes its group with it, what waits to begin as well.
func TestLastLeavesAGroup(t *testing.T) {
	for _, fetching := range []bool{false, true} {
		r := toReduces(t, racks(2), plain)
		j := r.enter(model.Job{Maps: 1, Reduces: 1, Shuffle: 600, MapLength: every(1)})
		r.start(j, model.Map, 0, 0)
		task := r.start(j, model.Reduce, 0, 1)
		if fetching {
			r.run(2)
		}
		r.kill(task)
		s := r.shared.shuffles
		if len(r.of(j).shuffle.groups) != 0 || len(s.spare) != 1 || s.open[1] != none || s.queued.Len() != 0 || s.solver.Running() != 0 {
			t.Errorf("fetching %t: groups %v, open %v, queued %v, %d activities", fetching, r.of(j).shuffle.groups, s.open, s.queued.Len(), s.solver.Running())
		}
		r.run(100)
		r.start(j, model.Reduce, 0, 1) // fetches all again
		r.runAll()
		expect(t, "ended", r.ended, "map 0 at 1 after 1", "reduce 0 at 112 after 12")
	}
}

// Maps 0 and 1 end on node 0 at 1 s, map 2 on node 1 at 100 s; each has 60 bytes for the reduce on node 2.
func TestCreditAfterLoss(t *testing.T) {
	for _, c := range []struct {
		name    string
		lostAt  float64
		credit  int32
		fetched float64
	}{
		// Each is fetched in 60/50 s: both are there at 3.4 s, and are not fetched again when the maps have run again.
		{"both were fetched: 180 in all", 5, 2, 180},
		// At 2.8 s the first is there, of the second 30 bytes, which are fetched in vain.
		{"one was under way: 180 + 30", 2.8, 1, 210},
		{"the first was under way: 180 + 30", 1.6, 0, 210},
	} {
		r := toReduces(t, racks(3), plain)
		j := r.enter(model.Job{Maps: 3, Reduces: 1, Shuffle: 180, MapLength: fixed(1, 1, 100)})
		r.start(j, model.Map, 0, 0)
		r.start(j, model.Map, 1, 0)
		r.start(j, model.Map, 2, 1)
		r.start(j, model.Reduce, 0, 2)
		r.run(c.lostAt)
		r.lose(j, 0, 0, 1)
		g := &r.shared.shuffles.all[0]
		if g.credit != c.credit || g.fetches[0].taken != 0 || r.of(j).shuffle.released[0] != 0 {
			t.Errorf("%s: credit %d, %d taken of %d; want credit %d", c.name, g.credit, g.fetches[0].taken, r.of(j).shuffle.released[0], c.credit)
		}
		r.run(10)
		r.start(j, model.Map, 0, 1)
		r.start(j, model.Map, 1, 1)
		r.runAll()
		expect(t, c.name, r.ended[len(r.ended)-1:], "reduce 0 at 101.2 after 1.2")
		if got := r.of(j).shuffle.fetched; math.Abs(got-c.fetched) > 1e-6 {
			t.Errorf("%s: %g bytes fetched, want %g", c.name, got, c.fetched)
		}
		if err := r.Leave(r.clock.now, j, true); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Output that was made and not told yet is lost without anybody's notice.
func TestLossBeforeRelease(t *testing.T) {
	r := toReduces(t, racks(2), func(s *ShuffleRules) { s.Release = 1 })
	j := r.enter(model.Job{Maps: 3, Reduces: 1, Shuffle: 300, MapLength: fixed(1, 2, 9)})
	for i := range int32(3) {
		r.start(j, model.Map, i, 0)
	}
	r.start(j, model.Reduce, 0, 1)
	r.run(3)
	r.lose(j, 0, 0)
	if sh := r.of(j).shuffle; sh.made[0] != 1 || sh.waiting != 1 || r.shared.shuffles.all[0].credit != 0 {
		t.Errorf("%d made, %d wait", sh.made[0], sh.waiting)
	}
	r.start(j, model.Map, 0, 0)
	r.runAll()
	expect(t, "ended", r.ended[3:], "map 2 at 9 after 9", "reduce 0 at 15 after 6")
}

// By rack: what the reduce's own rack made lies on its host in part, so of two hosts half travels, and of one
// host nothing; what comes from another rack crosses.
func TestSourceRack(t *testing.T) {
	for _, c := range []struct {
		topology      *model.Topology
		source, host  int32
		linked, cross float64
		uses          []string
	}{
		{racks(2, 1), 0, 1, 0.5, 0, []string{"node down 1: 1", "node up links of rack 0: 1"}},
		{racks(2, 1), 1, 2, 0, 0, nil},
		{racks(2, 1), 0, 2, 1, 1, []string{"node down 2: 1", "rack down 1: 1", "rack up 0: 1"}},
	} {
		r := toReduces(t, c.topology, func(s *ShuffleRules) { s.Source = "rack" })
		s := r.shared.shuffles
		linked, cross := s.usePathFrom(&shuffle{}, c.source, c.host, false)
		if linked != c.linked || cross != c.cross {
			t.Errorf("from rack %d to host %d: %g travels, %g across racks; want %g and %g", c.source, c.host, linked, cross, c.linked, c.cross)
		}
		expect(t, "uses", names(s.solver, s.Uses), c.uses...)
	}
}

// A job whose reduces got less than its maps made, or more without a cause, is told apart.
func TestCheckShuffle(t *testing.T) {
	for _, c := range []struct {
		fetched float64
		killed  bool
		ok      bool
	}{{100, false, true}, {99, false, false}, {99, true, false}, {101, false, false}, {101, true, true}} {
		w := &jobWork{job: &cluster.Job{}, spec: &model.Job{Shuffle: 100}, killed: c.killed, shuffle: &shuffle{copy: 1, fetched: c.fetched}}
		if err := w.checkShuffle(0); (err == nil) != c.ok {
			t.Errorf("%g of 100 bytes, killed %t: %v", c.fetched, c.killed, err)
		}
	}
}
