// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
)

// A container that does not fit the node whose turn it is may be reserved there: queue and user are charged for it as
// if it were given, and the node gives nothing else until it fits, or is given up. An application holds about as many
// reservations of a priority as it asks for containers of it, and one more each time that it has starved long enough.
// When another node has room first, the container is given there and a reservation of its priority released.

// kept is the reservations of one priority of an application.
type kept struct {
	list  []*Container // in the order in which they were made
	again int          // how often a node had no room for one of them since the last was made or given up
	table hashed       // of their nodes
}

// mayTake reports whether an application may be given, or have reserved, one more container of a priority. The
// share of a node that a container takes keeps large ones from starving fast. The quotient has 32 bits, as in the release.
func (p *pass) mayTake(k *asks, size queue.Resource) bool {
	held := len(k.kept.list)
	if held == 0 {
		return k.open() > 0
	}
	most := p.settings.MaxAlloc
	factor := min(p.tree.Ratio(size, most), p.tree.Ratio(most.Sub(p.settings.MinAlloc), most))
	return starved(k.kept.again, held, factor)+k.open()-held > 0
}

// starved returns how many reservations more an application may hold because nodes had no room for those it has.
func starved(again, held int, factor float32) int {
	return int(float32(again) / float32(held) * (1 - factor))
}

// spare returns the reservation of a priority that is released for a container elsewhere: the first that is at least so
// large, as the release goes through its table of nodes; nil if there is none.
func (p *pass) spare(k *asks, least queue.Resource) (found *Container) {
	var at uint32
	for _, c := range k.kept.list {
		if bucket := k.kept.table.bucketOf(c.Node.hash); p.tree.Fits(least, c.Size) && (found == nil || bucket < at) {
			found, at = c, bucket
		}
	}
	return found
}

// kind is what a node can do for an ask.
type kind uint8

const (
	passed   kind = iota // nothing
	given                // it has room
	reserved             // it is large enough, and has no room
)

// try decides what the node can do for the asks of an application at a place. Beyond the limits of queue and user a
// container is given only if a reservation is released for it, and none is reserved.
func (p *pass) try(a *Attempt, k *asks, at Place) kind {
	size, n := k.places.get(at).size, p.node
	p.found.release = nil
	fits := p.tree.Fits(size, n.Free())
	switch {
	case n.reserved != nil && fits:
		return given
	case !fits && (!p.settings.Reserves || !p.tree.Fits(size, n.Total)):
		return passed
	case n.reserved != nil:
		return reserved
	case a.Reserved != (queue.Resource{}) || size != p.size && !p.tree.Fits(size, p.limits.headroom): // an ask for a place may have a size of its own
		return p.tryBeside(k, size, fits)
	case fits:
		return given
	}
	return reserved
}

// tryBeside is try for an application that holds reservations on other nodes, or asks for more than its queue has left.
func (p *pass) tryBeside(k *asks, size queue.Resource, fits bool) kind {
	may, look := p.mayTake(k, size), p.settings.ContinueLook
	need := p.tree.Max(size.Sub(p.limits.headroom), p.beyond)
	must := p.tree.Some(need)
	switch {
	case fits && look && (!may || must):
		if !must {
			need = size
		}
		if p.found.release = p.spare(k, need); p.found.release == nil {
			return passed
		}
		return given
	case fits:
		return given
	case may && !(look && must):
		return reserved
	}
	return passed
}

// Reserved returns the container that the node is kept for, nil if there is none.
func (n *Node) Reserved() *Container { return n.reserved }

// Reservations returns the containers that are reserved for an attempt, in the order in which the release goes through its tables of
// priorities and, for each, of nodes.
func (a *Attempt) Reservations() (list []*Container) {
	if a.Reserved == (queue.Resource{}) {
		return nil
	}
	var table hashed
	priorities := 0
	for _, k := range a.keys {
		if len(k.kept.list) > 0 {
			list = append(list, k.kept.list...)
			priorities++
		}
	}
	if len(list) < 2 {
		return list
	}
	table.grow(priorities)
	slices.SortStableFunc(list, func(x, y *Container) int {
		if x.Priority != y.Priority {
			return cmp.Or(cmp.Compare(table.bucketOf(hashPriority(x.Priority)), table.bucketOf(hashPriority(y.Priority))), cmp.Compare(x.Priority, y.Priority))
		}
		nodes := &a.key(int(x.Priority)).kept.table
		return cmp.Compare(nodes.bucketOf(x.Node.hash), nodes.bucketOf(y.Node.hash))
	})
	return list
}

// hashPriority is the hash of a priority of asks in the release.
func hashPriority(p int32) uint32 {
	const none = 517861 * 9511 % (1 << 32)
	return 31 * 31 * (none + uint32(p))
}

// keep is the heartbeat of a reserved node: its container is given, or reserved again, or given up because nobody asks
// for it any more. Nothing else is given there.
func (g *giver) keep(n *Node) {
	c := n.reserved
	a := c.Attempt
	k := a.key(int(c.Priority))
	a.leaf.hand(g.queues.tree.Cluster) // the release hands no limit down here
	if k.open() == 0 {
		g.Unreserve(c)
		return
	}
	k.missed++
	g.pass.node, g.pass.nodes = n, len(g.nodes)
	loc, what, _ := g.pass.place(a, k)
	switch what {
	case given:
		g.fulfil(c, k, loc)
	case reserved:
		k.kept.again++
		g.dry = g.dry && g.queues.settings.ContinueLook
		g.queues.hold(a, HeldByRoom)
	}
}

// Idle reports whether a heartbeat of a reserved node would leave everything as it is: its container does not fit, waits for no
// locality any more, and starves so much already that further heartbeats add nothing.
func (g *giver) Idle(n *Node) bool {
	c, set, t := n.reserved, g.queues.settings, &g.queues.tree
	k := c.Attempt.key(int(c.Priority))
	held := len(k.kept.list)
	if k.open() == 0 || k.missed <= len(g.nodes) || starved(k.kept.again, held, t.Ratio(set.MaxAlloc.Sub(set.MinAlloc), set.MaxAlloc)) < held {
		return false
	}
	for _, at := range n.at {
		if w := k.places.get(at); w != nil && w.count > 0 && t.Fits(w.size, n.Free()) {
			return false
		}
	}
	return true
}

// reserve makes a reservation of a proposal.
func (g *giver) reserve(p *Proposal) {
	a, k := p.Attempt, p.asks
	c := g.stock.next()
	*c = Container{Attempt: a, Node: p.Node, Size: p.Size, Priority: int32(p.Priority), Locality: p.Locality, Task: noTask}
	a.number(c)
	k.kept.again = 0
	if len(k.kept.list) == 0 {
		k.kept.table = hashed{}
	}
	k.kept.list = append(k.kept.list, c)
	k.kept.table.grow(len(k.kept.list))
	p.Node.reserved = c
	a.Reserved = a.Reserved.Add(p.Size)
	g.charge(a, p.Size)
	g.queues.tree.Reserve(a.leaf.at, p.Size)
	g.queues.hold(a, HeldByRoom)
	g.listener.Reserved(c, true)
}

// release takes a reservation off its node and its application. What it was charged stays.
func (g *giver) release(c *Container) {
	a := c.Attempt
	k := a.key(int(c.Priority))
	k.kept.list = dropContainer(k.kept.list, c)
	k.kept.again = 0
	c.Node.reserved = nil
	a.Reserved = a.Reserved.Sub(c.Size)
	g.queues.tree.Reserve(a.leaf.at, c.Size.Times(-1))
}

// Unreserve gives a reservation up.
func (g *giver) Unreserve(c *Container) {
	g.dry = false
	g.release(c)
	c.Ended = true
	g.charge(c.Attempt, c.Size.Times(-1))
	g.listener.Reserved(c, false)
}

// fulfil gives a reserved container, whatever the limits of queue and user say: they are charged already. The application is charged
// for the size of its present ask, which may differ from that of the reservation.
func (g *giver) fulfil(c *Container, k *asks, loc Locality) {
	size := k.places.get(c.Node.At(loc)).size
	g.dry = false
	g.release(c)
	c.Locality = loc
	g.give(c, k, size)
}

// charge adds to what the queues and the user of an attempt use.
func (g *giver) charge(a *Attempt, size queue.Resource) {
	l := a.leaf
	g.queues.tree.Charge(l.at, size)
	l.users.charge(l.known(a), size, &g.queues.tree.Scale)
	l.active.touch(a)
}
