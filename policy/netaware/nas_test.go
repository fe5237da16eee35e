// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// What jobs of each class shuffle.
const (
	lightSize  = model.MiB / 2
	mediumSize = 10 * model.MiB
	heavySize  = 200 * model.MiB
)

// atHalf are parameters under which all jobs start reduces after half of their maps.
func atHalf() NASParams {
	p := DefaultNASParams()
	p.Adaptive, p.MinMaps, p.ReduceSkips = false, 0.5, 2
	return p
}

// mapped admits a job and runs all its maps on the node: all its output lies there.
func (d *desk) mapped(spec model.Job, node model.NodeID) *cluster.Job {
	d.Helper()
	j := d.come(spec, node)
	for i := range spec.Maps {
		d.run(j, i, node)
	}
	return j
}

// Algorithm 1: a reduce before a map; CA-RTS or CR-RTS by the state of the node's rack, of either link.
func TestAlgorithmByNetworkState(t *testing.T) {
	d, n := nasDesk(t, atHalf(), 2, 2, 8)
	heavyOne := d.come(job("u", 2, heavySize, heavySize), 0)
	d.run(heavyOne, 0, 0)
	d.load(0, 0.79)
	d.served("a reduce before a map, below the threshold", 0, heavyOne, model.Reduce)
	if !d.load(0, 0.8) || d.load(0, 0.9) {
		t.Error("room is to be offered again when the state changes, and only then")
	}
	d.declined("neither reduce nor map of a heavy job in a congested rack", 0)
	d.served("the other rack is not congested", 2, heavyOne, model.Reduce)
	if !n.DelaysMaps(heavyOne, 0) || n.DelaysMaps(heavyOne, 1) || d.blocked[heavyOne.ID] != model.LimitCongestion {
		t.Errorf("maps are delayed: %t, in the other rack: %t, blocked by %v", n.DelaysMaps(heavyOne, 0), n.DelaysMaps(heavyOne, 1), d.blocked[heavyOne.ID])
	}
	d.links.Shares[0] = 0.95
	d.load(0, 0.1)
	d.declined("the link up is congested", 0)
	d.links.Shares[0] = 0
	if !d.load(0, 0.1) || n.DelaysMaps(heavyOne, 0) {
		t.Error("it is relieved")
	}
	d.served("relieved", 0, heavyOne, model.Map)
}

// Algorithm 3: the six categories, ReduceNum (eq. 3.4) being all reduces in rack 0 and none in rack 1.
func TestReducesByCategory(t *testing.T) {
	for _, c := range []struct {
		why   string
		node  model.NodeID
		order []int // of the classes
	}{
		{"where the output lies", 0, []int{2, 2, 1, 1, 0, 0}},
		{"where none lies", 2, []int{0, 0, 1, 1, 2, 2}},
	} {
		d, _ := nasDesk(t, atHalf(), 2, 2, 8)
		var jobs [model.ShuffleClasses]*cluster.Job
		for i, size := range []model.Bytes{lightSize, mediumSize, heavySize} {
			jobs[i] = d.mapped(job("u", 2, size, size), 0)
		}
		for _, class := range c.order {
			d.served(c.why, c.node, jobs[class], model.Reduce)
		}
	}
}

// Equation 3.4 with numbers: three of four maps ran in rack 0, so three of four reduces belong there.
func TestReduceNum(t *testing.T) {
	d, n := nasDesk(t, atHalf(), 2, 2, 16)
	big := d.come(job("u", 4, heavySize, heavySize), 0)
	for i := range int32(4) {
		d.run(big, i, model.NodeID(i)/3*2)
	}
	small := d.mapped(job("u", 4, lightSize, lightSize), 0)
	var last model.Task
	for range 3 {
		last = d.served("not reached in rack 0", 0, big, model.Reduce)
	}
	d.served("reached in rack 0", 1, small, model.Reduce)
	d.end(last, 0, false)
	last = d.served("one less runs there", 0, big, model.Reduce)
	d.end(last, 0, true)
	d.served("an ended one still counts", 0, small, model.Reduce)
	if own := n.jobs.Of(big).inRack; own[0] != 3 || own[1] != 0 {
		t.Errorf("reduces in racks %v, expected 3 and 0", own)
	}
	d.served("one belongs to rack 1", 2, big, model.Reduce)
	d.served("no other job is left", 0, small, model.Reduce)
}

// Within a category delayed jobs go first, then those whose maps have all ended.
func TestReducesWithinCategory(t *testing.T) {
	d, n := nasDesk(t, atHalf(), 2, 2, 16)
	spec := job("u", 2, mediumSize, mediumSize)
	half := d.come(spec, 0)
	d.run(half, 0, 0)
	full := d.mapped(spec, 0)
	delayed := d.come(spec, 0)
	d.run(delayed, 0, 0)
	n.jobs.Of(delayed).delayed = true
	n.listed(delayed)
	for _, want := range []*cluster.Job{delayed, delayed, full, full, half, half} {
		d.served("delayed, then all maps done", 0, want, model.Reduce)
	}

	p := atHalf()
	p.CARTS = false
	d, _ = nasDesk(t, p, 2, 2, 16)
	first := d.mapped(job("u", 1, lightSize, lightSize), 0)
	d.mapped(job("u", 1, heavySize, heavySize), 0)
	d.served("without CA-RTS all are alike", 0, first, model.Reduce)
}

// Algorithm 4: light jobs alone, until a user was skipped often enough; delayed jobs go first afterwards.
func TestReducesInCongestedRack(t *testing.T) {
	d, n := nasDesk(t, atHalf(), 2, 2, 16)
	heavyOne := d.mapped(job("a", 3, heavySize, heavySize), 0)
	other := d.mapped(job("a", 3, heavySize, heavySize), 0)
	lightOne := d.mapped(job("b", 3, lightSize, lightSize), 0)
	d.load(0, 1)
	counts := func(why string, a, b int32) {
		t.Helper()
		if x, y := n.users[0].reduces.count, n.users[1].reduces.count; x != a || y != b {
			t.Errorf("%s: skipped %d and %d times, expected %d and %d", why, x, y, a, b)
		}
	}
	d.served("light", 0, lightOne, model.Reduce)
	counts("a was skipped", 1, 0)
	if d.blocked[other.ID] != model.LimitCongestion {
		t.Errorf("blocked by %v", d.blocked[other.ID])
	}
	d.served("light", 0, lightOne, model.Reduce)
	counts("a was skipped again", 2, 0)
	task := d.served("two skips are enough for any", 0, heavyOne, model.Reduce)
	counts("no light one: the count stays", 2, 0)
	d.end(task, 0, false)
	d.load(0, 0)
	n.jobs.Of(heavyOne).delayed = false
	n.listed(heavyOne)
	d.served("the delayed one of two heavy ones", 0, other, model.Reduce)
	counts("without congestion nothing counts", 2, 0)
	d.load(0, 1)
	d.mapped(job("a", 1, lightSize, lightSize), 0)
	d.served("any, by category", 0, other, model.Reduce)
}

func TestReduceSkipsAreReset(t *testing.T) {
	for _, c := range []struct {
		reset string
		count int32
	}{{"local", 2}, {"any", 0}} {
		p := atHalf()
		p.Reset = c.reset
		d, n := nasDesk(t, p, 2, 2, 16)
		heavyOne := d.mapped(job("a", 3, heavySize, heavySize), 0)
		d.load(0, 1)
		if got := d.declined("skip 1", 0).Again; got != model.Second {
			t.Errorf("idle nodes are to be counted again at %v", got)
		}
		d.declined("skip 2", 0)
		d.served("two skips", 0, heavyOne, model.Reduce)
		if got := n.users[0].reduces.count; got != c.count {
			t.Errorf("reset %s: skipped %d times, expected %d", c.reset, got, c.count)
		}
	}

	p := atHalf()
	p.ReduceSkips, p.ReduceWait = 0, 5*model.Second
	d, n := nasDesk(t, p, 2, 2, 16)
	heavyOne := d.mapped(job("a", 3, heavySize, heavySize), 0)
	d.load(0, 1)
	if got := d.declined("for five seconds", 0).Again; got != 5*model.Second {
		t.Errorf("to be asked again at %v, expected 5s", got)
	}
	d.mapped(job("a", 1, lightSize, lightSize), 0)
	d.served("a light one", 0, d.state.Job(1), model.Reduce)
	if n.users[0].reduces.count != 0 {
		t.Error("a light one ends the waiting")
	}
	d.declined("for five seconds more", 0)
	d.pass(5 * model.Second)
	d.served("after five seconds", 0, heavyOne, model.Reduce)
}

// In a congested rack maps of light jobs start; those of others wait, however long.
func TestMapsInCongestedRack(t *testing.T) {
	p := atHalf()
	p.MinMaps, p.MapSkips = 1, 1
	d, n := nasDesk(t, p, 2, 2, 16)
	d.come(job("a", 2, heavySize, heavySize), 0)
	d.come(job("a", 2, mediumSize, mediumSize), 0)
	lightOne := d.come(job("a", 2, lightSize, lightSize), 0)
	d.load(0, 1)
	d.served("light and local", 0, lightOne, model.Map)
	d.declined("skip", 1)
	d.served("light, from the rack", 1, lightOne, model.Map)
	for range 5 {
		d.declined("none but heavier ones", 0)
	}
	if got := n.users[0].maps.count; got != 1 {
		t.Errorf("skipped %d times; a user is not skipped for congestion", got)
	}
	if d.blocked[0] != model.LimitCongestion {
		t.Errorf("blocked by %v", d.blocked[0])
	}
}

// Other readings of which maps a congested rack stops: those of users who have not been skipped for long enough, those of jobs
// whose reduces may not start yet, nobody's.
func TestStopMaps(t *testing.T) {
	for stop, story := range map[string]func(d *desk, first, second *cluster.Job){
		"skips": func(d *desk, first, _ *cluster.Job) {
			d.declined("skipped once", 0)
			d.declined("and again", 0)
			d.served("long enough", 0, first, model.Map)
			d.declined("a local map ends the waiting", 0)
		},
		"early": func(d *desk, first, second *cluster.Job) {
			d.declined("before their thresholds", 0)
			d.load(0, 0)
			d.run(first, 0, 0)
			d.load(0, 1)
			d.served("past its threshold", 0, first, model.Map)
			if second.Running[model.Map] > 0 {
				d.Errorf("a job before its threshold runs")
			}
		},
		"none": func(d *desk, first, _ *cluster.Job) { d.served("all may", 0, first, model.Map) },
	} {
		p := atHalf()
		p.MinMaps, p.Adaptive, p.MapSkips, p.ReduceSkips, p.Stop = 0.25, false, 2, 100, stop
		d, n := nasDesk(t, p, 2, 2, 16)
		first := d.come(job("a", 4, heavySize, heavySize), 0)
		second := d.come(job("a", 4, heavySize, heavySize), 1)
		d.load(0, 1)
		if n.DelaysMaps(second, 0) != (stop != "none") {
			t.Errorf("%s: maps of a heavy job are delayed: %t", stop, stop == "none")
		}
		story(d, first, second)
	}
}

// With one rack nothing crosses racks, so nothing is congested.
func TestOneRack(t *testing.T) {
	d, n := nasDesk(t, atHalf(), 1, 2, 16)
	heavyOne := d.come(job("a", 2, heavySize, heavySize), 0)
	d.run(heavyOne, 0, 0)
	if d.load(0, 1) || n.DelaysMaps(heavyOne, 0) {
		t.Error("the only rack is congested")
	}
	d.served("a reduce", 1, heavyOne, model.Reduce)
	d.served("another", 0, heavyOne, model.Reduce)
	d.served("a map", 0, heavyOne, model.Map)

	d = newDesk(t, 1, 2, 16, 1)
	var w *ShuffleWatcher
	d.drive("user", func(env *policy.Env) kit.Place { w = NewShuffleWatcher(env, DefaultShuffleWatcherParams()); return w })
	j := d.mapped(job("a", 2, heavySize, heavySize), 0)
	if d.load(0, 1) || w.jobs.Of(j).racks != nil {
		t.Error("ShuffleWatcher: the only rack is congested, or one of several")
	}
	d.served("ShuffleWatcher: a reduce", 1, j, model.Reduce)
}

// Without CR-RTS load means nothing.
func TestWithoutCRRTS(t *testing.T) {
	p := atHalf()
	p.CRRTS = false
	d, n := nasDesk(t, p, 2, 2, 16)
	heavyOne := d.come(job("a", 2, heavySize, heavySize), 0)
	d.run(heavyOne, 0, 0)
	if d.load(0, 1) || n.DelaysMaps(heavyOne, 0) {
		t.Error("it is told of congestion")
	}
	d.served("a reduce", 0, heavyOne, model.Reduce)
}

// Under an order that shares by job each job is skipped for itself, and a job does not inherit the count of
// the one that had its place.
func TestSharersAreJobs(t *testing.T) {
	p := mapsAlone()
	d := newDesk(t, 2, 2, 8, 1)
	var n *NAS
	d.drive("job", func(env *policy.Env) kit.Place { n = NewNAS(env, p); return n })
	a := d.come(model.Job{User: "u", Queue: "q", Maps: 1, Input: 10}, 3)
	b := d.come(model.Job{User: "u", Queue: "q", Maps: 1, Input: 10}, 0)
	d.served("a is skipped, b is local", 0, b, model.Map)
	d.declined("a is skipped again", 0)
	if n.users[a.Slot].maps.count != 2 || n.users[b.Slot].maps.count != 0 {
		t.Errorf("a was skipped %d times, b %d", n.users[a.Slot].maps.count, n.users[b.Slot].maps.count)
	}
	d.end(d.served("a", 0, a, model.Map), 0, true)
	c := d.come(model.Job{User: "u", Queue: "q", Maps: 1, Input: 10}, 3)
	if c.Slot != a.Slot {
		t.Fatalf("place %d, expected that of a, %d", c.Slot, a.Slot)
	}
	d.declined("c waits for its data", 0)
}
