// SPDX-License-Identifier: Apache-2.0

package capacity

import "github.com/yardmaster/yardmaster/queue"

// Place is where a container may be asked for: a host, a rack, or Any.
type Place int32

// Any is the place of a request that any node serves.
const Any Place = 0

// Places numbers the names of hosts and racks in the order in which they are heard. The zero value knows none but
// "*", which is Any.
type Places struct{ byName map[string]Place }

// Place returns the number of a name.
func (p *Places) Place(name string) Place {
	if name == "*" {
		return Any
	}
	at, known := p.byName[name]
	if !known {
		if p.byName == nil {
			p.byName = map[string]Place{}
		}
		at = Place(len(p.byName) + 1)
		p.byName[name] = at
	}
	return at
}

// Locate lets a node know the numbers of its name and its rack.
func (p *Places) Locate(n *Node) {
	n.at = [3]Place{p.Place(n.Name), p.Place(n.Rack), Any}
	n.hash = hashNode(n.Name)
}

// At returns the place that a container of the node is taken from, if it is that near to what was asked for.
func (n *Node) At(l Locality) Place { return n.at[l] }

// Index finds positions in a list by places. It grows with the numbers of the places that it is told.
type Index []int32

// Find returns the position at a place, -1 if there is none.
func (x Index) Find(p Place) int {
	if int(p) >= len(x) {
		return -1
	}
	return int(x[p]) - 1
}

// Set notes the position at a place; -1: there is none.
func (x *Index) Set(p Place, position int) {
	if more := int(p) + 1 - len(*x); more > 0 {
		*x = append(*x, make([]int32, more)...)
	}
	(*x)[p] = int32(position + 1)
}

// want is what is open at one place.
type want struct {
	place  Place
	strict bool // containers for narrower places may not go here
	count  int
	size   queue.Resource
}

// wants is what is open at places, in no order.
type wants struct {
	list []want
	at   Index
}

// get returns what is open at a place, nil if nothing is. It holds until something is added or removed.
func (w *wants) get(p Place) *want {
	if i := w.at.Find(p); i >= 0 {
		return &w.list[i]
	}
	return nil
}

// put sets what is open at a place.
func (w *wants) put(n want) {
	if old := w.get(n.place); old != nil {
		*old = n
		return
	}
	w.at.Set(n.place, len(w.list))
	w.list = append(w.list, n)
}

// remove closes a place that is open.
func (w *wants) remove(p Place) {
	i, last := w.at.Find(p), len(w.list)-1
	w.list[i] = w.list[last]
	w.at.Set(w.list[i].place, i)
	w.at.Set(p, -1)
	w.list = w.list[:last]
}

// clear closes all places.
func (w *wants) clear() {
	for i := range w.list {
		w.at.Set(w.list[i].place, -1)
	}
	w.list = w.list[:0]
}
