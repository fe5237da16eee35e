// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"slices"
)

// Child is a queue in its parent's list, with what decides its place there; that of an only one may be out of date.
// It is small because lists are long.
type Child struct {
	At             int32 // place in the tree
	priority, rank int32
	used, share    float32 // of the guarantee, or of the cluster if there is none; of the cluster
}

// Next returns the children of a queue in which something is asked for, those that come first in front. The
// slice is the tree's own and holds until something changes.
func (t *Tree) Next(at int) []Child { return t.Queues[at].next }

// arrange makes the list of a queue's waiting children anew.
func (t *Tree) arrange(parent *Queue) {
	parent.next = parent.next[:0]
	for rank, c := range parent.Children {
		q := &t.Queues[c]
		q.rank, q.waits = int32(rank), t.Some(q.Pending)
		t.put(c)
	}
}

// child returns what decides the place of a queue.
func (t *Tree) child(at int) Child {
	q := &t.Queues[at]
	c := Child{At: int32(at), priority: int32(q.Priority), rank: q.rank, share: q.AbsCapacity}
	if c.share == 0 {
		c.used = t.AbsUsed(q)
	} else {
		c.used = t.UsedCapacity(q)
	}
	return c
}

// take takes a queue out of its parent's list, put gives it its place.
func (t *Tree) take(at int) {
	if q := &t.Queues[at]; q.waits && q.Parent >= 0 {
		parent := &t.Queues[q.Parent]
		i := 0
		if len(parent.next) > 1 {
			i = t.place(parent, t.child(at))
		}
		parent.next = slices.Delete(parent.next, i, i+1)
	}
}

func (t *Tree) put(at int) {
	if q := &t.Queues[at]; q.waits && q.Parent >= 0 {
		parent := &t.Queues[q.Parent]
		if len(parent.next) == 1 {
			parent.next[0] = t.child(int(parent.next[0].At))
		}
		c := t.child(at)
		parent.next = slices.Insert(parent.next, t.place(parent, c), c)
	}
}

// place returns where a child stands, or would stand, in its parent's list.
func (t *Tree) place(parent *Queue, c Child) int { return t.search(parent, 0, len(parent.next), c) }

// search is place between two places of the list.
func (t *Tree) search(parent *Queue, low, high int, c Child) int {
	for low < high {
		mid := int(uint(low+high) / 2)
		if t.first(parent, &parent.next[mid], &c) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// move gives a child whose place was another one its place.
func (t *Tree) move(parent *Queue, was int, c Child) {
	list := parent.next
	if was+1 < len(list) && t.first(parent, &list[was+1], &c) {
		to := t.search(parent, was+1, len(list), c)
		copy(list[was:], list[was+1:to])
		list[to-1] = c
		return
	}
	to := t.search(parent, 0, was, c)
	copy(list[to+1:was+1], list[to:was])
	list[to] = c
}

// first reports whether a child stands before another.
func (t *Tree) first(parent *Queue, a, b *Child) bool {
	return cmp.Or(t.before(a, b, parent.ByPriority), cmp.Compare(a.rank, b.rank)) < 0
}

// Before orders two children of a queue for the next container: negative if a comes first, 0 if their order
// in the list decides.
func (t *Tree) Before(a, b int, byPriority bool) int {
	x, y := t.child(a), t.child(b)
	return t.before(&x, &y, byPriority)
}

// before puts queues with a guarantee before those without. Less used ones come first; with priorities, so does
// the higher priority among queues that have, or have not, used up their guarantee. Between equals that both name
// an amount of memory, the larger amount comes first, else the larger share.
func (t *Tree) before(a, b *Child, byPriority bool) int {
	if (a.share > 0) != (b.share > 0) {
		if a.share > 0 {
			return -1
		}
		return 1
	}
	order := cmp.Compare(a.used, b.used)
	if byPriority && a.priority != b.priority && (a.used < 1) == (b.used < 1) {
		order = cmp.Compare(b.priority, a.priority)
	}
	if order != 0 {
		return order
	}
	x, y := t.Queues[a.At].Capacity.amounts(), t.Queues[b.At].Capacity.amounts()
	if x != (Resource{}) && y != (Resource{}) {
		return cmp.Or(cmp.Compare(y.Memory, x.Memory), cmp.Compare(y.VCores, x.VCores))
	}
	return cmp.Compare(b.share, a.share)
}
