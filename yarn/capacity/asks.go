// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
)

// Any is the place of a request that any node serves.
const Any = "*"

// Request is one line of an ask: how many containers of a size and priority are wanted at a place. Counts
// are totals; they take the place of earlier ones.
type Request struct {
	Priority int
	At       string // a host, a rack or Any
	Size     queue.Resource
	Count    int
	Strict   bool // containers for narrower places may not go here
}

// want is what is open at one place.
type want struct {
	size   queue.Resource
	count  int
	strict bool
}

// asks is what an application has open at one priority.
type asks struct {
	priority int
	missed   int              // opportunities since the last local container
	places   map[string]*want // Any too, while it is open
}

func (k *asks) open() int {
	if w := k.places[Any]; w != nil {
		return w.count
	}
	return 0
}

func (k *asks) count(place string) int {
	if w := k.places[place]; w != nil {
		return w.count
	}
	return 0
}

// relaxed reports whether containers that narrower places could not get may go to a place.
func (k *asks) relaxed(place string) bool {
	w := k.places[place]
	return w == nil || !w.strict
}

// take lowers the count at a place; at 0 the place is closed.
func (k *asks) take(place string) {
	w := k.places[place]
	if w == nil {
		return
	}
	w.count--
	if w.count == 0 {
		delete(k.places, place)
	}
}

// put sets what is wanted at a place.
func (k *asks) put(r Request) {
	if w := k.places[r.At]; w != nil {
		*w = want{r.Size, r.Count, r.Strict}
		return
	}
	k.places[r.At] = &want{r.Size, r.Count, r.Strict}
}

// key returns the asks of a priority, which come to be if they are not there.
func (a *Attempt) key(priority int) *asks {
	at, found := slices.BinarySearchFunc(a.keys, priority, func(k *asks, p int) int { return cmp.Compare(k.priority, p) })
	if !found {
		a.keys = slices.Insert(a.keys, at, &asks{priority: priority, places: map[string]*want{}})
	}
	return a.keys[at]
}

// ask takes over new counts and reports whether those of any node changed. The requests of one priority come
// into force together.
func (a *Attempt) ask(requests []Request) bool {
	changed := false
	for i, r := range requests {
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
		before = k.places[Any].size.Times(int64(was))
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
	if w := k.places[Any]; w.count > 0 {
		now = w.size.Times(int64(w.count))
		if was <= 0 {
			a.openKeys++
			a.leaf.users.asks(a)
			if a.activated {
				a.leaf.queues.hold(a, NotHeld)
			}
		}
	} else {
		clear(k.places)
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
	size := k.places[Any].size
	if loc == NodeLocal {
		k.take(n.Name)
	}
	if loc != OffSwitch {
		k.take(n.Rack)
	}
	k.take(Any)
	if k.open() == 0 {
		a.close()
	}
	a.await(size.Times(-1))
}

// places are where a container of a node may be asked for, the nearest first.
func (c *Container) places() [3]string { return [3]string{c.Node.Name, c.Node.Rack, Any} }

// remember notes which asks a container is taken off.
func (c *Container) remember(k *asks) {
	for i, place := range c.places() {
		c.strict[i] = !k.relaxed(place)
	}
}

// again asks for the container once more, where it was asked for.
func (c *Container) again() {
	k := c.Attempt.key(c.Priority)
	var requests []Request
	for i, place := range c.places() {
		if i >= int(c.Locality) {
			requests = append(requests, Request{c.Priority, place, c.Size, k.count(place) + 1, c.strict[i]})
		}
	}
	c.Attempt.ask(requests)
}
