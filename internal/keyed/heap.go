// SPDX-License-Identifier: Apache-2.0

// Package keyed keeps small numbers in the order of keys that change. An iteration in order does not disturb it.
package keyed

import "math/bits"

// Key orders items: smaller first, Major before Minor.
type Key struct{ Major, Minor int64 }

// Less is the order of keys; equal ones are told apart by the item.
func (a Key) Less(b Key) bool { return a.Major < b.Major || a.Major == b.Major && a.Minor < b.Minor }

// Item is an identifier with its key.
type Item struct {
	Key Key
	Tie int32 // orders equal keys
	ID  int32
}

// become copies an item field by field: what has just been written as fields would have to be waited for if it were copied in one piece.
func (a *Item) become(b *Item) {
	a.Key.Major, a.Key.Minor, a.Tie, a.ID = b.Key.Major, b.Key.Minor, b.Tie, b.ID
}

// Before is the order of items.
func (a *Item) Before(b *Item) bool {
	if a.Key == b.Key {
		return a.Tie < b.Tie
	}
	return a.Key.Less(b.Key)
}

// less is Before as 1 or 0, without a branch: (major, minor, tie) compares like one long number, the
// flipped sign bits putting negative keys below positive ones.
func (a *Item) less(b *Item) int {
	const sign = 1 << 63
	_, borrow := bits.Sub64(uint64(uint32(a.Tie)), uint64(uint32(b.Tie)), 0)
	_, borrow = bits.Sub64(uint64(a.Key.Minor)^sign, uint64(b.Key.Minor)^sign, borrow)
	_, borrow = bits.Sub64(uint64(a.Key.Major)^sign, uint64(b.Key.Major)^sign, borrow)
	return int(borrow)
}

// Heap is a priority queue of dense identifiers with keys that may change, O(log n) per operation,
// and an iteration in order that does not disturb it. The zero value is empty.
type Heap struct {
	items []Item
	place *Places
	walk  []int32 // frontier of the iteration: positions in items, a heap by their order
}

// Places says where identifiers stand. Heaps of which no two have the same identifier can share one: many heaps then take no
// more memory than one.
type Places struct {
	at []int32 // position+1 in items by identifier, 0 if absent
}

// Share makes an empty heap share places with others. The caller asks a heap only for identifiers that are in it or in none.
func (h *Heap) Share(p *Places) { h.place = p }

// Len returns the number of items.
func (h *Heap) Len() int { return len(h.items) }

// Has reports whether id is in the heap.
func (h *Heap) Has(id int32) bool {
	return h.place != nil && int(id) < len(h.place.at) && h.place.at[id] != 0
}

// Set adds id with the key, or changes its key. Equal keys stand in the order of their identifiers.
func (h *Heap) Set(id int32, key Key) { h.SetTied(id, id, key) }

// SetTied is Set for identifiers that are given to another item after Remove: equal keys stand in the
// order of tie, which no two items share.
func (h *Heap) SetTied(id, tie int32, key Key) {
	if h.place == nil {
		h.place = &Places{}
	}
	if int(id) < len(h.place.at) {
		if at := h.place.at[id]; at != 0 {
			h.change(int(at)-1, key)
			return
		}
	}
	for int(id) >= len(h.place.at) {
		h.place.at = append(h.place.at, 0)
	}
	h.items = append(h.items, Item{})
	h.up(len(h.items)-1, Item{key, tie, id})
}

// change changes the key of the item at position p.
func (h *Heap) change(p int, key Key) {
	it := h.items[p]
	old := it.Key
	it.Key = key
	switch {
	case key == old:
	case key.Less(old):
		h.up(p, it)
	default:
		h.down(p, it)
	}
}

// Remove takes id out; absent ones are ignored.
func (h *Heap) Remove(id int32) {
	if !h.Has(id) {
		return
	}
	p := int(h.place.at[id]) - 1
	h.place.at[id] = 0
	n := len(h.items) - 1
	last := h.items[n]
	h.items = h.items[:n]
	if p == n {
		return
	}
	h.up(p, last)
	h.down(int(h.place.at[last.ID])-1, last)
}

// Key returns the key of an identifier that is in the heap.
func (h *Heap) Key(id int32) Key { return h.items[h.place.at[id]-1].Key }

// Top returns the first identifier and its key without starting an iteration; the heap must not be
// empty.
func (h *Heap) Top() (int32, Key) { return h.items[0].ID, h.items[0].Key }

// firsts tells who comes first without starting an iteration: as they stand in the heap, which is not far from their order. The
// first two are those of the order. There must be as many items.
func (h *Heap) firsts(seats []Seat) {
	for i := range seats {
		seats[i] = h.items[i].seat()
	}
	if len(seats) > 1 && len(h.items) > 2 && h.items[2].Before(&h.items[1]) {
		copy(seats[2:], seats[1:2])
		seats[1] = h.items[2].seat()
	}
}

// First starts an iteration in order and returns the first identifier, or -1.
func (h *Heap) First() int32 {
	h.walk = h.walk[:0]
	if len(h.items) == 0 {
		return -1
	}
	h.walk = append(h.walk, 0)
	return h.items[0].ID
}

// Next returns the identifier after the last one that First or Next returned, or -1. The heap must
// not change in between. The k-th call costs O(log k).
func (h *Heap) Next() int32 {
	if len(h.walk) == 0 {
		return -1
	}
	at := h.walk[0]
	h.walkReplace(2*at+1, 2*at+2)
	if len(h.walk) == 0 {
		return -1
	}
	return h.items[h.walk[0]].ID
}

// walkReplace replaces the least position of the frontier by its two children.
func (h *Heap) walkReplace(left, right int32) {
	n := int32(len(h.items))
	last := len(h.walk) - 1
	switch {
	case left < n:
		h.walk[0] = left
	default:
		h.walk[0] = h.walk[last]
		h.walk = h.walk[:last]
	}
	h.walkDown()
	if right < n {
		h.walk = append(h.walk, right)
		for i := len(h.walk) - 1; i > 0; {
			parent := (i - 1) / 2
			if !h.items[h.walk[i]].Before(&h.items[h.walk[parent]]) {
				break
			}
			h.walk[i], h.walk[parent] = h.walk[parent], h.walk[i]
			i = parent
		}
	}
}

func (h *Heap) walkDown() {
	w := h.walk
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(w) {
			return
		}
		if c+1 < len(w) && h.items[w[c+1]].Before(&h.items[w[c]]) {
			c++
		}
		if !h.items[w[c]].Before(&h.items[w[i]]) {
			return
		}
		w[i], w[c] = w[c], w[i]
		i = c
	}
}

// up puts an item at position p, whose item is void, or above it.
func (h *Heap) up(p int, it Item) {
	items, places := h.items, h.place.at // to look for them once
	for p > 0 {
		parent := (p - 1) / 2
		above := &items[parent]
		if !it.Before(above) {
			break
		}
		items[p].become(above)
		places[above.ID] = int32(p + 1)
		p = parent
	}
	items[p].become(&it)
	places[it.ID] = int32(p + 1)
}

// down puts an item at position p, whose item is void, or below it.
func (h *Heap) down(p int, it Item) {
	items, places := h.items, h.place.at
	for {
		c := 2*p + 1
		if c >= len(items) {
			break
		}
		if c+1 < len(items) {
			c += items[c+1].less(&items[c])
		}
		below := &items[c]
		if below.less(&it) == 0 {
			break
		}
		items[p].become(below)
		places[below.ID] = int32(p + 1)
		p = c
	}
	items[p].become(&it)
	places[it.ID] = int32(p + 1)
}
