// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// hall is a floor with nobody but it: what is offered is taken by a test, which says what it has seen.
type hall struct {
	*floor
	seen []model.NodeID // nodes that were offered, in order
	// use decides about an offer; by default one unit is taken for as long as wanted.
	use func() (bool, policy.Scope)
}

// newHall returns a floor of plain containers, as many on each node as given, that somebody wants.
func newHall(h Heartbeat, nodes int, containers int32) *hall {
	topology := &model.Topology{Model: model.Containers, Racks: 1, Hosts: nodes, Nodes: make([]model.Node, nodes),
		Classes: []model.NodeClass{{Room: model.Room{containers, 0}, Speed: 1}}}
	w := &world{in: &Input{Topology: topology, Config: Config{Heartbeat: h}, Seed: 1}, model: topology.Model, shared: topology.Model != model.Slots, state: cluster.New(topology), driver: &policy.Driver{}}
	f := &hall{floor: newFloor(w)}
	f.use = f.take
	f.serve = func(model.Time) (bool, policy.Scope) {
		f.seen = append(f.seen, f.offer.Node)
		return f.use()
	}
	f.lower(0, model.Room{1, 0})
	f.want(0, true)
	return f
}

// take uses one container of the offer.
func (f *hall) take() (bool, policy.Scope) {
	f.state.Hold(f.offer.Node, model.Room{1, 0})
	f.offer.Beat.Tasks[model.Map]++
	f.result.Started++
	return true, 0
}

// decline returns a use that leaves the room free.
func decline(scope policy.Scope) func() (bool, policy.Scope) {
	return func() (bool, policy.Scope) { return false, scope }
}

// phases sets when nodes send their heartbeats, in milliseconds of each second; node i stands at position i.
func (f *hall) phases(ms ...model.Time) {
	for i, v := range ms {
		f.ring.Nodes[i], f.ring.At[i], f.ring.Phase[i] = model.NodeID(i), int32(i), v*model.Millisecond
	}
	for i := range f.ring.Nodes {
		f.markAll(model.NodeID(i))
	}
}

// nextBeat lets the next heartbeat come, and returns its time in milliseconds and its node.
func (f *hall) nextBeat() string {
	now, e, ok := f.queue.Pop()
	if !ok || e.kind != beat {
		return "none"
	}
	text := fmt.Sprintf("%d: node %d", now/model.Millisecond, f.ring.Nodes[f.beats.pos])
	f.beat(now)
	return text
}

func (f *hall) expect(t *testing.T, why string, want ...model.NodeID) {
	t.Helper()
	if !slices.Equal(f.seen, want) {
		t.Errorf("%s: offered nodes %v, want %v", why, f.seen, want)
	}
	f.seen = nil
}

var secondly = Heartbeat{Interval: Interval(model.Second)}

// A node has room of a pool if the smallest task known so far fits; jobs that have not come do not count.
func TestFree(t *testing.T) {
	topology := &model.Topology{Model: model.Slots, Racks: 1, Hosts: 3, Classes: []model.NodeClass{{Room: model.Room{2, 0}}, {Room: model.Room{4, 1}}},
		Nodes: []model.Node{{Class: 0}, {Class: 1}, {Class: 1}}}
	w := &world{in: &Input{Topology: topology}, state: cluster.New(topology)}
	f := newFloor(w)
	free := func() (counts [model.Kinds]int) { return [model.Kinds]int{f.free[0].Len(), f.free[1].Len()} }
	for _, c := range []struct {
		why  string
		do   func()
		want [model.Kinds]int
	}{
		{"nobody needs anything", func() {}, [model.Kinds]int{0, 0}},
		{"maps of 3 slots fit two nodes", func() {
			f.expect(&cluster.Job{Total: [model.Kinds]int32{1, 0}, Need: [model.Kinds]model.Room{{3, 0}, {0, 1}}})
		}, [model.Kinds]int{2, 0}},
		{"reduces fit two nodes, maps of 1 slot all", func() {
			f.expect(&cluster.Job{Total: [model.Kinds]int32{1, 1}, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}})
		}, [model.Kinds]int{3, 2}},
		{"larger ones change nothing", func() {
			f.expect(&cluster.Job{Total: [model.Kinds]int32{1, 1}, Need: [model.Kinds]model.Room{{4, 0}, {0, 1}}})
		}, [model.Kinds]int{3, 2}},
		{"node 0 is full", func() { w.state.Hold(0, model.Room{2, 0}); f.markAll(0) }, [model.Kinds]int{2, 2}},
		{"node 1 is lost", func() { w.state.Lose(1); f.markAll(1) }, [model.Kinds]int{1, 1}},
		{"node 1 returns", func() { w.state.Return(1); f.markAll(1) }, [model.Kinds]int{2, 2}},
	} {
		if c.do(); free() != c.want {
			t.Errorf("%s: %v nodes have room, want %v", c.why, free(), c.want)
		}
	}
}

// On idle free nodes are offered round the ring, from where the last task started; a refusal here goes on to
// the next node, one everywhere ends the round.
func TestWakeGoesRoundTheRing(t *testing.T) {
	f := newHall(Heartbeat{}, 4, 2)
	f.phases(0, 1, 2, 3) // node i at position i
	left := 3
	f.use = func() (bool, policy.Scope) {
		if left--; left == 0 {
			f.want(0, false)
		}
		return f.take()
	}
	f.wakeAll(0)
	f.expect(t, "three tasks: two on node 0, one on node 1", 0, 0, 1)
	if f.offer.Beat != (policy.Beat{Sequence: 2, Tasks: [model.Kinds]int32{1, 0}}) {
		t.Errorf("the beat of node 1 is %+v", f.offer.Beat)
	}
	f.want(0, true)
	f.use = decline(policy.Here)
	f.wakeAll(0)
	f.expect(t, "from behind node 1 round to it, node 0 is full", 2, 3, 1)
	f.use = decline(policy.Everywhere)
	f.wakeAll(0)
	f.expect(t, "no node would get anything", 2)
	f.want(0, false)
	f.wakeAll(0)
	f.expect(t, "nobody wants room")
}

// Room that comes free is offered on its node alone, unless a limit may have been lifted with it.
func TestFreedOnIdle(t *testing.T) {
	f := newHall(Heartbeat{}, 3, 1)
	f.phases(0, 1, 2)
	f.use = decline(policy.Here)
	f.freed(0, 1, 0)
	f.expect(t, "the node itself", 1)
	f.limited = true
	f.freed(0, 1, 0)
	f.expect(t, "the node, then all", 1, 0, 1, 2)
	if f.limited {
		t.Error("the limit is remembered though all were asked")
	}
	f.capped[1] = true
	f.freed(0, 1, 0)
	f.expect(t, "the node alone: what ends in one pool lifts no limit on another", 1)
	f.capped[0] = true
	f.freed(0, 1, 0)
	f.expect(t, "the node, then all", 1, 0, 1, 2)
	if f.capped != [model.Kinds]bool{false, true} {
		t.Errorf("limits by pool are %t afterwards", f.capped)
	}
	f.jobLeft()
	f.freed(0, 1, 0)
	f.expect(t, "with a job, limits on any pool may go", 1, 0, 1, 2)
	f.limited = true
	f.use = decline(policy.Everywhere)
	f.askAgain(0, 9)
	f.freed(0, 1, 0)
	f.expect(t, "the node alone: a policy that will be asked again keeps room free on all", 1)
	if !f.limited {
		t.Error("the limit is forgotten though it still holds")
	}
}

// A policy that has been given enough is not asked about what is left on the node, nor on others, before its time comes.
func TestEnough(t *testing.T) {
	f := newHall(Heartbeat{}, 2, 3)
	f.phases(0, 1)
	f.use = func() (bool, policy.Scope) {
		f.offer.Enough(9)
		return f.take()
	}
	f.wakeAll(1)
	f.expect(t, "one task, and no more", 0)
	if at, _, _ := f.queue.Pop(); at != 9 || f.askAt != 9 {
		t.Errorf("the policy is asked again at %v, %v", at, f.askAt)
	}
	f.use = f.take
	f.wakeAll(9)
	f.expect(t, "that it was enough is forgotten", 1, 1, 1, 0, 0)
}

// The earliest time at which a policy wants to be asked again counts; one that is not after now means nothing.
func TestAskAgain(t *testing.T) {
	f := newHall(Heartbeat{}, 1, 1)
	for _, c := range []struct{ again, want model.Time }{{0, model.Forever}, {5, model.Forever}, {30, 30}, {40, 30}, {20, 20}, {20, 20}} {
		if f.askAgain(5, c.again); f.askAt != c.want {
			t.Errorf("asked for %d: planned at %v, want %v", c.again, f.askAt, c.want)
		}
	}
	if now, e, _ := f.queue.Pop(); now != 20 || e.kind != ask || f.queue.Pending() != 0 {
		t.Errorf("event %d at %d, %d others", e.kind, now, f.queue.Pending())
	}
}

// corner puts the blocks of maps on nodes 2 and 1.
type corner struct{}

func (corner) Place(_ hdfs.Block, nodes []model.NodeID, _ *uint64) { copy(nodes, []model.NodeID{2, 1}) }

// without allows all nodes but one.
type without model.NodeID

func (w without) Allows(_ *cluster.Job, n model.NodeID) bool { return n != model.NodeID(w) }

// On idle a new job's blocks are offered first on the nodes that hold them, one task for each block: the first
// on node 2, the second there as well if it has room, else on node 1. A node that the job may not use is offered once.
func TestOfferNear(t *testing.T) {
	for _, c := range []struct {
		containers int32
		apart      policy.Partitioner
		want       []model.NodeID
	}{{1, nil, []model.NodeID{2, 1}}, {2, nil, []model.NodeID{2, 2, 1}}, {5, nil, []model.NodeID{2, 2, 2}}, {5, without(2), []model.NodeID{2, 1, 1, 1}}} {
		f := newHall(Heartbeat{}, 4, c.containers)
		f.driver.Partitioner = c.apart
		f.in.Replication, f.blocks = 2, hdfs.NewStore(f.in.Topology, 2, corner{}, 1)
		j := f.state.AddJob(0, &model.Job{Maps: 3, Input: 3, Need: [model.Kinds]model.Room{{1, 0}}})
		j.Admit()
		f.use = func() (bool, policy.Scope) {
			if c.apart != nil && !c.apart.Allows(j, f.offer.Node) {
				return false, policy.Here
			}
			_, err := f.state.Start(model.Task{Job: j.ID, Index: j.First(model.Map)}, f.offer.Node)
			return err == nil, policy.Here
		}
		f.offerNear(0, j)
		f.floor.offerNear(0, &cluster.Job{Total: [model.Kinds]int32{1, 0}}) // reads nothing
		f.expect(t, fmt.Sprintf("%d containers on each node", c.containers), c.want...)
	}
}
