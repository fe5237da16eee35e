// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// watcherDesk returns a desk of three racks of two nodes that ShuffleWatcher sits at.
func watcherDesk(t tester, p ShuffleWatcherParams, replication int) (*desk, *ShuffleWatcher) {
	d := newDesk(t, 3, 2, 8, replication)
	var w *ShuffleWatcher
	d.drive("user", func(env *policy.Env) kit.Place { w = NewShuffleWatcher(env, p); return w })
	return d, w
}

// twoSkips are parameters under which two skips are enough, and sizes are known.
func twoSkips() ShuffleWatcherParams {
	p := DefaultShuffleWatcherParams()
	p.Known = "all"
	p.NodeSkips, p.RackSkips = 2, 2
	return p
}

// cost(k) = input without a replica in the first k racks + S (1 - 1/k), by hand: three blocks of 100 lie in rack
// 0, one in rack 1.
func TestSetOfRacks(t *testing.T) {
	all := []bool(nil)
	for _, c := range []struct {
		why    string
		spec   model.Job
		blocks []model.NodeID
		racks  []bool
	}{
		{"S = 400: 100, 200, 267", job("u", 4, 400, 400), []model.NodeID{0, 1, 0, 2}, []bool{true, false, false}},
		{"S = 100: 100, 50, 67", job("u", 4, 400, 100), []model.NodeID{0, 1, 0, 2}, []bool{true, true, false}},
		{"S = 200: 100, 100, 133, of equal ones the larger", job("u", 4, 400, 200), []model.NodeID{0, 1, 0, 2}, []bool{true, true, false}},
		{"S = 0: 100, 0, 0, of equal ones the larger", job("u", 4, 400, 0), []model.NodeID{0, 1, 0, 2}, all},
		{"rack 2 has most: 200, 250, 200, of equal ones the larger", job("u", 5, 500, 300), []model.NodeID{0, 2, 4, 4, 5}, all},
		{"rack 2 has most: 200, 300, 267", job("u", 5, 500, 400), []model.NodeID{0, 2, 4, 4, 5}, []bool{false, false, true}},
		{"no input: 0, 50, 67", job("u", 2, 0, 100), nil, []bool{true, false, false}},
		{"neither input nor shuffle data", job("u", 2, 0, 0), nil, all},
		{"no reduces", model.Job{User: "u", Queue: "q", Maps: 2, Input: 200}, []model.NodeID{0, 2}, all},
	} {
		d, w := watcherDesk(t, twoSkips(), 1)
		if got := w.jobs.Of(d.come(c.spec, c.blocks...)).racks; !slices.Equal(got, c.racks) {
			t.Errorf("%s: racks %v, expected %v", c.why, got, c.racks)
		}
	}

	p := twoSkips()
	p.Known = "none"
	d, w := watcherDesk(t, p, 1)
	if got := w.jobs.Of(d.come(job("u", 4, 400, 0), 0, 1, 0, 2)).racks; !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("as much shuffle data as input where it is not known: racks %v", got)
	}
	p.Racks = false
	d, w = watcherDesk(t, p, 1)
	if got := w.jobs.Of(d.come(job("u", 4, 400, 0), 0)).racks; got != nil {
		t.Errorf("the part is off: racks %v", got)
	}
}

// Replicas of a block in one rack count once; racks that hold equally much take turns by job.
func TestSetOfRacksWithReplicas(t *testing.T) {
	d, w := watcherDesk(t, twoSkips(), 2)
	// Rack 0 holds one block twice, rack 1 two blocks: 100, 150, 200.
	j := d.comeWith(job("u", 3, 300, 300), [][]model.NodeID{{0, 1}, {2, 4}, {3, 5}})
	if got := w.jobs.Of(j).racks; !slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("racks %v, expected rack 1", got)
	}
	for id := range 3 {
		d, w := watcherDesk(t, twoSkips(), 1)
		for range id {
			d.come(job("u", 1, 100, 100), 0)
		}
		want := make([]bool, 3)
		want[id] = true
		if got := w.jobs.Of(d.come(job("u", 2, 0, 100))).racks; !slices.Equal(got, want) {
			t.Errorf("job %d without input: racks %v, expected %v", id, got, want)
		}
	}
}

// Maps start in the set, local ones first as with delay; after two skips elsewhere.
func TestMapsInSet(t *testing.T) {
	d, w := watcherDesk(t, twoSkips(), 1)
	d.share = 1
	j := d.come(job("u", 8, 800, 800), 0)
	d.declined("outside the set, skip 1", 2)
	if s := w.jobs.Of(j).skips[model.Map]; s.count != 1 || w.DelaysMaps(j, 0) || !w.DelaysMaps(j, 1) || d.blocked[j.ID] != model.LimitLocality {
		t.Errorf("skipped %d times, maps delayed outside the set: %t, blocked by %v", s.count, w.DelaysMaps(j, 1), d.blocked[j.ID])
	}
	d.served("local", 0, j, model.Map)
	if s := w.jobs.Of(j).skips[model.Map]; s.count != 0 || w.DelaysMaps(j, 1) {
		t.Errorf("skipped %d times after a start in the set", s.count)
	}
	d.declined("in the set without data, as with delay", 1)
	d.declined("in the set without data, as with delay", 1)
	d.served("in the set, from the rack", 1, j, model.Map)
	d.declined("outside the set, skip 1", 2)
	if got := d.declined("outside the set, skip 2", 4).Again; got != model.Second {
		t.Errorf("idle nodes are to be counted again at %v", got)
	}
	for range 2 {
		d.declined("as with delay", 2)
	}
	d.served("two skips of the set, two of delay", 2, j, model.Map)
}

// Reduces go to racks by their share of the output, until two skips.
func TestReducesByShare(t *testing.T) {
	p := twoSkips()
	p.Racks = false
	d, w := watcherDesk(t, p, 1)
	j := d.come(job("u", 4, 400, 400), 0, 0, 0, 2)
	for i := range int32(4) {
		d.run(j, i, model.NodeID(i)/3*2)
	}
	d.declined("no output in rack 2", 4)
	for range 3 {
		d.served("three of four in rack 0", 1, j, model.Reduce)
	}
	d.declined("rack 0 has its share, skip 1", 0)
	d.declined("rack 2, skip 2", 4)
	last := d.served("after two skips anywhere", 4, j, model.Reduce)
	if got := w.jobs.Of(j).inRack; !slices.Equal(got, []int32{3, 0, 1}) {
		t.Errorf("reduces in racks %v", got)
	}
	d.end(last, 4, false)
	if got := w.jobs.Of(j).inRack; !slices.Equal(got, []int32{3, 0, 0}) {
		t.Errorf("reduces in racks %v after one was killed", got)
	}
	d.served("rack 1 has a share of one", 2, j, model.Reduce)

	d, _ = watcherDesk(t, p, 1)
	d.served("maps that made nothing lead nowhere", 4, d.mapped(job("u", 4, 400, 0), 0), model.Reduce)

	p.Shares = false
	d, _ = watcherDesk(t, p, 1)
	j = d.mapped(job("u", 4, 400, 400), 0)
	d.served("the part is off", 4, j, model.Reduce)
}

// While a rack is congested its nodes are given maps in place of reduces, as long as maps wait.
func TestMapsInPlaceOfReduces(t *testing.T) {
	d, _ := watcherDesk(t, twoSkips(), 1)
	j := d.come(job("u", 4, 400, 400), 0)
	d.run(j, 0, 0)
	d.served("a reduce first", 0, j, model.Reduce)
	if !d.load(0, 0.8) || d.load(0, 0.9) {
		t.Error("room is to be offered again when the state changes, and only then")
	}
	for range 3 {
		d.served("a map in place of a reduce", 0, j, model.Map)
	}
	if !d.load(0, 0.9) {
		t.Error("room is to be offered again when no map waits any more")
	}
	d.served("no map waits", 0, j, model.Reduce)
	d.come(job("v", 1, 100, 100), 4)
	for range 2 {
		d.declined("a map waits, for its own rack", 0)
	}
	if d.blocked[j.ID] != model.LimitCongestion {
		t.Errorf("blocked by %v", d.blocked[j.ID])
	}
	d.load(0, 0.7)
	d.served("relieved", 0, j, model.Reduce)

	p := twoSkips()
	p.MapsFirst = false
	d, _ = watcherDesk(t, p, 1)
	j = d.mapped(job("u", 4, 400, 400), 0)
	if d.load(0, 1) {
		t.Error("the part is off: congestion wakes nobody")
	}
	d.served("the part is off", 0, j, model.Reduce)
}

// The link by which a rack sends, to which its maps add, congests it only where either link does.
func TestLinkThatCongests(t *testing.T) {
	for link, kind := range map[string]model.Kind{"down": model.Reduce, "either": model.Map} {
		p := twoSkips()
		p.Link = link
		d, _ := watcherDesk(t, p, 1)
		j := d.come(job("u", 4, 400, 400), 0)
		d.run(j, 0, 0)
		d.links.Shares[0] = 1
		d.sampled()
		d.served("congested by its up link, "+link, 0, j, kind)
	}
}
