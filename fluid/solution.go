// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// slack is the relative amount by which a sum may pass a capacity through rounding alone.
const slack = 1e-12

// solution finds the levels that follow from the changes since the last one: it chooses the part to
// solve, has it filled, takes in the borders that were overrun, and tells graph and agenda the levels
// in the end. What it holds between two solutions is memory to use again.
type solution struct {
	graph   *graph
	agenda  *agenda
	part    part
	filling filling
	rearm   []int32 // borders whose arms are to be set at the end
}

// init ties a solution to what it reads and writes.
func (s *solution) init(g *graph, a *agenda) {
	s.graph, s.agenda = g, a
	s.part.graph = g
	s.filling.part = &s.part
}

// changed reports whether there is anything to solve.
func (s *solution) changed() bool { return len(s.graph.dirty) > 0 || len(s.agenda.stale) > 0 }

// solve solves what the changes can move, at the present time.
func (s *solution) solve() {
	if !s.changed() {
		return
	}
	g, p := s.graph, &s.part
	p.begin(false)
	s.rearm = s.rearm[:0]
	for _, r := range g.dirty {
		s.seed(r)
	}
	p.floor *= 1 - slack
	for _, id := range g.fresh {
		if c := &g.classes[id]; c.mass > 0 && math.IsInf(c.level, 1) && c.mark != p.epoch {
			p.join(id)
		}
	}
	g.clean()
	for len(p.classes) > 0 || len(p.inside) > 0 {
		p.spread()
		s.filling.run()
		if !s.overrun() {
			break
		}
	}
	s.agenda.commit(g.classes, p.classes)
	s.setArms()
}

// solveAll solves everything. Between two ticks so much changes that finding out what stays as it is
// would cost more than it saves. It leaves the arms as they are: see graph.armAll.
func (s *solution) solveAll() {
	if !s.changed() {
		return
	}
	s.part.begin(true)
	s.graph.clean()
	s.part.takeAll()
	s.filling.run()
	s.agenda.commit(s.graph.classes, s.part.classes)
}

// seed works out whether a changed resource moves anything. If so it lowers the floor and takes the
// resource in. A resource whose only class uses nothing else is solved here: no filling is needed.
func (s *solution) seed(r int32) {
	g, p := s.graph, &s.part
	res := &g.resources[r]
	if len(res.edges) == 0 {
		res.level = math.Inf(1)
		return
	}
	if len(res.edges) == 1 && g.classes[res.edges[0].class].uses == 1 {
		s.solveAlone(res, &res.edges[0])
		return
	}
	level := g.saturation(r)
	least := min(level, res.level)
	if math.IsInf(least, 1) || len(g.fresh) == 0 && math.Abs(level-res.level) <= 1e-15*least {
		return
	}
	p.floor = min(p.floor, least)
	p.enter(r, res)
}

// solveAlone solves a resource whose only class, at edge e, uses nothing else.
func (s *solution) solveAlone(res *resource, e *edge) {
	c := &s.graph.classes[e.class]
	level := res.capacity / c.mass
	res.level, e.arm = level, math.Inf(1)
	if limit := s.graph.bodies[e.class].cap; limit <= level {
		e.arm = level
		level, res.level = limit, math.Inf(1)
	}
	c.ceiling, c.level = e.arm, level
	s.agenda.relevel(e.class, level)
}

// overrun checks the borders of the classes whose new level is above their ceiling. It takes in those
// that the new levels would overload and reports whether there are any.
func (s *solution) overrun() bool {
	found := false
	for _, id := range s.filling.suspects {
		uses := s.graph.bodies[id].uses
		for i := range uses {
			r := uses[i].resource
			res := &s.graph.resources[r]
			if res.mark == s.part.epoch || res.mark == s.filling.number {
				continue
			}
			res.mark = s.filling.number
			if s.wanted(res) > res.capacity*(1+slack) {
				s.part.enter(r, res)
				found = true
			} else {
				s.rearm = append(s.rearm, r)
			}
		}
	}
	return found
}

// wanted returns what the classes would take of a resource at the new levels.
func (s *solution) wanted(res *resource) (sum float64) {
	for i := range res.edges {
		e := &res.edges[i]
		c := &s.graph.classes[e.class]
		l := c.level
		if c.mark == s.part.epoch {
			l = c.next
		}
		sum += e.ratio * c.mass * l
	}
	return sum
}

// setArms renews the arms of the resources inside and of the borders that were checked.
func (s *solution) setArms() {
	g, p := s.graph, &s.part
	for i := range p.inside {
		k := &p.inside[i]
		if g.resources[k.resource].level == math.Inf(1) {
			g.arm(k.resource)
		} else if !k.held {
			g.disarm(k.resource)
		}
	}
	for _, r := range s.rearm {
		if g.resources[r].mark != p.epoch {
			g.arm(r)
		}
	}
}
