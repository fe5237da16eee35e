// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// commit gives the classes their new levels and renews the finish times that moved.
func (s *Solver) commit() {
	bulk := 4*len(s.part) > s.times.size
	for _, id := range s.part {
		c := &s.classes[id]
		if c.next == c.level {
			continue
		}
		b := &s.bodies[id]
		b.settle(s.now, c.level)
		c.level = c.next
		if t := s.finish(b, c.level); bulk {
			s.times.put(id, t)
		} else {
			s.times.set(id, t)
		}
	}
	if bulk {
		s.times.rebuild()
	}
	s.renew()
	if s.manual {
		return // nothing is solved in part: arms are not needed
	}
	for _, r := range s.inside {
		if s.resources[r].level == math.Inf(1) {
			s.arm(r)
		} else if !s.cold[r].held {
			s.disarm(r)
		}
	}
	for _, r := range s.rearm {
		if s.resources[r].mark != s.epoch {
			s.arm(r)
		}
	}
}

// renew works out the next end of the classes whose first member changed.
func (s *Solver) renew() {
	for _, id := range s.stale {
		if b := &s.bodies[id]; b.stale && len(b.members) > 0 {
			b.settle(s.now, s.classes[id].level)
			s.times.set(id, s.finish(b, s.classes[id].level))
		}
	}
	s.stale = s.stale[:0]
}

// relevel gives one class a new level.
func (s *Solver) relevel(id int32, level float64) {
	c, b := &s.classes[id], &s.bodies[id]
	b.settle(s.now, c.level)
	c.level = level
	s.times.set(id, s.finish(b, level))
}

// finish returns when the first member of a settled class ends.
func (s *Solver) finish(b *body, level float64) float64 {
	if b.stale {
		b.end, b.stale = b.members[0].finish(), false
	}
	left := b.end - b.clock
	if left <= 0 {
		return s.now
	}
	return s.now + left/level
}
