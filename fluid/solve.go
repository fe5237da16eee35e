// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
	"slices"
)

// slack is the relative amount by which a sum may pass a capacity through rounding alone.
const slack = 1e-12

// tick begins a new epoch. Marks are 32 bits wide; before they wrap all are cleared.
func (s *Solver) tick() {
	s.epoch++
	if s.epoch < math.MaxUint32-1 && s.filling < math.MaxUint32-1<<20 {
		return
	}
	s.epoch, s.filling = 1, 0
	for i := range s.classes {
		s.classes[i].mark, s.classes[i].frozen = 0, 0
	}
	for i := range s.resources {
		s.resources[i].mark, s.cold[i].checked = 0, 0
	}
}

// flush solves what changed since the last time and renews the finish times. The clock is where the
// changes were made. Under Manual it leaves the rates as they are.
func (s *Solver) flush() {
	if s.manual {
		s.renew()
	} else {
		s.solve()
	}
}

func (s *Solver) solve() {
	if len(s.dirty) == 0 && len(s.stale) == 0 {
		return
	}
	s.tick()
	s.part, s.inside, s.capped, s.rearm = s.part[:0], s.inside[:0], s.capped[:0], s.rearm[:0]
	s.floor = math.Inf(1)
	for _, r := range s.dirty {
		s.cold[r].dirty = false
		s.seed(r)
	}
	s.floor *= 1 - slack
	for _, id := range s.fresh {
		if c := &s.classes[id]; len(s.bodies[id].members) > 0 && math.IsInf(c.level, 1) && c.mark != s.epoch {
			s.join(id)
		}
	}
	s.dirty, s.fresh = s.dirty[:0], s.fresh[:0]
	done := 0
	for len(s.part) > 0 || len(s.inside) > 0 {
		done = s.spread(done)
		s.fill()
		if !s.overrun() {
			break
		}
	}
	s.commit()
}

// seed works out whether a changed resource moves anything. If so it lowers the floor and takes the
// resource in. A resource whose only class uses nothing else is solved here: no filling is needed.
func (s *Solver) seed(r int32) {
	res := &s.resources[r]
	if len(res.edges) == 0 {
		res.level = math.Inf(1)
		return
	}
	if len(res.edges) == 1 {
		id := res.edges[0].class
		if c := &s.classes[id]; c.uses == 1 {
			level := res.capacity / c.mass
			res.level, res.edges[0].arm = level, math.Inf(1)
			if limit := s.bodies[id].cap; limit <= level {
				res.edges[0].arm = level
				level, res.level = limit, math.Inf(1)
			}
			c.ceiling = res.edges[0].arm
			s.relevel(id, level)
			return
		}
	}
	level := s.saturation(r)
	least := min(level, res.level)
	if math.IsInf(least, 1) || len(s.fresh) == 0 && math.Abs(level-res.level) <= 1e-15*least {
		return
	}
	s.floor = min(s.floor, least)
	s.enter(r)
}

// saturation returns the level, or a lower bound of it, at which a resource is exhausted while all
// classes that other resources or caps hold back keep their levels; +Inf if it never is. Use is a
// concave function of the level, so Newton's steps come from below.
func (s *Solver) saturation(r int32) float64 {
	res := &s.resources[r]
	used, mass, armed := 0.0, 0.0, 0.0
	for i := range res.edges {
		e := &res.edges[i]
		c := &s.classes[e.class]
		x := e.ratio * c.mass
		mass += x
		used += x * s.bound(e.class, c)
		armed += x * e.arm
	}
	if used <= res.capacity*(1+slack) {
		if armed > res.capacity && res.level == math.Inf(1) {
			s.arm(r)
		}
		return math.Inf(1)
	}
	level := res.capacity / mass
	for range 6 {
		rem, w := res.capacity, 0.0
		for i := range res.edges {
			e := &res.edges[i]
			c := &s.classes[e.class]
			x := e.ratio * c.mass
			if l := s.bound(e.class, c); l < level {
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

// bound returns the level of a class, the level of its cap if it is new.
func (s *Solver) bound(id int32, c *class) float64 {
	if c.level == math.Inf(1) {
		return s.bodies[id].cap
	}
	return c.level
}

// enter takes a resource into the part to solve.
func (s *Solver) enter(r int32) {
	s.resources[r].mark = s.epoch
	s.cold[r].held = s.resources[r].level != math.Inf(1)
	s.inside = append(s.inside, r)
}

// join takes a class into the part to solve, and those of its resources that hold somebody back.
func (s *Solver) join(id int32) {
	c := &s.classes[id]
	c.mark = s.epoch
	s.part = append(s.part, id)
	if c.capped {
		s.capped = append(s.capped, id)
	}
	if c.plain {
		for _, r := range c.near[:c.uses] {
			if res := &s.resources[r]; res.level != math.Inf(1) && res.mark != s.epoch {
				s.enter(r)
			}
		}
		return
	}
	for i := range s.bodies[id].uses {
		r := s.bodies[id].uses[i].resource
		if res := &s.resources[r]; res.level != math.Inf(1) && res.mark != s.epoch {
			s.enter(r)
		}
	}
}

// spread follows the part from the resources inside, the first done of which have been followed
// already, lists the classes of each that are part, and sums what those below the floor take. It
// returns how many are followed now. Whether a class is below the floor is a coin toss, so both sums
// take all classes, with a mask; levels are never negative, so their bits compare like numbers.
func (s *Solver) spread(done int) int {
	epoch, floor, classes := s.epoch, math.Float64bits(s.floor), s.classes
	if done == 0 {
		s.list = s.list[:0]
	}
	for ; done < len(s.inside); done++ {
		r := s.inside[done]
		res := &s.resources[r]
		edges, from := res.edges, len(s.list)
		s.list = slices.Grow(s.list, len(edges))
		list := s.list[from : from+len(edges)]
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
		s.list = s.list[:from+n]
		k := &s.cold[r]
		k.rem0, k.w0, k.left0, k.from = res.capacity-used, w, int32(n), int32(from)
		for _, id := range list[:n] {
			if classes[id].mark != epoch {
				s.join(id)
			}
		}
	}
	return done
}

// overrun checks the borders of the classes whose new level is above their ceiling. It takes in those
// that the new levels would overload and reports whether there are any.
func (s *Solver) overrun() bool {
	found := false
	for _, id := range s.suspects {
		for i := range s.bodies[id].uses {
			r := s.bodies[id].uses[i].resource
			res := &s.resources[r]
			if res.mark == s.epoch || s.cold[r].checked == s.filling {
				continue
			}
			s.cold[r].checked = s.filling
			used := 0.0
			for k := range res.edges {
				e := &res.edges[k]
				c := &s.classes[e.class]
				l := c.level
				if c.mark == s.epoch {
					l = c.next
				}
				used += e.ratio * c.mass * l
			}
			if used > res.capacity*(1+slack) {
				s.enter(r)
				found = true
			} else {
				s.rearm = append(s.rearm, r)
			}
		}
	}
	return found
}
