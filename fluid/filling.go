// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
)

// candidate is what may freeze next: a resource with a lower bound of its saturation level, or a
// capped class (the complement of its number) with the level of its cap.
type candidate struct {
	level float64
	id    int32
	place int32 // of the resource in part.inside
}

// less is 1 if a comes before b, else 0, without a branch: levels are never negative, so (level, id)
// compares like one number.
func (a *candidate) less(b *candidate) int {
	_, borrow := bits.Sub64(uint64(uint32(a.id)), uint64(uint32(b.id)), 0)
	_, borrow = bits.Sub64(math.Float64bits(a.level), math.Float64bits(b.level), borrow)
	return int(borrow)
}

// candidates is a heap: the one that freezes first is on top.
type candidates []candidate

// order makes a heap of what was appended.
func (h candidates) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h *candidates) pop() {
	n := len(*h) - 1
	(*h)[0] = (*h)[n]
	*h = (*h)[:n]
	if n > 1 {
		h.sink(0)
	}
}

func (h candidates) sink(i int) {
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

// filling is the progressive filling of a part: it finds the next level of each class of the part, and
// the level of each resource inside. The slices are those of the graph while a filling runs.
type filling struct {
	part      *part
	number    uint32 // of the filling under way
	classes   []class
	bodies    []body
	resources []resource
	heap      candidates
	suspects  []int32 // classes of the part whose next level is above their ceiling
}

// run fills the part. Saturation levels only rise while classes freeze, so the heap's are looked at
// again when they surface and not before.
func (f *filling) run() {
	f.begin()
	level, left := 0.0, len(f.part.classes)
	for left > 0 {
		top := &f.heap[0]
		if top.id < 0 {
			id := ^top.id
			f.heap.pop()
			if c := &f.classes[id]; c.frozen != f.number {
				level = max(level, f.bodies[id].cap)
				f.freeze(id, c, level)
				left--
			}
			continue
		}
		r, k, res := top.id, &f.part.inside[top.place], &f.resources[top.id]
		if res.left == 0 {
			f.heap.pop()
			continue
		}
		if res.w < k.low {
			f.resum(res, k)
		}
		if now := res.rem / res.w; now > top.level {
			top.level = now
			f.heap.sink(0)
			if f.heap[0].id != r {
				continue
			}
		}
		level = max(level, f.heap[0].level)
		f.heap.pop()
		res.level = level
		left -= f.freezeAll(res, k, level)
	}
}

// begin sets the resources inside to what they have before the filling.
func (f *filling) begin() {
	p, g := f.part, f.part.graph
	p.stamp++
	f.number, f.classes, f.bodies, f.resources = p.stamp, g.classes, g.bodies, g.resources
	f.heap, f.suspects = f.heap[:0], f.suspects[:0]
	for i := range p.inside {
		k := &p.inside[i]
		res := &g.resources[k.resource]
		res.rem, res.w, res.left, res.level = k.rem, k.w, k.left, math.Inf(1)
		k.low = k.w / 1024
		if res.left > 0 {
			f.heap = append(f.heap, candidate{max(0, res.rem) / res.w, k.resource, int32(i)})
		}
	}
	for _, id := range p.capped {
		f.heap = append(f.heap, candidate{level: g.bodies[id].cap, id: ^id})
	}
	f.heap.order()
}

// freezeAll fixes the level of all classes of the part that a resource holds back, and counts them.
func (f *filling) freezeAll(res *resource, k *account, level float64) (n int) {
	classes, number := f.classes, f.number
	if f.part.whole {
		edges := res.edges
		for i := range edges {
			if c := &classes[edges[i].class]; c.frozen != number {
				f.freeze(edges[i].class, c, level)
				n++
			}
		}
		return n
	}
	for _, id := range f.part.list[k.from : k.from+k.left] {
		if c := &classes[id]; c.frozen != number {
			f.freeze(id, c, level)
			n++
		}
	}
	return n
}

// freeze fixes the level of a class and takes its use off its resources inside.
func (f *filling) freeze(id int32, c *class, level float64) {
	c.frozen, c.next = f.number, level
	if level > c.ceiling {
		f.suspects = append(f.suspects, id)
	}
	resources := f.resources
	if c.plain {
		x := c.mass
		use := x * level
		for _, r := range c.near[:c.uses] {
			res := &resources[r] // outside, nobody reads these: no branch, it would be a coin toss
			res.rem -= use
			res.w -= x
			res.left--
		}
		return
	}
	uses, epoch := f.bodies[id].uses, f.part.epoch
	for i := range uses {
		u := &uses[i]
		if res := &resources[u.resource]; res.mark == epoch {
			x := u.ratio * c.mass
			res.rem -= x * level
			res.w -= x
			res.left--
		}
	}
}

// resum works out rem and w afresh, where little is left of what there was and differences have lost
// their digits.
func (f *filling) resum(res *resource, k *account) {
	rem, w := res.capacity, 0.0
	for i := range res.edges {
		e := &res.edges[i]
		c := &f.classes[e.class]
		x := e.ratio * c.mass
		switch {
		case c.mark != f.part.epoch:
			rem -= x * c.level
		case c.frozen == f.number:
			rem -= x * c.next
		default:
			w += x
		}
	}
	res.rem, res.w, k.low = rem, w, w/1024
}
