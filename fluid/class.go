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
	use   int32   // place of the link, in class.uses
	ratio float64 // coefficient divided by the coefficient of the class's first use
	arm   float64 // see arm.go
}

// class is a set of activities whose rates, divided by their weights, are equal for ever. It is what
// the filling reads, in one cache line; the rest is in body.
//
// A member of weight w and first coefficient a adds w·a to the mass. At level l the class takes
// ratio·mass·l of a resource, and the clock, the integral of the level, rises by l a second; a member
// ends when the clock has risen by work/w.
type class struct {
	level   float64 // +Inf from creation to the first solution
	next    float64 // level found by the filling under way
	mass    float64
	ceiling float64  // least arm of its edges
	mark    uint32   // epoch of the solution that it is part of
	frozen  uint32   // number of the filling that froze it
	near    [4]int32 // its resources, if it is plain
	uses    int16    // how many resources
	plain   bool     // at most four resources, all ratios 1
	capped  bool
}

// body is the rest of a class. What commit reads stands first, and the size is two cache lines.
type body struct {
	clock   float64 // at time since
	since   float64
	end     float64 // finish of the first member
	stale   bool    // the first member changed, neither end nor times say so yet
	started int32   // members added since the clock was last set to zero
	uses    []link
	members []member
	cap     float64 // level at which the cap is met, +Inf if none
	peak    float64 // greatest mass since it was last summed afresh
	hash    uint64
	_       [24]byte
}

// settle brings the clock to now.
func (b *body) settle(now, level float64) {
	if now > b.since {
		b.clock += level * (now - b.since)
		b.since = now
	}
}

// lighten takes mass off. Where little is left of what there was, the rest is summed afresh, so that
// the rounding of large terms does not outlive them.
func (s *Solver) lighten(c *class, b *body, mass float64) {
	c.mass -= mass
	if len(b.members) == 0 {
		c.mass, b.peak = 0, 0
	} else if c.mass < b.peak/1024 {
		c.mass = 0
		for i := range b.members {
			c.mass += s.activities[b.members[i].slot()].mass
		}
		b.peak = c.mass
	}
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// classOf finds or makes the class of a checked spec with the given cap level.
func (s *Solver) classOf(spec *Spec, limit float64) int32 {
	h := mix(uint64(len(spec.Uses))+1, math.Float64bits(limit))
	for i := range spec.Uses {
		u := &spec.Uses[i]
		h = mix(mix(h, uint64(u.Resource)), math.Float64bits(u.Coefficient/spec.Uses[0].Coefficient))
	}
	if len(s.index) > 0 {
		for i := h & uint64(len(s.index)-1); s.index[i] != 0; i = (i + 1) & uint64(len(s.index)-1) {
			if id := s.index[i] - 1; s.bodies[id].hash == h && s.fits(&s.bodies[id], spec, limit) {
				return id
			}
		}
	}
	return s.makeClass(spec, limit, h)
}

func (s *Solver) fits(c *body, spec *Spec, limit float64) bool {
	if c.cap != limit || len(c.uses) != len(spec.Uses) {
		return false
	}
	for i := range c.uses {
		u := &spec.Uses[i]
		if c.uses[i].resource != int32(u.Resource) || c.uses[i].ratio != u.Coefficient/spec.Uses[0].Coefficient {
			return false
		}
	}
	return true
}

func (s *Solver) makeClass(spec *Spec, limit float64, hash uint64) int32 {
	var id int32
	if n := len(s.freeClasses); n > 0 {
		id = s.freeClasses[n-1]
		s.freeClasses = s.freeClasses[:n-1]
	} else {
		id = int32(len(s.classes))
		s.classes = append(s.classes, class{})
		s.bodies = append(s.bodies, body{})
		s.times.grow(len(s.classes))
	}
	c, b := &s.classes[id], &s.bodies[id]
	*c = class{level: math.Inf(1), ceiling: math.Inf(1), uses: int16(len(spec.Uses)), capped: !math.IsInf(limit, 1)}
	c.plain = len(spec.Uses) <= len(c.near)
	*b = body{uses: b.uses[:0], members: b.members[:0], cap: limit, since: s.now, hash: hash}
	for i := range spec.Uses {
		u := &spec.Uses[i]
		r := &s.resources[u.Resource]
		ratio := u.Coefficient / spec.Uses[0].Coefficient
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
	if len(b.uses) == 0 {
		c.level = limit
	} else {
		s.fresh = append(s.fresh, id)
	}
	s.enlist(id)
	return id
}

// dropClass removes an empty class.
func (s *Solver) dropClass(id int32) {
	c := &s.bodies[id]
	for i := range c.uses {
		u := &c.uses[i]
		r := &s.resources[u.resource]
		n := len(r.edges) - 1
		last := r.edges[n]
		r.edges = r.edges[:n]
		if int(u.place) < n {
			r.edges[u.place] = last
			s.bodies[last.class].uses[last.use].place = u.place
		}
	}
	s.delist(id)
	s.times.set(id, math.Inf(1))
	s.freeClasses = append(s.freeClasses, id)
}

// enlist puts a class into the hash index, which is open-addressed and at most half full.
func (s *Solver) enlist(id int32) {
	if live := len(s.classes) - len(s.freeClasses); 2*live > len(s.index) {
		old := s.index
		s.index = make([]int32, max(64, 2*len(old)))
		for _, entry := range old {
			if entry != 0 {
				s.place(entry)
			}
		}
	}
	s.place(id + 1)
}

func (s *Solver) place(entry int32) {
	mask := uint64(len(s.index) - 1)
	i := s.bodies[entry-1].hash & mask
	for s.index[i] != 0 {
		i = (i + 1) & mask
	}
	s.index[i] = entry
}

// delist takes a class out of the index and closes the gap.
func (s *Solver) delist(id int32) {
	mask := uint64(len(s.index) - 1)
	i := s.bodies[id].hash & mask
	for s.index[i] != id+1 {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; s.index[j] != 0; j = (j + 1) & mask {
		home := s.bodies[s.index[j]-1].hash & mask
		if (j-home)&mask >= (j-i)&mask {
			s.index[i] = s.index[j]
			i = j
		}
	}
	s.index[i] = 0
}
