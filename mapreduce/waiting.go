// SPDX-License-Identifier: Apache-2.0

package mapreduce

import "github.com/yardmaster/yardmaster/yarn/capacity"

// waiting is the maps of a job that have no container: in the order in which they were asked for, and in that order at
// each place. A list may hold maps that wait no longer; they are passed over.
type waiting struct {
	waits  []bool // by map
	count  int32
	all    []int32
	at     capacity.Index // of chains
	chains []chain
	links  []link
}

// chain is the maps that prefer a place, as positions of links; -1 if there are none.
type chain struct{ first, last int32 }

type link struct{ index, next int32 }

// add lets a map wait that prefers some nodes.
func (w *waiting) add(index int32, nodes []*capacity.Node) {
	w.waits[index] = true
	w.count++
	w.all = append(w.all, index)
	for i, n := range nodes {
		w.addAt(n.At(capacity.NodeLocal), index)
		if rack := n.At(capacity.RackLocal); !sameRack(nodes[:i], rack) {
			w.addAt(rack, index)
		}
	}
}

func (w *waiting) addAt(p capacity.Place, index int32) {
	i := w.at.Find(p)
	if i < 0 {
		i = len(w.chains)
		w.at.Set(p, i)
		w.chains = append(w.chains, chain{-1, -1})
	}
	c, last := &w.chains[i], int32(len(w.links))
	w.links = append(w.links, link{index, -1})
	if c.first < 0 {
		c.first = last
	} else {
		w.links[c.last].next = last
	}
	c.last = last
}

// near takes the map that has waited longest of those that prefer a host or a rack.
func (w *waiting) near(p capacity.Place) (index int32, ok bool) {
	i := w.at.Find(p)
	if i < 0 {
		return 0, false
	}
	c := &w.chains[i]
	for c.first >= 0 {
		l := w.links[c.first]
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

// take lets a map wait no longer, and reports whether it did.
func (w *waiting) take(index int32) bool {
	if !w.waits[index] {
		return false
	}
	w.waits[index] = false
	w.count--
	return true
}
