// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
)

// fillItem is a candidate for the next freezing: a resource with a lower bound of its saturation
// level, or a capped class (the complement of its number) with the level of its cap.
type fillItem struct {
	level float64
	id    int32
}

// less is 1 if a comes before b, else 0, without a branch: levels are never negative, so (level, id)
// compares like one number.
func (a *fillItem) less(b *fillItem) int {
	_, borrow := bits.Sub64(uint64(uint32(a.id)), uint64(uint32(b.id)), 0)
	_, borrow = bits.Sub64(math.Float64bits(a.level), math.Float64bits(b.level), borrow)
	return int(borrow)
}

// fill does the progressive filling of the part. Saturation levels only rise while classes freeze, so
// the heap's are looked at again when they surface and not before.
func (s *Solver) fill() {
	s.filling++
	s.heap, s.suspects = s.heap[:0], s.suspects[:0]
	for _, r := range s.inside {
		res, k := &s.resources[r], &s.cold[r]
		res.rem, res.w, res.left, res.level = k.rem0, k.w0, k.left0, math.Inf(1)
		k.low = k.w0 / 1024
		if res.left > 0 {
			s.heap = append(s.heap, fillItem{max(0, res.rem) / res.w, r})
		}
	}
	for _, id := range s.capped {
		s.heap = append(s.heap, fillItem{s.bodies[id].cap, ^id})
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
	level, left := 0.0, len(s.part)
	for left > 0 {
		top := &s.heap[0]
		if top.id < 0 {
			id := ^top.id
			s.pop()
			if c := &s.classes[id]; c.frozen != s.filling {
				level = max(level, s.bodies[id].cap)
				s.freeze(id, c, level)
				left--
			}
			continue
		}
		r, res := top.id, &s.resources[top.id]
		if res.left == 0 {
			s.pop()
			continue
		}
		if res.w < s.cold[r].low {
			s.resum(r)
		}
		if now := res.rem / res.w; now > top.level {
			top.level = now
			s.sink(0)
			if s.heap[0].id != r {
				continue
			}
		}
		level = max(level, s.heap[0].level)
		s.pop()
		res.level = level
		left -= s.freezeAll(r, level)
	}
}

// freezeAll fixes the level of all classes of the part that resource r holds back, and counts them.
func (s *Solver) freezeAll(r int32, level float64) (n int) {
	if s.manual {
		edges := s.resources[r].edges
		for i := range edges {
			if c := &s.classes[edges[i].class]; c.frozen != s.filling {
				s.freeze(edges[i].class, c, level)
				n++
			}
		}
		return n
	}
	k := &s.cold[r]
	for _, id := range s.list[k.from : k.from+k.left0] {
		if c := &s.classes[id]; c.frozen != s.filling {
			s.freeze(id, c, level)
			n++
		}
	}
	return n
}

// freeze fixes the level of a class and takes its use off its resources inside.
func (s *Solver) freeze(id int32, c *class, level float64) {
	c.frozen, c.next = s.filling, level
	if level > c.ceiling {
		s.suspects = append(s.suspects, id)
	}
	if c.plain {
		x := c.mass
		use := x * level
		for _, r := range c.near[:c.uses] {
			res := &s.resources[r] // outside, nobody reads these: no branch, it would be a coin toss
			res.rem -= use
			res.w -= x
			res.left--
		}
		return
	}
	uses := s.bodies[id].uses
	for i := range uses {
		u := &uses[i]
		if res := &s.resources[u.resource]; res.mark == s.epoch {
			x := u.ratio * c.mass
			res.rem -= x * level
			res.w -= x
			res.left--
		}
	}
}

// resum works out rem and w afresh, where little is left of what there was and differences have lost
// their digits.
func (s *Solver) resum(r int32) {
	res := &s.resources[r]
	rem, w := res.capacity, 0.0
	for i := range res.edges {
		e := &res.edges[i]
		c := &s.classes[e.class]
		x := e.ratio * c.mass
		switch {
		case c.mark != s.epoch:
			rem -= x * c.level
		case c.frozen == s.filling:
			rem -= x * c.next
		default:
			w += x
		}
	}
	res.rem, res.w, s.cold[r].low = rem, w, w/1024
}

func (s *Solver) pop() {
	n := len(s.heap) - 1
	s.heap[0] = s.heap[n]
	s.heap = s.heap[:n]
	if n > 1 {
		s.sink(0)
	}
}

func (s *Solver) sink(i int) {
	h := s.heap
	it := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) {
			c += h[c+1].less(&h[c])
		}
		if h[c].less(&it) == 0 {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = it
}
