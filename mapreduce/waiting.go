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
	waits []bool // by map
	maps  []waitingMap
	count int32
	all   []int32
	spots []int32   // lines of the asks that maps prefer, one map after the other
	lists [][]int32 // maps by line of the asks, nil before the first are all known
}

// waitingMap is a map, with the places that it prefers as a run of spots.
type waitingMap struct{ from, until int32 }

func newWaiting(maps int32, size queue.Resource) waiting {
	return waiting{asks: newAsks(mapPriority, size), waits: make([]bool, maps), maps: make([]waitingMap, maps), all: make([]int32, 0, maps)}
}

// add asks for a map that prefers some nodes.
func (w *waiting) add(index int32, nodes []*capacity.Node) {
	if w.spots == nil && len(nodes) > 0 {
		w.spots = make([]int32, 0, len(w.maps)*(len(nodes)+min(len(nodes), 2))) // blocks mostly lie in two racks
	}
	w.count++
	w.all = append(w.all, index)
	w.asks.add(1)
	w.waits[index] = true
	m := &w.maps[index]
	m.from = int32(len(w.spots))
	for i, n := range nodes {
		w.prefer(n.At(capacity.NodeLocal))
		if rack := n.At(capacity.RackLocal); !sameRack(nodes[:i], rack) {
			w.prefer(rack)
		}
	}
	m.until = int32(len(w.spots))
	if w.lists != nil {
		w.enlist(index)
	}
}

// prefer notes a place that the map in hand prefers.
func (w *waiting) prefer(p capacity.Place) {
	line := w.line(p)
	w.change(line, 1)
	w.spots = append(w.spots, int32(line))
}

func sameRack(nodes []*capacity.Node, rack capacity.Place) bool {
	for _, n := range nodes {
		if n.At(capacity.RackLocal) == rack {
			return true
		}
	}
	return false
}

// arrange makes the lists of places when the first maps are all known. The list of a place lies in one piece, because it
// is gone through from its beginning.
func (w *waiting) arrange() {
	w.lists = make([][]int32, len(w.lines))
	room := make([]int32, len(w.spots))
	for i := range w.lines[1:] {
		n := w.lines[i+1].count
		w.lists[i+1], room = room[:0:n], room[n:]
	}
	for _, index := range w.all {
		w.enlist(index)
	}
}

// enlist puts a map at the end of the lists of the places that it prefers.
func (w *waiting) enlist(index int32) {
	for len(w.lists) < len(w.lines) {
		w.lists = append(w.lists, nil)
	}
	m := w.maps[index]
	for _, line := range w.spots[m.from:m.until] {
		w.lists[line] = append(w.lists[line], index)
	}
}

// near takes the map that has waited longest of those that prefer a host or a rack.
func (w *waiting) near(p capacity.Place) (index int32, ok bool) {
	line := w.at.Find(p)
	if line < 0 {
		return 0, false
	}
	return w.first(&w.lists[line])
}

// any takes the map that has waited longest.
func (w *waiting) any() (index int32, ok bool) { return w.first(&w.all) }

// first takes the first map of a list that still waits, and off the list all up to it.
func (w *waiting) first(list *[]int32) (index int32, ok bool) {
	for i, index := range *list {
		if w.take(index) {
			*list = (*list)[i+1:]
			return index, true
		}
	}
	*list = nil
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
	for _, line := range w.spots[m.from:m.until] {
		w.change(int(line), -1)
	}
	return true
}
