// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
)

// giver gives room on nodes to attempts, and takes it back. It belongs to a scheduler.
type giver struct {
	stock
	queues   queues
	pass     pass
	nodes    []*Node
	listener Listener

	// dry says that the last pass found nothing, whatever the node, and that nothing has changed since. Another would
	// find nothing either, and would leave everything as it is.
	dry bool
}

// Heartbeat gives containers on a node, until nothing fits or the heartbeat's bounds are reached.
func (g *giver) Heartbeat(n *Node) {
	set := g.queues.settings
	assigned, offSwitch := 0, 0
	for {
		if n.reserved != nil {
			g.keep(n)
			return
		}
		if g.dry || !g.pass.run(n, len(g.nodes)) {
			break
		}
		g.commit(&g.pass.found)
		if g.pass.found.Reserve {
			return
		}
		assigned++
		if g.pass.found.Locality == OffSwitch {
			offSwitch++
		}
		if offSwitch >= set.OffSwitch || !set.Multiple || set.MaxAssign != -1 && assigned >= set.MaxAssign {
			return
		}
	}
	g.dry = g.dry || g.pass.general
}

// Dry reports whether no heartbeat gives anything before something changes.
func (g *giver) Dry() bool { return g.dry }

// commit checks a proposal once more and makes it a container or a reservation.
func (g *giver) commit(p *Proposal) {
	a := p.Attempt
	if !g.accepts(p) {
		g.listener.Refused(*p)
		return
	}
	if p.Reserve {
		g.reserve(p)
		return
	}
	if p.release != nil {
		g.Unreserve(p.release)
	}
	c := g.stock.next()
	*c = Container{Attempt: a, Node: p.Node, Size: p.Size, Priority: int32(p.Priority), Locality: p.Locality, Task: noTask}
	a.number(c)
	g.charge(a, p.Size)
	g.give(c, p.asks, p.Size)
}

// accepts reports whether a proposal keeps to the limits of its user and its queues, with what is released for it.
func (g *giver) accepts(p *Proposal) bool {
	l, more := p.Attempt.leaf, p.Size
	if p.release != nil {
		more = more.Sub(p.release.Size)
		u := l.owner(p.Attempt)
		if g.queues.tree.Less(l.lookAs(p.Attempt, u), u.used.Sub(p.release.Size)) {
			return false
		}
	}
	return g.queues.within(l.at, more) // without a release its user is within the limit, since nothing has changed
}

// noTask is the task of a container while it has none.
var noTask = model.Task{Job: model.None}

// give lets an application have a container, whose room its queues and its user are charged for already, at the size
// that it asks for.
func (g *giver) give(c *Container, k *asks, size queue.Resource) {
	a := c.Attempt
	c.Master = !a.given
	a.given = true
	a.live++
	a.most = max(a.most, a.live)
	a.containers[c.Number-1] = c
	a.fresh = append(a.fresh, c)
	c.remember(k)
	a.Used = a.Used.Add(size)
	a.serve(k, c.Node, c.Locality)
	c.Node.Used = c.Node.Used.Add(c.Size)
	c.Node.Containers = append(c.Node.Containers, c)
	g.queues.hold(a, NotHeld)
	g.listener.Started(c)
}

// End frees the room of a container. If its master has not heard of it, it is asked for again.
func (g *giver) End(c *Container) {
	g.dry = false
	a := c.Attempt
	c.Ended = true
	a.containers[c.Number-1] = nil
	a.live--
	a.Used = a.Used.Sub(c.Size)
	c.Node.Used = c.Node.Used.Sub(c.Size)
	c.Node.Containers = dropContainer(c.Node.Containers, c)
	g.charge(a, c.Size.Times(-1))
	if !c.Taken {
		c.again()
	}
}
