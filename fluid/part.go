// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
	"slices"
)

// account is what a resource inside has before the filling.
type account struct {
	rem, w   float64 // as in resource, and left below
	low      float64 // w below which it is summed afresh
	resource int32
	left     int32
	from     int32 // where its left classes stand in part.list
	held     bool  // it held somebody back before the solution
}

// part is what one solution works on: the classes whose levels may change, and the resources inside,
// on which they compete. What other classes take of those is fixed.
type part struct {
	graph    *graph
	stamp    uint32  // last number given to a solution or a filling
	epoch    uint32  // number of the solution: the mark of classes and resources that are part of it
	whole    bool    // everything is part: no list is kept
	floor    float64 // least level that may change
	classes  []int32
	capped   []int32   // those of classes that have a cap
	inside   []account // resources
	followed int       // how many of inside have been followed to their classes
	list     []int32   // classes of the part, by resource followed
}

// begin empties the part for the next solution. Marks are 32 bits wide; before the numbers run out all
// are cleared.
func (p *part) begin(whole bool) {
	if p.stamp > math.MaxUint32-1<<20 { // leaves a million fillings to one solution
		p.clear()
	}
	p.stamp++
	p.epoch, p.whole, p.floor, p.followed = p.stamp, whole, math.Inf(1), 0
	p.classes, p.capped, p.inside, p.list = p.classes[:0], p.capped[:0], p.inside[:0], p.list[:0]
}

func (p *part) clear() {
	p.stamp = 0
	for i := range p.graph.classes {
		p.graph.classes[i].mark, p.graph.classes[i].frozen = 0, 0
	}
	for i := range p.graph.resources {
		p.graph.resources[i].mark = 0
	}
}

// enter takes a resource into the part.
func (p *part) enter(r int32, res *resource) {
	res.mark = p.epoch
	p.inside = append(p.inside, account{})
	k := &p.inside[len(p.inside)-1]
	k.resource, k.held = r, res.level != math.Inf(1)
}

// join takes a class into the part, and those of its resources that hold somebody back.
func (p *part) join(id int32) {
	g, epoch := p.graph, p.epoch
	c, resources := &g.classes[id], g.resources
	c.mark = epoch
	p.classes = append(p.classes, id)
	if c.capped {
		p.capped = append(p.capped, id)
	}
	if c.plain {
		for _, r := range c.near[:c.uses] {
			if res := &resources[r]; res.level != math.Inf(1) && res.mark != epoch {
				p.enter(r, res)
			}
		}
		return
	}
	uses := g.bodies[id].uses
	for i := range uses {
		r := uses[i].resource
		if res := &resources[r]; res.level != math.Inf(1) && res.mark != epoch {
			p.enter(r, res)
		}
	}
}

// spread follows the part from the resources inside that have not been followed yet: it lists the
// classes of each that are part, and sums what those below the floor take. Whether a class is below
// the floor is a coin toss, so both sums take all classes, with a mask; levels are never negative, so
// their bits compare like numbers.
func (p *part) spread() {
	epoch, floor, classes := p.epoch, math.Float64bits(p.floor), p.graph.classes
	for ; p.followed < len(p.inside); p.followed++ {
		k := &p.inside[p.followed]
		res := &p.graph.resources[k.resource]
		edges, from := res.edges, len(p.list)
		p.list = slices.Grow(p.list, len(edges))
		list := p.list[from : from+len(edges)]
		used, w, n := 0.0, 0.0, 0
		for i := range edges {
			e := &edges[i]
			c := &classes[e.class]
			_, below := bits.Sub64(math.Float64bits(c.level), floor, 0)
			x := e.ratio * c.mass
			used += math.Float64frombits(math.Float64bits(x*c.level) & -below)
			w += math.Float64frombits(math.Float64bits(x) & (below - 1))
			list[n] = e.class
			n += 1 - int(below)
		}
		p.list = p.list[:from+n]
		k.rem, k.w, k.left, k.from = res.capacity-used, w, int32(n), int32(from)
		for _, id := range list[:n] {
			if classes[id].mark != epoch {
				p.join(id)
			}
		}
	}
}

// takeAll makes everything part: classes with members and resources with users.
func (p *part) takeAll() {
	g := p.graph
	for i := range g.resources {
		g.resources[i].level, g.resources[i].w = math.Inf(1), 0
	}
	for i := range g.classes {
		if c := &g.classes[i]; c.mass > 0 && c.uses > 0 {
			p.weigh(int32(i), c)
		}
	}
	for i := range g.resources {
		if r := &g.resources[i]; len(r.edges) > 0 {
			p.enter(int32(i), r)
			k := &p.inside[len(p.inside)-1]
			k.rem, k.w, k.left = r.capacity, r.w, int32(len(r.edges))
		}
	}
}

// weigh takes a class into the part and adds its mass to its resources.
func (p *part) weigh(id int32, c *class) {
	c.mark = p.epoch
	p.classes = append(p.classes, id)
	if c.capped {
		p.capped = append(p.capped, id)
	}
	resources := p.graph.resources
	if c.plain {
		for _, r := range c.near[:c.uses] {
			resources[r].w += c.mass
		}
		return
	}
	uses := p.graph.bodies[id].uses
	for i := range uses {
		resources[uses[i].resource].w += uses[i].ratio * c.mass
	}
}
