// SPDX-License-Identifier: Apache-2.0

package capacity

import "github.com/yardmaster/yardmaster/queue"

// Proposal is a container that a pass found.
type Proposal struct {
	Attempt  *Attempt
	Node     *Node
	Priority int
	Size     queue.Resource
	Locality Locality
	Reserve  bool // it has no room yet, and is to be reserved

	asks    *asks      // that it serves
	release *Container // a reservation that is given up for it
}

// pass looks for one container on a node, from the root down. It belongs to a scheduler, which uses it again
// and again.
type pass struct {
	*queues
	nodes int // of the cluster
	node  *Node
	found Proposal
	// general says that nothing depended on the node: no ask came so far as to be held against it.
	general bool
	limits  *limits        // of the leaf that is looked at
	size    queue.Resource // of the ask for any place that is looked at, which its queue has room for
	beyond  queue.Resource // how far the user that is looked at is past its limit, being within it without the application's reservations

	levels []limits // by depth, of the queues between the root and the one that is looked at
}

// limits go down the tree with a pass.
type limits struct {
	room     queue.Resource // what the queue may use at most
	blocked  queue.Resource // of it, room that children wait for in vain
	headroom queue.Resource // what the queue has left
}

// outcome is how a queue or an application answers a pass.
type outcome uint8

const (
	nothing  outcome = iota // no container, and nobody waits for room
	proposed                // a container
	blocked                 // an ask is larger than what its queue has left
	skipped                 // the application has nothing for this node, the next may have
)

// run looks for a container and reports whether there is one.
func (p *pass) run(n *Node, nodes int) bool {
	p.node, p.nodes, p.general = n, nodes, false
	if !p.tree.Fits(p.settings.MinAlloc, n.Free()) { // full nodes are never reserved
		return false
	}
	for len(p.levels) < p.depth {
		p.levels = append(p.levels, limits{})
	}
	p.general = true
	p.levels[0] = limits{room: p.tree.Cluster}
	return p.queue(0, 0) == proposed
}

// open reports whether a queue may use more, perhaps when some of what is reserved is given up, and notes what it has left.
func (p *pass) open(q *queue.Queue, lim *limits, reserved queue.Resource) bool {
	most := p.tree.Min(q.Max, lim.room)
	lim.headroom = most.Sub(q.Used)
	return p.tree.Less(q.Used, most) || p.settings.ContinueLook && p.tree.Some(reserved) && p.tree.Less(q.Used.Sub(reserved), most)
}

// queue looks below a queue, whose limits stand at its depth.
func (p *pass) queue(at, depth int) outcome {
	lim := &p.levels[depth]
	if l := p.leaves[at]; l != nil {
		return p.leaf(l, lim)
	}
	q := &p.tree.Queues[at]
	if !p.tree.Some(q.Pending) {
		return nothing
	}
	if !p.open(q, lim, q.Reserved) {
		p.shut(at)
		return nothing
	}
	result := nothing
	next := p.tree.Next(at)
	for i := range next {
		c := int(next[i].At)
		child := &p.tree.Queues[c]
		handed := &p.levels[depth+1]
		*handed = limits{room: p.tree.Room(q, child, lim.room, lim.blocked)}
		switch p.queue(c, depth+1) {
		case proposed:
			return proposed
		case blocked:
			result = blocked
			waits := handed.blocked
			if p.leaves[c] != nil {
				waits = handed.headroom
			}
			lim.blocked = lim.blocked.Add(p.tree.Max(waits, queue.Resource{}))
		}
	}
	return result
}

// leaf looks through the applications of a leaf. A user past its limit is passed over; an application that
// cannot use this node lets the next try.
func (p *pass) leaf(l *leaf, lim *limits) outcome {
	q := l.queue()
	l.hand(lim.room)
	l.active.settle()
	p.limits = lim
	open := false // to any application
	for _, a := range l.active.list {
		if !open {
			if !p.open(q, lim, a.Reserved) {
				p.shut(l.at)
				return nothing
			}
			open = !p.settings.ContinueLook || a.Reserved == (queue.Resource{})
		}
		u := l.owner(a)
		if u == nil {
			l.users.refuseUnknown(a.User, a.Reserved)
			continue
		}
		limit := l.lookAs(a, u)
		if l.users.refuses(u, a.Reserved) {
			p.refuse(a)
			continue
		}
		if !p.within(a, u, limit) {
			l.users.refuse(u, a.Reserved)
			p.refuse(a)
			continue
		}
		if a.openKeys == 0 {
			continue
		}
		if result := p.choose(a, lim); result != skipped {
			return result
		}
	}
	return nothing
}

// within reports whether a user is within its limit, perhaps when reservations of the application are given up.
func (p *pass) within(a *Attempt, u *user, limit queue.Resource) bool {
	p.beyond = queue.Resource{}
	if !p.tree.Less(limit, u.used) {
		return true
	}
	if !p.settings.ContinueLook || p.tree.Less(limit, u.used.Sub(a.Reserved)) {
		return false
	}
	p.beyond = u.used.Sub(limit)
	return true
}

// refuse notes that the user limit holds an application back.
func (p *pass) refuse(a *Attempt) {
	if a.openKeys > 0 {
		p.hold(a, HeldByUser)
	}
}

// choose looks for a container of an application: its asks by priority.
func (p *pass) choose(a *Attempt, lim *limits) outcome {
	if !p.tree.Some(a.Pending) {
		return skipped
	}
	for _, k := range a.keys {
		w := k.places.get(Any)
		if w == nil || w.count <= 0 {
			continue
		}
		size, room := w.size, lim.headroom
		if p.settings.ContinueLook {
			room = room.Add(a.Reserved)
		} else if !p.mayTake(k, size) {
			continue
		}
		if !p.tree.Fits(size, room) {
			p.hold(a, p.closedBy(a.leaf.at, size))
			return blocked
		}
		p.general, p.size = false, size
		k.missed++
		loc, what, far := p.place(a, k)
		switch {
		case what != passed:
			if loc == NodeLocal || loc == RackLocal && p.settings.RackFullReset {
				k.missed = 0
			}
			p.found = Proposal{a, p.node, k.priority, k.places.get(p.node.At(loc)).size, loc, what == reserved, k, p.found.release}
			return proposed
		case !far:
			if p.tree.Fits(size, p.node.Free()) {
				p.hold(a, HeldByLocality)
			} else {
				p.hold(a, HeldByRoom)
			}
			return skipped
		}
		k.missed--
	}
	return skipped
}

// place decides how near to the places that are asked for the node is, and what it can do for the ask there. far says that
// this priority may not go so far; otherwise it waits for a better node if nothing can be done, and the application with it.
func (p *pass) place(a *Attempt, k *asks) (loc Locality, what kind, far bool) {
	n := p.node
	host, rack := n.At(NodeLocal), n.At(RackLocal)
	onRack := k.count(rack)
	if onRack > 0 && k.count(host) > 0 {
		if what = p.try(a, k, host); what != passed {
			return NodeLocal, what, false
		}
	}
	if onRack > 0 {
		if !k.relaxed(rack) {
			return 0, passed, true
		}
		if k.missed > min(p.nodes, p.settings.NodeDelay) {
			if what = p.try(a, k, rack); what != passed {
				return RackLocal, what, false
			}
		}
	}
	if !k.relaxed(Any) {
		return 0, passed, true
	}
	if n.reserved != nil || p.waited(k) {
		return OffSwitch, p.try(a, k, Any), false
	}
	return 0, passed, false
}

// waited reports whether asks have waited long enough for a better node. The comparison has 32 bits, as in
// the release.
func (p *pass) waited(k *asks) bool {
	if len(k.places.list) == 1 {
		return true
	}
	if p.settings.RackDelay > -1 {
		return k.missed > min(p.nodes, p.settings.NodeDelay+p.settings.RackDelay)
	}
	factor := min(float32(len(k.places.list)-1)/float32(p.nodes), 1)
	return min(float32(p.nodes), float32(k.open())*factor) < float32(k.missed)
}
