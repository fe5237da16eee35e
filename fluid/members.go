// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
)

// slotBits is the width of the slot number inside a handle; the rest is the sequence.
const slotBits = 26

// member is an activity in its class's heap: the clock value at which it ends, as the bits of a
// float64 that is never negative (so that bits compare like numbers), and its handle.
type member struct {
	end uint64
	key uint64 // sequence<<slotBits | slot
}

func (m *member) slot() uint32         { return uint32(m.key & (1<<slotBits - 1)) }
func (m *member) finish() float64      { return math.Float64frombits(m.end) }
func (m *member) before(o member) bool { return m.end < o.end || m.end == o.end && m.key < o.key }

// less is before as 1 or 0, without a branch: (end, key) compares like one number of 128 bits.
func (m *member) less(o *member) int {
	_, borrow := bits.Sub64(m.key, o.key, 0)
	_, borrow = bits.Sub64(m.end, o.end, borrow)
	return int(borrow)
}

// push adds a member to the heap of class c.
func (s *Solver) push(c *body, m member) {
	c.members = append(c.members, m)
	s.up(c.members, len(c.members)-1)
}

// remove takes the member at place p out of the heap of class c.
func (s *Solver) remove(c *body, p int) {
	h := c.members
	n := len(h) - 1
	last := h[n]
	c.members = h[:n]
	if p == n {
		return
	}
	h[p] = last
	s.activities[last.slot()].place = int32(p)
	if p > 0 && last.before(h[(p-1)/2]) {
		s.up(c.members, p)
	} else {
		s.down(c.members, p)
	}
}

func (s *Solver) up(h []member, p int) {
	m := h[p]
	for p > 0 {
		parent := (p - 1) / 2
		if !m.before(h[parent]) {
			break
		}
		h[p] = h[parent]
		s.activities[h[p].slot()].place = int32(p)
		p = parent
	}
	h[p] = m
	s.activities[m.slot()].place = int32(p)
}

func (s *Solver) down(h []member, p int) {
	m := h[p]
	n := len(h)
	for {
		c := 2*p + 1
		if c >= n {
			break
		}
		if c+1 < n {
			c += h[c+1].less(&h[c])
		}
		if !h[c].before(m) {
			break
		}
		h[p] = h[c]
		s.activities[h[p].slot()].place = int32(p)
		p = c
	}
	h[p] = m
	s.activities[m.slot()].place = int32(p)
}

// rebase sets the clock of class c, settled to now, back to zero, so that a class that lives long
// does not lose the low digits of short activities. Rounding may make ends equal, hence the new heap.
func (s *Solver) rebase(c *body) {
	for i := range c.members {
		m := &c.members[i]
		m.end = math.Float64bits(max(0, m.finish()-c.clock))
	}
	c.clock, c.started = 0, 0
	for p := len(c.members)/2 - 1; p >= 0; p-- {
		s.down(c.members, p)
	}
}
