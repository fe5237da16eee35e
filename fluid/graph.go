// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// graph joins supply and demand: which class is on which bottlenecks, which of them holds it, and what
// that puts on the others.
type graph struct {
	supply
	demand
	pairs pairs
}

// classOf finds or makes the class of a checked spec with the given cap level.
func (g *graph) classOf(spec *Spec, limit float64) (id int32, made bool) {
	id, hash := g.seek(spec, limit, g.numbers)
	if id >= 0 {
		return id, false
	}
	id = g.demand.add(limit, hash)
	c := &g.classes[id]
	for i := range spec.Uses {
		u := &spec.Uses[i]
		c.uses = append(c.uses, link{g.numbers[u.Resource], -1, -1, u.Coefficient / spec.Uses[0].Coefficient})
	}
	if limit != math.Inf(1) {
		c.uses = append(c.uses, link{g.capAt(limit), -1, -1, 0})
	}
	g.fresh = append(g.fresh, id)
	return id, true
}

// settle tells the pairs of the classes that changed, in one go for all that has come and gone. Classes
// without members are dropped.
func (g *graph) settle() {
	for _, id := range g.changed {
		if c := &g.classes[id]; c.mass.sum == 0 {
			g.remove(id)
		} else {
			g.adjust(c)
		}
	}
	g.changed = g.changed[:0]
}

// adjust tells the pairs of a class its present mass, and its bottlenecks its streams.
func (g *graph) adjust(c *class) {
	more, streams := c.mass.sum-c.felt, c.streams
	c.felt, c.streams, c.listed = c.mass.sum, 0, false
	for i := range c.uses {
		u := &c.uses[i]
		if streams != 0 {
			g.flow(u.on, streams)
		}
		if u.pair < 0 || more == 0 {
			continue
		}
		k := &g.pairs.all[u.pair]
		if more > 0 {
			k.mass.add(u.ratio * more)
		} else if k.mass.sub(-u.ratio*more, len(k.seats)) {
			g.recount(k)
		}
		g.weigh(k)
		g.felt(u, u.ratio*more)
	}
}

// felt notes that what a class takes by a use has grown by a mass x.
func (g *graph) felt(u *link, x float64) {
	if g.holds(u.on) {
		g.note(u.on, g.levels[u.on])
	} else {
		g.reserve(u.pair, x)
	}
}

// remove drops a class that has no members any more.
func (g *graph) remove(id int32) {
	c := &g.classes[id]
	for i := range c.uses {
		u := &c.uses[i]
		g.flow(u.on, c.streams)
		if u.pair >= 0 {
			g.felt(u, -u.ratio*c.felt)
			g.unseat(id, i)
		}
	}
	if c.cap != math.Inf(1) {
		g.leaveCap(g.capOf(id))
	}
	c.felt, c.holder = 0, -1
	g.drop(id)
}

// attach gives a class without holder one. It is the least level among the class's bottlenecks.
func (g *graph) attach(id, to int32) {
	c := &g.classes[id]
	c.holder = to
	for i := range c.uses {
		u := &c.uses[i]
		x := u.ratio * c.felt
		arm := 0.0
		if !g.holds(u.on) {
			arm = g.allow(to, u.on, x)
		}
		k, _ := g.pairOf(to, u.on, arm)
		g.seat(id, i, k)
		g.felt(u, x)
	}
}

// move gives a class to another holder among its bottlenecks.
func (g *graph) move(id, to int32) {
	c := &g.classes[id]
	c.holder = to
	for i := range c.uses {
		u := &c.uses[i]
		if g.holds(u.on) {
			g.unseat(id, i)
			k, _ := g.pairOf(to, u.on, 0)
			g.seat(id, i, k)
			g.note(u.on, g.levels[u.on])
			continue
		}
		arm, x := *g.armOf(u.pair), u.ratio*c.felt
		g.unseat(id, i)
		k, made := g.pairOf(to, u.on, arm)
		if !made { // the sum of mass times arm stays
			had := g.pairs.all[k].mass.sum
			joint := (had*(*g.armOf(k)) + x*arm) / (had + x)
			*g.armOf(k) = joint
			g.bottlenecks[to].ceiling = min(g.bottlenecks[to].ceiling, joint)
		}
		g.seat(id, i, k)
		if level := g.levels[to]; *g.armOf(k) < level {
			g.note(u.on, level)
		}
	}
}
