// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
)

// member is an activity in the heap of a service: the clock value at which it ends, as the bits of a
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

// service is the cumulative service of activities that advance together. Its clock is the integral of
// its level over time; a member of weight w with work to do ends when the clock has risen by work/w
// since its start. A change of level touches the clock and no member. The members are a heap; each
// activity knows its place there, so the methods that move members take the slots. The size is one
// cache line.
type service struct {
	clock   float64 // at time since
	since   float64
	first   float64 // clock value at which the first member ends
	level   float64
	stale   bool  // the first member may have changed, first does not say so yet
	started int32 // members added since the clock was last set to zero
	members []member
}

// settle brings the clock to now.
func (v *service) settle(now float64) {
	if now > v.since {
		v.clock += v.level * (now - v.since)
		v.since = now
	}
}

// finish returns when the first member ends. The clock is at now.
func (v *service) finish(now float64) float64 {
	if v.stale {
		v.first, v.stale = v.members[0].finish(), false
	}
	left := v.first - v.clock
	if left <= 0 {
		return now
	}
	return now + left/v.level
}

// left returns by how much the clock must rise until the member at place p ends.
func (v *service) left(p int32) float64 { return max(0, v.members[p].finish()-v.clock) }

// add adds a member that ends when the clock has risen by span.
func (v *service) add(span float64, key uint64, slots []activity) {
	if v.started++; v.clock > 1024*span && int(v.started) > len(v.members) {
		v.rebase(slots)
	}
	v.members = append(v.members, member{math.Float64bits(v.clock + span), key})
	up(v.members, len(v.members)-1, slots)
}

// remove takes out the member at place p.
func (v *service) remove(p int32, slots []activity) {
	h := v.members
	n := len(h) - 1
	last := h[n]
	v.members = h[:n]
	if int(p) == n {
		return
	}
	h[p] = last
	slots[last.slot()].place = p
	if p > 0 && last.before(h[(p-1)/2]) {
		up(v.members, int(p), slots)
	} else {
		down(v.members, int(p), slots)
	}
}

// rebase sets the clock back to zero, so that a service that lives long does not lose the low digits
// of short activities. Rounding may make ends equal, hence the new heap.
func (v *service) rebase(slots []activity) {
	for i := range v.members {
		m := &v.members[i]
		m.end = math.Float64bits(max(0, m.finish()-v.clock))
	}
	v.clock, v.started = 0, 0
	for p := len(v.members)/2 - 1; p >= 0; p-- {
		down(v.members, p, slots)
	}
}

// up moves the member at place p towards the top of heap h, to where it belongs.
func up(h []member, p int, slots []activity) {
	m := h[p]
	for p > 0 {
		parent := (p - 1) / 2
		if !m.before(h[parent]) {
			break
		}
		h[p] = h[parent]
		slots[h[p].slot()].place = int32(p)
		p = parent
	}
	h[p] = m
	slots[m.slot()].place = int32(p)
}

// down moves the member at place p away from the top of heap h, to where it belongs.
func down(h []member, p int, slots []activity) {
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
		slots[h[p].slot()].place = int32(p)
		p = c
	}
	h[p] = m
	slots[m.slot()].place = int32(p)
}
