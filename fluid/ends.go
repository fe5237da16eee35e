// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
)

// member is an activity or a class in a heap of ends: the clock value at which it ends, as the bits of a
// float64 that is never negative (so that bits compare like numbers), and its key.
type member struct {
	end uint64
	key uint64
}

func (m *member) slot() uint32         { return slotOf(m.key) }
func (m *member) finish() float64      { return math.Float64frombits(m.end) }
func (m *member) before(o member) bool { return m.end < o.end || m.end == o.end && m.key < o.key }

// less is before as 1 or 0, without a branch: (end, key) compares like one number of 128 bits.
func (m *member) less(o *member) int {
	_, borrow := bits.Sub64(m.key, o.key, 0)
	_, borrow = bits.Sub64(m.end, o.end, borrow)
	return int(borrow)
}

// places says where members stand in their heaps, by slot.
type places []int32

// push adds a member to a heap.
func (p places) push(h []member, m member) []member {
	h = append(h, m)
	p.up(h, len(h)-1)
	return h
}

// remove takes the member at place i out of a heap.
func (p places) remove(h []member, i int32) []member {
	n := len(h) - 1
	last := h[n]
	h = h[:n]
	if int(i) < n {
		p.set(h, i, last)
	}
	return h
}

// set puts a member in place of the one at place i.
func (p places) set(h []member, i int32, m member) {
	h[i] = m
	if i > 0 && m.before(h[(i-1)/2]) {
		p.up(h, int(i))
	} else {
		p.down(h, int(i))
	}
}

// order makes a heap of members in any order.
func (p places) order(h []member) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		p.down(h, i)
	}
}

// up moves the member at place i towards the top of heap h, to where it belongs.
func (p places) up(h []member, i int) {
	m := h[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !m.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		p[h[i].slot()] = int32(i)
		i = parent
	}
	h[i] = m
	p[m.slot()] = int32(i)
}

// down moves the member at place i away from the top of heap h, to where it belongs.
func (p places) down(h []member, i int) {
	m := h[i]
	n := len(h)
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n {
			c += h[c+1].less(&h[c])
		}
		if !h[c].before(m) {
			break
		}
		h[i] = h[c]
		p[h[i].slot()] = int32(i)
		i = c
	}
	h[i] = m
	p[m.slot()] = int32(i)
}
