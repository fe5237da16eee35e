// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
)

// Manual makes rates change only when Refresh is called, until it is called with false. In between,
// activities that end or are cancelled leave their share unused, so no resource is ever above its
// capacity. A start must be followed by Refresh before time moves on. It is the way to runs so large
// that solving at every start and end costs too much: a caller refreshes on a tick of its own.
func (s *Solver) Manual(on bool) {
	if s.manual && !on {
		s.Refresh()
		for r := range s.resources {
			if s.resources[r].level == math.Inf(1) {
				s.arm(int32(r))
			} else {
				s.disarm(int32(r))
			}
		}
	}
	s.manual = on
}

// Refresh solves all changes since the last solution, at the present time.
func (s *Solver) Refresh() {
	s.unsolved = false
	if s.manual {
		s.solveAll()
	} else {
		s.solve()
	}
}

// solveAll does the filling of everything. Between two ticks so much changes that to find out what
// stays as it is would cost more than it saves.
func (s *Solver) solveAll() {
	if len(s.dirty) == 0 && len(s.stale) == 0 {
		return
	}
	s.tick()
	s.part, s.inside, s.capped = s.part[:0], s.inside[:0], s.capped[:0]
	for _, r := range s.dirty {
		s.cold[r].dirty = false
	}
	s.dirty, s.fresh = s.dirty[:0], s.fresh[:0]
	for i := range s.resources {
		r, k := &s.resources[i], &s.cold[i]
		r.mark, r.level = s.epoch, math.Inf(1)
		k.rem0, k.w0, k.left0 = r.capacity, 0, int32(len(r.edges))
		if len(r.edges) > 0 {
			s.inside = append(s.inside, int32(i))
		}
	}
	for i := range s.classes {
		if c := &s.classes[i]; c.mass > 0 && c.uses > 0 {
			s.weigh(int32(i), c)
		}
	}
	s.fill()
	s.commit()
}

// weigh makes a class part of the filling of everything.
func (s *Solver) weigh(id int32, c *class) {
	c.mark = s.epoch
	s.part = append(s.part, id)
	if c.capped {
		s.capped = append(s.capped, id)
	}
	if c.plain {
		for _, r := range c.near[:c.uses] {
			s.cold[r].w0 += c.mass
		}
		return
	}
	uses := s.bodies[id].uses
	for i := range uses {
		s.cold[uses[i].resource].w0 += uses[i].ratio * c.mass
	}
}

// movable reports why the clock can not move to now, nil if it can.
func (s *Solver) movable(now float64) error {
	if !(now >= s.now) || math.IsInf(now, 1) {
		return fmt.Errorf("fluid: time %v, must be finite and not before %v: %w", now, s.now, ErrTime)
	}
	if s.manual && s.unsolved {
		return fmt.Errorf("fluid: time %v, but activities started at %v wait for Refresh: %w", now, s.now, ErrTime)
	}
	return nil
}
