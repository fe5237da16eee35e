// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// A node sends its heartbeat at phase + k * interval while it has room that is wanted.
func TestNextBeat(t *testing.T) {
	f := newHall(secondly, 3, 3)
	f.phases(100, 400, 700)
	f.state.Hold(1, model.Room{3, 0}) // node 1 is full
	f.markAll(1)
	f.use = decline(policy.Here)
	f.wakeAll(0)
	for _, want := range []string{"100: node 0", "700: node 2", "1100: node 0", "1700: node 2"} {
		if got := f.nextBeat(); got != want {
			t.Errorf("heartbeat %s, want %s", got, want)
		}
	}
	// At 1.7 s the next is planned for 2.1 s. Node 1 gets room at 2 s: its heartbeat at 2.4 s comes after that.
	f.state.Unhold(1, model.Room{3, 0})
	f.freed(2*model.Second, 1, 0)
	for _, want := range []string{"2100: node 0", "2400: node 1"} {
		if got := f.nextBeat(); got != want {
			t.Errorf("heartbeat %s, want %s", got, want)
		}
	}
	f.want(0, false)
	if got := f.nextBeat(); got != "2700: node 2" {
		t.Errorf("heartbeat %s, want the one that was planned", got)
	}
	if got := f.nextBeat(); got != "none" {
		t.Errorf("heartbeat %s though nobody wants room", got)
	}
}

// Room that comes free earlier in the ring replaces the heartbeat that was planned; there is one event.
func TestEarlierBeatReplaces(t *testing.T) {
	f := newHall(secondly, 3, 1)
	f.phases(100, 400, 700)
	for n := range model.NodeID(2) {
		f.state.Hold(n, model.Room{1, 0})
		f.markAll(n)
	}
	f.wakeAll(200 * model.Millisecond)
	f.state.Unhold(1, model.Room{1, 0})
	f.freed(300*model.Millisecond, 1, 0)
	if f.queue.Pending() != 1 {
		t.Errorf("%d heartbeats are planned", f.queue.Pending())
	}
	for _, want := range []string{"400: node 1", "700: node 2", "none"} {
		if got := f.nextBeat(); got != want {
			t.Errorf("heartbeat %s, want %s", got, want)
		}
	}
}

// Nodes of one phase send their heartbeats one after the other, each once in an interval. A node that asks at
// the very moment of its phase is not a cycle late.
func TestBeatsOfOnePhase(t *testing.T) {
	f := newHall(secondly, 3, 1)
	f.phases(100, 100, 700)
	f.use = decline(policy.Here)
	f.wakeAll(100 * model.Millisecond)
	for _, want := range []string{"100: node 0", "100: node 1", "700: node 2", "1100: node 0", "1100: node 1"} {
		if got := f.nextBeat(); got != want {
			t.Errorf("heartbeat %s, want %s", got, want)
		}
	}
}

// Two pools: the planned heartbeat is the first of either, and a heartbeat offers maps before reduces.
func TestBeatOfTwoPools(t *testing.T) {
	topology := &model.Topology{Model: model.Slots, Racks: 1, Hosts: 2, Nodes: make([]model.Node, 2), Classes: []model.NodeClass{{Room: model.Room{1, 1}}}}
	f := &hall{floor: newFloor(&world{in: &Input{Topology: topology, Config: Config{Heartbeat: secondly}}, state: cluster.New(topology)})}
	var pools []int
	f.serve = func(model.Time) (bool, policy.Scope) { pools = append(pools, f.offer.Pool); return false, policy.Here }
	f.lower(0, model.Room{1, 0})
	f.lower(1, model.Room{0, 1})
	f.phases(100, 600)
	f.state.Hold(0, model.Room{1, 0}) // node 0 has a reduce slot alone
	f.markAll(0)
	f.want(0, true)
	f.want(1, true)
	f.wakeAll(0)
	for _, want := range []string{"100: node 0", "600: node 1"} {
		if got := f.nextBeat(); got != want {
			t.Errorf("heartbeat %s, want %s", got, want)
		}
	}
	if !slices.Equal(pools, []int{1, 0, 1}) {
		t.Errorf("offered pools %v, want reduces of node 0, then maps and reduces of node 1", pools)
	}
}

// A heartbeat may be given one more task if none of its limits is reached.
func TestLimitsOfABeat(t *testing.T) {
	limits := Heartbeat{Interval: Interval(model.Second), MaxTasks: 4, MaxMaps: 2, MaxReduces: 1, MaxOffSwitch: 1}
	type beat = policy.Beat
	for _, c := range []struct {
		why   string
		rules Heartbeat
		model model.RoomModel
		pool  int
		beat  beat
		want  bool
	}{
		{"nothing given", limits, model.Slots, 0, beat{}, true},
		{"one map", limits, model.Slots, 0, beat{Tasks: [2]int32{1, 0}}, true},
		{"two maps", limits, model.Slots, 0, beat{Tasks: [2]int32{2, 0}}, false},
		{"two maps leave reduces", limits, model.Slots, 1, beat{Tasks: [2]int32{2, 0}}, true},
		{"one reduce", limits, model.Slots, 1, beat{Tasks: [2]int32{0, 1}}, false},
		{"one reduce leaves maps", limits, model.Slots, 0, beat{Tasks: [2]int32{0, 1}}, true},
		{"one off-switch", limits, model.Slots, 0, beat{Tasks: [2]int32{1, 0}, OffSwitch: 1}, false},
		{"one off-switch leaves reduces", limits, model.Slots, 1, beat{Tasks: [2]int32{1, 0}, OffSwitch: 1}, true},
		{"shared room: either limit ends it", limits, model.Containers, 0, beat{Tasks: [2]int32{0, 1}}, false},
		{"masters count as tasks: 1 + 3", limits, model.Yarn, 0, beat{Tasks: [2]int32{1, 0}, Masters: 3}, false},
		{"no limits", secondly, model.Yarn, 0, beat{Tasks: [2]int32{99, 99}, Masters: 9, OffSwitch: 9}, true},
		{"on idle a limit means nothing", Heartbeat{MaxTasks: 1}, model.Yarn, 0, beat{Tasks: [2]int32{9, 9}}, true},
	} {
		f := &floor{world: &world{model: c.model, shared: c.model != model.Slots}, rules: &c.rules}
		f.offer.Beat = c.beat
		if got := f.allowed(c.pool); got != c.want {
			t.Errorf("%s, pool %d: allowed %t", c.why, c.pool, got)
		}
	}
}

// With two tasks for each heartbeat a node of five containers fills in three heartbeats, then is silent.
func TestBeatsFillANode(t *testing.T) {
	f := newHall(Heartbeat{Interval: Interval(model.Second), MaxTasks: 2}, 1, 5)
	f.phases(500)
	f.wakeAll(0)
	for _, want := range []string{"500: node 0", "1500: node 0", "2500: node 0", "none"} {
		if got := f.nextBeat(); got != want {
			t.Errorf("heartbeat %s, want %s", got, want)
		}
	}
	f.expect(t, "five containers", 0, 0, 0, 0, 0)
	if f.offer.Beat.Sequence != 3 || !f.offer.Beat.Periodic {
		t.Errorf("beat %+v", f.offer.Beat)
	}
}

// When a policy has declined for all nodes, no heartbeat is sent until a job wants room, room comes free or
// all are woken.
func TestDryPool(t *testing.T) {
	for why, wet := range map[string]func(*hall, model.Time){
		"another wants room": func(f *hall, now model.Time) { f.want(0, true); f.wake(now, 0) },
		"room comes free":    func(f *hall, now model.Time) { f.freed(now, 1, 0) },
		"all are woken":      func(f *hall, now model.Time) { f.wakeAll(now) },
	} {
		f := newHall(secondly, 2, 1)
		f.phases(100, 600)
		f.use = decline(policy.Everywhere)
		f.wakeAll(0)
		if got := f.nextBeat(); got != "100: node 0" {
			t.Errorf("heartbeat %s", got)
		}
		f.wake(300*model.Millisecond, 0)
		if f.queue.Pending() != 0 {
			t.Errorf("%s: a heartbeat is planned for a pool that is dry", why)
		}
		wet(f, 300*model.Millisecond)
		if got := f.nextBeat(); got != "600: node 1" {
			t.Errorf("%s: heartbeat %s, want that of node 1", why, got)
		}
	}
}

// A node that reports the end of a task at once is offered its room at once, and at its next heartbeat.
func TestBeatOnEnd(t *testing.T) {
	f := newHall(Heartbeat{Interval: Interval(model.Second), OnEnd: true}, 2, 1)
	f.phases(100, 600)
	f.use = decline(policy.Here)
	f.freed(300*model.Millisecond, 0, 0)
	f.expect(t, "at once", 0)
	if got := f.nextBeat(); got != "600: node 1" {
		t.Errorf("heartbeat %s", got)
	}
}
