// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// link is a class's use of a resource; edge is the same seen from the resource. Each knows the
// place of the other, so that both go in O(1).
type link struct {
	resource int32
	place    int32 // of the edge, in resource.edges
	ratio    float64
}

type edge struct {
	class int32
	use   int32   // place of the link, in body.uses
	ratio float64 // coefficient divided by the coefficient of the class's first use
	arm   float64 // see arm.go
}

// graph joins supply and demand: which class uses which resource, and what follows from the classes'
// levels for a resource.
type graph struct {
	supply
	demand
}

// classOf finds or makes the class of a checked spec with the given cap level.
func (g *graph) classOf(spec *Spec, limit float64) (id int32, made bool) {
	id, hash := g.seek(spec, limit)
	if id >= 0 {
		return id, false
	}
	id = g.demand.add(limit, hash)
	g.connect(id, spec.Uses)
	if len(spec.Uses) == 0 {
		g.classes[id].level = limit
	} else {
		g.fresh = append(g.fresh, id)
	}
	return id, true
}

// connect gives a new class its resources.
func (g *graph) connect(id int32, uses []Use) {
	c, b := &g.classes[id], &g.bodies[id]
	c.uses, c.plain = int16(len(uses)), len(uses) <= len(c.near)
	for i := range uses {
		u := &uses[i]
		r := &g.resources[u.Resource]
		ratio := u.Coefficient / uses[0].Coefficient
		b.uses = append(b.uses, link{int32(u.Resource), int32(len(r.edges)), ratio})
		arm := 0.0
		if r.level != math.Inf(1) {
			arm = math.Inf(1)
		}
		r.edges = append(r.edges, edge{id, int32(i), ratio, arm})
		c.ceiling = min(c.ceiling, arm)
		if c.plain = c.plain && ratio == 1; c.plain {
			c.near[i] = int32(u.Resource)
		}
	}
}

// remove drops a class without members and its edges.
func (g *graph) remove(id int32) {
	uses := g.bodies[id].uses
	for i := range uses {
		u := &uses[i]
		r := &g.resources[u.resource]
		n := len(r.edges) - 1
		last := r.edges[n]
		r.edges = r.edges[:n]
		if int(u.place) < n {
			r.edges[u.place] = last
			g.bodies[last.class].uses[last.use].place = u.place
		}
	}
	g.drop(id)
}

// change notes that a class has gained a member of the given streams, or lost one: then they are
// negative.
func (g *graph) change(id int32, streams int32) {
	uses := g.bodies[id].uses
	for i := range uses {
		r := uses[i].resource
		g.stocks[r].streams += int64(streams)
		g.touch(r)
	}
}

// clean forgets what changed: a solution has taken it up.
func (g *graph) clean() {
	for _, r := range g.dirty {
		g.stocks[r].dirty = false
	}
	g.dirty, g.fresh = g.dirty[:0], g.fresh[:0]
}

// used returns how much of a resource its classes take.
func (g *graph) used(r Resource) (sum float64) {
	edges := g.resources[r].edges
	for i := range edges {
		e := &edges[i]
		sum += e.ratio * g.classes[e.class].mass * g.classes[e.class].level
	}
	return sum
}

// saturation returns the level, or a lower bound of it, at which a resource is exhausted while all
// classes that other resources or caps hold back keep their levels; +Inf if it never is. Use is a
// concave function of the level, so Newton's steps come from below. A resource that is not exhausted
// is armed anew where its arms no longer fit its capacity.
func (g *graph) saturation(r int32) float64 {
	res := &g.resources[r]
	edges, classes := res.edges, g.classes
	used, mass, armed := 0.0, 0.0, 0.0
	for i := range edges {
		e := &edges[i]
		c := &classes[e.class]
		x := e.ratio * c.mass
		mass += x
		used += x * g.bound(e.class, c)
		armed += x * e.arm
	}
	if used <= res.capacity*(1+slack) {
		if armed > res.capacity && res.level == math.Inf(1) {
			g.arm(r)
		}
		return math.Inf(1)
	}
	level := res.capacity / mass
	for range 6 {
		rem, w := res.capacity, 0.0
		for i := range edges {
			e := &edges[i]
			c := &classes[e.class]
			x := e.ratio * c.mass
			if l := g.bound(e.class, c); l < level {
				rem -= x * l
			} else {
				w += x
			}
		}
		if w == 0 {
			break
		}
		better := rem / w
		if !(better > level*(1+slack)) {
			break
		}
		level = better
	}
	return level
}
