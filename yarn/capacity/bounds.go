// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"container/heap"
	"math"
	"slices"
)

// bounds keeps the applications that run within max-parallel-apps of queues and users. The others are held:
// they have their place in the leaf, but do not wait for a master.
type bounds struct {
	queues  *queues
	running map[string]int // by user
	below   map[string]int // by path of a parent: applications below it that run
	held    map[string][]*Attempt
}

func (b *bounds) userMost(user string) int {
	if n, ok := b.queues.settings.UserParallels[user]; ok {
		return n
	}
	return b.queues.settings.UserParallel
}

// left returns how many more applications of a queue may run.
func (b *bounds) left(at int) int {
	most := b.queues.settings.Queues[at].Parallel
	if most == math.MaxInt32 {
		return most
	}
	if l := b.queues.leaves[at]; l != nil {
		return most - len(l.waiting.list) - len(l.active.list)
	}
	return most - b.below[b.queues.tree.Queues[at].Path]
}

// count adds to the applications that run, of a user and below every parent of a leaf.
func (b *bounds) count(a *Attempt, n int) {
	b.running[a.User] += n
	for i := a.leaf.queue().Parent; i >= 0; i = b.queues.tree.Queues[i].Parent {
		b.below[b.queues.tree.Queues[i].Path] += n
	}
}

// admits reports whether an application may run.
func (b *bounds) admits(a *Attempt) bool {
	if b.running[a.User] >= b.userMost(a.User) {
		return false
	}
	for i := a.leaf.at; i >= 0; i = b.queues.tree.Queues[i].Parent {
		if b.left(i) <= 0 {
			return false
		}
	}
	return true
}

func (b *bounds) track(a *Attempt) {
	if a.runnable {
		b.count(a, 1)
	} else {
		b.held[a.User] = append(b.held[a.User], a)
	}
}

func (b *bounds) untrack(a *Attempt) {
	if a.runnable {
		b.count(a, -1)
	} else {
		b.drop(a)
	}
}

func (b *bounds) drop(a *Attempt) {
	b.held[a.User] = slices.DeleteFunc(b.held[a.User], func(o *Attempt) bool { return o == a })
}

// freed lets held applications run after one has left. Only queues that were full before can have room now:
// the highest of them is looked through, and the user if it was full. No more start than lists were looked at.
func (b *bounds) freed(a *Attempt) {
	highest := -1
	for i := a.leaf.at; i >= 0; i = b.queues.tree.Queues[i].Parent {
		if b.left(i) == 1 {
			highest = i
		}
	}
	var lists [][]*Attempt
	if highest >= 0 {
		lists = b.gather(highest, lists)
	}
	if b.running[a.User] == b.userMost(a.User)-1 {
		lists = append(lists, slices.Clone(b.held[a.User]))
	}
	b.release(lists, len(lists))
}

// refreshed lets held applications run after the settings have changed.
func (b *bounds) refreshed() { b.release(b.gather(0, nil), math.MaxInt) }

// gather collects the held applications of the leaves below a queue that have room.
func (b *bounds) gather(at int, lists [][]*Attempt) [][]*Attempt {
	if b.left(at) <= 0 {
		return lists
	}
	if l := b.queues.leaves[at]; l != nil {
		return append(lists, slices.Clone(l.held))
	}
	for _, c := range b.queues.tree.Queues[at].Children {
		lists = b.gather(c, lists)
	}
	return lists
}

// release lets up to most of the applications run, in order of submission. One that stands in two lists may be
// looked at twice, and then counts as held from now on although it runs: so it is in the release.
func (b *bounds) release(lists [][]*Attempt, most int) {
	heads := make(heads, 0, len(lists))
	for _, list := range lists {
		heap.Push(&heads, list)
	}
	var last *Attempt
	for most > 0 && len(heads) > 0 && len(heads[0]) > 0 {
		list := heap.Pop(&heads).([]*Attempt)
		heap.Push(&heads, list[1:])
		a := list[0]
		if a == last {
			continue
		}
		last = a
		a.runnable = b.admits(a)
		l := a.leaf
		if at := slices.Index(l.held, a); at >= 0 && a.runnable {
			l.held = slices.Delete(l.held, at, at+1)
			b.drop(a)
			b.track(a)
			l.submit(a)
			most--
		}
	}
}

// heads is lists by the start of their first application, empty ones last.
type heads [][]*Attempt

func (h heads) Len() int      { return len(h) }
func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)   { *h = append(*h, x.([]*Attempt)) }

func (h heads) Less(i, j int) bool {
	if len(h[i]) == 0 || len(h[j]) == 0 {
		return len(h[i]) > 0 && len(h[j]) == 0
	}
	return h[i][0].start < h[j][0].start
}

func (h *heads) Pop() any {
	last := len(*h) - 1
	list := (*h)[last]
	*h = (*h)[:last]
	return list
}
