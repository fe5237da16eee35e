// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// waiting is the maps of a job that have no container, with what is asked for them. They wait in the order in which they
// were asked for, and in that order at each place that they prefer. A list may hold maps that wait no longer; they are
// passed over.
type waiting struct {
	asks
	waits  []bool // by map
	maps   []waitingMap
	count  int32
	all    []int32
	chains []chain // by line of the asks
	links  []link
}

// waitingMap is a map, with the places that it prefers as a run of links.
type waitingMap struct{ from, until int32 }

// chain is the maps that prefer a place, as positions of links; -1 if there are none.
type chain struct{ first, last int32 }

// link is one map at one place.
type link struct{ index, line, next int32 }

func newWaiting(maps int32, size queue.Resource) waiting {
	return waiting{asks: newAsks(mapPriority, size), waits: make([]bool, maps), maps: make([]waitingMap, maps), all: make([]int32, 0, maps), chains: make([]chain, 1)}
}

// add asks for a map that prefers some nodes.
func (w *waiting) add(index int32, nodes []*capacity.Node) {
	if w.links == nil && len(nodes) > 0 {
		w.links = make([]link, 0, len(w.maps)*(len(nodes)+min(len(nodes), 2))) // blocks mostly lie in two racks
	}
	w.count++
	w.all = append(w.all, index)
	w.asks.add(1)
	w.waits[index] = true
	m := &w.maps[index]
	m.from = int32(len(w.links))
	for i, n := range nodes {
		w.prefer(n.At(capacity.NodeLocal), index)
		if rack := n.At(capacity.RackLocal); !sameRack(nodes[:i], rack) {
			w.prefer(rack, index)
		}
	}
	m.until = int32(len(w.links))
}

// prefer puts a map into the list of a place.
func (w *waiting) prefer(p capacity.Place, index int32) {
	line := w.line(p)
	if line == len(w.chains) {
		w.chains = append(w.chains, chain{-1, -1})
	}
	w.change(line, 1)
	c, last := &w.chains[line], int32(len(w.links))
	w.links = append(w.links, link{index, int32(line), -1})
	if c.first < 0 {
		c.first = last
	} else {
		w.links[c.last].next = last
	}
	c.last = last
}

func sameRack(nodes []*capacity.Node, rack capacity.Place) bool {
	for _, n := range nodes {
		if n.At(capacity.RackLocal) == rack {
			return true
		}
	}
	return false
}

// near takes the map that has waited longest of those that prefer a host or a rack.
func (w *waiting) near(p capacity.Place) (index int32, ok bool) {
	line := w.at.Find(p)
	if line < 0 {
		return 0, false
	}
	c := &w.chains[line]
	for c.first >= 0 {
		l := &w.links[c.first]
		c.first = l.next
		if w.take(l.index) {
			return l.index, true
		}
	}
	return 0, false
}

// any takes the map that has waited longest.
func (w *waiting) any() (index int32, ok bool) {
	for len(w.all) > 0 {
		index, w.all = w.all[0], w.all[1:]
		if w.take(index) {
			return index, true
		}
	}
	return 0, false
}

// take asks for a map no longer, and reports whether it waited.
func (w *waiting) take(index int32) bool {
	if !w.waits[index] {
		return false
	}
	w.waits[index] = false
	w.count--
	w.asks.add(-1)
	m := w.maps[index]
	for _, l := range w.links[m.from:m.until] {
		w.change(int(l.line), -1)
	}
	return true
}
