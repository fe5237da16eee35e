// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
)

// Request is one line of an ask: how many containers of a size and priority are wanted at a place. Counts
// are totals; they take the place of earlier ones.
type Request struct {
	Priority int
	At       Place
	Size     queue.Resource
	Count    int
	Strict   bool // containers for narrower places may not go here
}

// asks is what an application has open at one priority.
type asks struct {
	priority int
	missed   int   // opportunities since the last local container
	places   wants // Any too, while it is open
	strict   bool  // some place was asked for strictly, now or before
	kept     kept
}

func (k *asks) open() int {
	return k.count(Any)
}

func (k *asks) count(p Place) int {
	if w := k.places.get(p); w != nil {
		return w.count
	}
	return 0
}

// relaxed reports whether containers that narrower places could not get may go to a place.
func (k *asks) relaxed(p Place) bool {
	w := k.places.get(p)
	return w == nil || !w.strict
}

// take lowers the count at a place; at 0 the place is closed.
func (k *asks) take(p Place) {
	w := k.places.get(p)
	if w == nil {
		return
	}
	w.count--
	if w.count == 0 {
		k.places.remove(p)
	}
}

// put sets what is wanted at a place.
func (k *asks) put(r Request) {
	k.places.put(want{r.At, r.Strict, r.Count, r.Size})
	k.strict = k.strict || r.Strict
}

// key returns the asks of a priority, which come to be if they are not there.
func (a *Attempt) key(priority int) *asks {
	at, found := slices.BinarySearchFunc(a.keys, priority, func(k *asks, p int) int { return cmp.Compare(k.priority, p) })
	if !found {
		a.keys = slices.Insert(a.keys, at, &asks{priority: priority})
	}
	return a.keys[at]
}

// ask takes over new counts and reports whether those of any node changed. The requests of one priority come
// into force together.
func (a *Attempt) ask(requests []Request) bool {
	changed := false
	for i, r := range requests {
		if i > 0 && requests[i-1].Priority == r.Priority {
			continue
		}
		if !slices.ContainsFunc(requests[:i], func(o Request) bool { return o.Priority == r.Priority }) {
			changed = a.askKey(a.key(r.Priority), requests[i:]) || changed
		}
	}
	return changed
}

// askKey takes over the requests of one priority. If they end what is asked for anywhere, nothing of the
// priority is left.
func (a *Attempt) askKey(k *asks, requests []Request) bool {
	var before, now queue.Resource
	was, changed := k.open(), false
	if was > 0 {
		before = k.places.get(Any).size.Times(int64(was))
	}
	for _, r := range requests {
		if r.Priority == k.priority {
			k.put(r)
			changed = changed || r.At == Any
		}
	}
	if !changed {
		return false
	}
	if w := k.places.get(Any); w.count > 0 {
		now = w.size.Times(int64(w.count))
		if was <= 0 {
			a.openKeys++
			a.leaf.users.asks(a)
			if a.activated {
				a.leaf.queues.hold(a, NotHeld)
			}
		}
	} else {
		k.places.clear()
		if was > 0 {
			a.close()
		}
	}
	a.await(now.Sub(before))
	return true
}

// close notes that a priority has no open ask any more.
func (a *Attempt) close() {
	a.openKeys--
	if a.openKeys == 0 {
		a.leaf.users.silent(a)
	}
}

func (a *Attempt) await(r queue.Resource) {
	a.Pending = a.Pending.Add(r)
	a.leaf.queues.tree.Await(a.leaf.at, r)
}

// serve takes a container off the asks.
func (a *Attempt) serve(k *asks, n *Node, loc Locality) {
	size := k.places.get(Any).size
	if loc == NodeLocal {
		k.take(n.At(NodeLocal))
	}
	if loc != OffSwitch {
		k.take(n.At(RackLocal))
	}
	k.take(Any)
	if k.open() == 0 {
		a.close()
	}
	a.await(size.Times(-1))
}

// remember notes which asks a container is taken off.
func (c *Container) remember(k *asks) {
	if !k.strict {
		return
	}
	for i, place := range c.Node.at {
		c.strict[i] = !k.relaxed(place)
	}
}

// again asks for the container once more, where it was asked for.
func (c *Container) again() {
	priority := int(c.Priority)
	k := c.Attempt.key(priority)
	var requests []Request
	for i, place := range c.Node.at {
		if i >= int(c.Locality) {
			requests = append(requests, Request{priority, place, c.Size, k.count(place) + 1, c.strict[i]})
		}
	}
	c.Attempt.ask(requests)
}
