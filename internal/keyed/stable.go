// SPDX-License-Identifier: Apache-2.0

package keyed

import (
	"cmp"
	"math"
	"slices"
)

// Stable keeps identifiers as a list would keep them that is sorted by value now and then, each time
// with a stable sort: of those with equal values, the one that stood before the others still does. Settle
// is such a sort and costs O(log n) for each value that has changed since the last one. The zero value is
// empty.
//
// Only what is shown is part of the iteration, which is that of the Heap inside; the others keep their
// places.
//
// It works because a sort moves three groups past each other: of those that come to have the same value,
// the ones that rose to it stood before it and stay in front, then come those that had it, then those that
// fell to it. A number of its own, below or above all that were given before, puts each in its place.
type Stable struct {
	Heap
	keys    []Key // by identifier: bits of the value, and what orders equal values
	changed []int32
	marked  []bool // by identifier: in changed
	low     int64  // the numbers given to those in front of all others, falling
	high    int64  // and to those behind all others, rising
}

// Add appends the next identifier, counted from 0, at the end of the list. Its value counts from the next
// Settle on.
func (h *Stable) Add() int32 {
	id := int32(len(h.keys))
	h.high++
	h.keys = append(h.keys, Key{Major: math.MaxInt64, Minor: h.high})
	h.marked = append(h.marked, false)
	h.Changed(id)
	return id
}

// Added returns how many identifiers were added.
func (h *Stable) Added() int { return len(h.keys) }

// Changed notes that the value of the identifier may have changed.
func (h *Stable) Changed(id int32) {
	if !h.marked[id] {
		h.marked[id] = true
		h.changed = append(h.changed, id)
	}
}

// Show makes the identifier part of the iteration, or takes it out.
func (h *Stable) Show(id int32, shown bool) {
	if shown {
		h.Set(id, h.keys[id])
	} else {
		h.Remove(id)
	}
}

// Settle sorts by the values, which are not negative, as they are now. A list of one is sorted.
func (h *Stable) Settle(value func(id int32) float64) {
	if len(h.keys) == 1 {
		return
	}
	switch c := h.changed; {
	case len(c) == 2: // mostly: where a task has ended, and where one has started
		if h.keys[c[1]].Less(h.keys[c[0]]) {
			c[0], c[1] = c[1], c[0]
		}
	case len(c) > 2:
		slices.SortFunc(c, func(a, b int32) int {
			x, y := h.keys[a], h.keys[b]
			return cmp.Or(cmp.Compare(x.Major, y.Major), cmp.Compare(x.Minor, y.Minor))
		})
	}
	changed, risen := h.changed, 0
	for _, id := range changed { // those that fell, from the first to the last
		h.marked[id] = false
		major := int64(math.Float64bits(value(id)))
		if old := &h.keys[id]; major < old.Major {
			h.high++
			h.move(id, Key{major, h.high})
		} else if major > old.Major {
			old.Major = major
			changed[risen] = id
			risen++
		}
	}
	for risen--; risen >= 0; risen-- { // those that rose, from the last to the first
		id := changed[risen]
		h.low--
		h.move(id, Key{h.keys[id].Major, h.low})
	}
	h.changed = changed[:0]
}

func (h *Stable) move(id int32, key Key) {
	h.keys[id] = key
	if h.Has(id) {
		h.change(int(h.place.at[id])-1, key)
	}
}
