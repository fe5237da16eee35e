// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"testing"

	"github.com/yardmaster/yardmaster/queue"
)

const oneQueue = "root.queues=a root.a.capacity=100 root.a.user-limit-factor=10 maximum-am-resource-percent=1 per-node-heartbeat.maximum-offswitch-assignments=10 "

// held is what a queue uses, and how much of it is reserved, in GB.
func (g *stage) held(path string) [2]int64 {
	q := &g.s.queues.tree.Queues[g.s.queues.byPath[path]]
	return [2]int64{q.Used.Memory / gb, q.Reserved.Memory / gb}
}

// end ends containers of an attempt, the oldest but the master first.
func (g *stage) end(a *Attempt, count int) {
	g.s.Take(a)
	for c := range a.Live() {
		if count > 0 && !c.Master {
			g.s.End(c)
			count--
		}
	}
}

// filled is a stage on which the first node has given the master and five of the many containers that an application asks for,
// and has 2 of its 8 GB left; and a second application whose master runs on the last node.
func filled(t *testing.T, settings string, nodes ...int64) (g *stage, first, second *Attempt) {
	g = newStage(t, oneQueue+settings, nodes...)
	last := len(nodes) - 1
	first = g.submit("root.a", "u", 1, true)
	g.beat(0)
	g.ask(first, 1, 5)
	g.beat(0)
	second = g.submit("root.a", "v", 1, true)
	g.beat(last)
	return g, first, second
}

// TestReserve: what does not fit is reserved, counts as used, and keeps the node for itself until it fits. It keeps its number.
func TestReserve(t *testing.T) {
	g, first, second := filled(t, "", 8, 8)
	g.ask(second, 4, 1)
	g.beat()
	expect(t, "used and reserved", g.held("root.a"), [2]int64{11, 4})
	expect(t, "reserved by the second", second.Reserved.Memory, 4*gb)
	g.ask(first, 1, 1)
	g.beat()
	expect(t, "given to the first while 1 GB is free", first.Used.Memory, 6*gb)
	g.end(first, 1)
	g.beat()
	expect(t, "3 GB are free: used and reserved", g.held("root.a"), [2]int64{10, 4})
	g.end(first, 1)
	g.beat()
	expect(t, "4 GB are free: used and reserved", g.held("root.a"), [2]int64{9, 0})
	expect(t, "the second has its container, of the number", second.Container(2) != nil, true)
	expect(t, "and the node is free for others", g.nodes[0].Reserved() == nil, true)
}

// TestNothingToReserve: a node without room for the smallest container is passed over, and so is an ask beyond what the queue has left.
func TestNothingToReserve(t *testing.T) {
	g, first, second := filled(t, "", 8, 8)
	g.ask(first, 1, 2)
	g.beat()
	g.ask(second, 4, 1)
	g.beat()
	expect(t, "the node is full: used and reserved", g.held("root.a"), [2]int64{9, 0})
	g, _, second = filled(t, "", 8)
	g.ask(second, 4, 1)
	g.beat()
	expect(t, "1 of 8 GB is left: used and reserved", g.held("root.a"), [2]int64{7, 0})
}

// TestReservationMoves: where another node has room, the container is given there and the reservation released.
func TestReservationMoves(t *testing.T) {
	g, _, second := filled(t, "", 8, 8)
	g.ask(second, 4, 1)
	g.beat(0)
	expect(t, "on the first node: used and reserved", g.held("root.a"), [2]int64{11, 4})
	g.beat(1)
	expect(t, "on the second: used and reserved", g.held("root.a"), [2]int64{11, 0})
	expect(t, "the number of the reservation is spent", second.Container(3) != nil && second.Container(2) == nil, true)
}

// TestReservationStays: with reservations-continue-look-all-nodes=false nothing is given elsewhere until the application has
// starved: of 4 GB asked for and at most 8, after as many heartbeats n that n * (1 - 4/8) is at least 1.
func TestReservationStays(t *testing.T) {
	g, _, second := filled(t, "reservations-continue-look-all-nodes=false", 8, 8)
	g.ask(second, 4, 1)
	g.beat(0, 0, 1)
	expect(t, "starved once: given on the second node", second.Used.Memory, 1*gb)
	g.beat(0, 1)
	expect(t, "starved twice: given on the second node", second.Used.Memory, 5*gb)
	expect(t, "nobody asks any more: the reservation is still there", g.held("root.a"), [2]int64{15, 4})
	g.beat(0)
	expect(t, "and goes with the node's next heartbeat", g.held("root.a"), [2]int64{11, 0})
}

// TestReservationsEnd: they go with their attempt, and when asks are taken back.
func TestReservationsEnd(t *testing.T) {
	g, _, second := filled(t, "", 8, 8)
	g.ask(second, 4, 1)
	g.beat()
	expect(t, "reserved: used and reserved", g.held("root.a"), [2]int64{11, 4})
	g.ask(second, 4, 0)
	g.beat()
	expect(t, "taken back: used and reserved", g.held("root.a"), [2]int64{7, 0})
	g.ask(second, 4, 1)
	g.beat()
	g.finish(second)
	expect(t, "ended: used and reserved", g.held("root.a"), [2]int64{6, 0})
	expect(t, "the node is free", g.nodes[0].Reserved() == nil, true)
}

// TestReservedMasters: a master that was reserved on a node and given on another is a master though it is not the first by number.
func TestReservedMasters(t *testing.T) {
	g := newStage(t, oneQueue, 8, 8)
	g.submit("root.a", "u", 6, true)
	g.beat(0)
	a := g.submit("root.a", "v", 4, true)
	g.beat(0, 1)
	c := a.MasterContainer()
	expect(t, "its number", c.Number, 2)
	expect(t, "its node", c.Node, g.nodes[1])
	expect(t, "its room", a.Used, queue.Resource{Memory: 4 * gb, VCores: 1})
}

// TestHeldByReservations: a queue without a maximum that uses all of the cluster with what is reserved waits for room.
func TestHeldByReservations(t *testing.T) {
	g, _, second := filled(t, "", 8, 8)
	g.s.OnHold(func(*Attempt) {})
	g.ask(second, 8, 1)
	g.beat(0)
	third := g.submit("root.a", "w", 1, true)
	g.beat(1)
	g.ask(third, 1, 1)
	g.beat(1)
	expect(t, "used and reserved", g.held("root.a"), [2]int64{16, 8})
	expect(t, "what holds the third", third.Hold(), HeldByRoom)
}
