// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// together is how close in relative time completions count as simultaneous: they are worked out at
// the time of the first, in one solution. Rounding sets equal ends apart by less.
const together = 1e-13

// Cancel ends an activity now without a completion. It returns the work that was left, and false if
// the activity is not running. Completions up to now must have been taken by Advance.
func (s *Solver) Cancel(now float64, h Handle) (left float64, ok bool, err error) {
	if err := s.moveTo(now); err != nil {
		return 0, false, err
	}
	slot, ok := s.find(h)
	if !ok {
		return 0, false, nil
	}
	left, _ = s.Left(h) // settles the class
	s.end(slot)
	return left, true, nil
}

// Next returns the time of the next completion if nothing changes before, and false if there is none:
// nothing runs, or what runs stands still (see Stalled).
func (s *Solver) Next() (float64, bool) {
	s.flush()
	t := s.times.least()
	return max(t, s.now), !math.IsInf(t, 1)
}

// Advance moves the clock to now and calls yield for each completion on the way, in order of (time,
// start). Within yield, Now is the time of the completion, and Start, Cancel and the setters may be
// called with that time; Advance must not. A nil yield drops the completions.
func (s *Solver) Advance(now float64, yield func(Done)) error {
	if err := s.movable(now); err != nil {
		return err
	}
	for {
		s.flush()
		t := s.times.least()
		if t > now {
			break
		}
		s.now = max(t, s.now)
		s.complete()
		if yield != nil {
			for _, d := range s.batch {
				yield(d)
			}
		}
	}
	s.now = max(s.now, now)
	return nil
}

// complete ends the activities that are due now and leaves them in batch, in order of start.
func (s *Solver) complete() {
	s.batch = s.batch[:0]
	limit := s.now + together*s.now
	s.due = s.times.due(limit, s.due[:0])
	for _, id := range s.due {
		c, level := &s.bodies[id], s.classes[id].level
		c.settle(s.now, level)
		until := max(c.clock, c.members[0].finish()) + level*(limit-s.now)
		for len(c.members) > 0 && c.members[0].finish() <= until {
			key := c.members[0].key
			slot := c.members[0].slot()
			s.batch = append(s.batch, Done{Handle(key), s.activities[slot].tag, s.now})
			s.end(slot)
		}
	}
	if len(s.batch) > 1 {
		slices.SortFunc(s.batch, func(a, b Done) int { return cmp.Compare(a.Handle, b.Handle) })
	}
}

// Rate returns an activity's present rate in units a second, false if it is not running.
func (s *Solver) Rate(h Handle) (float64, bool) {
	slot, ok := s.find(h)
	if !ok {
		return 0, false
	}
	s.flush()
	a := &s.activities[slot]
	return a.weight * s.classes[a.class].level, true
}

// Left returns the work an activity has left at Now, false if it is not running.
func (s *Solver) Left(h Handle) (float64, bool) {
	slot, ok := s.find(h)
	if !ok {
		return 0, false
	}
	a := &s.activities[slot]
	c := &s.bodies[a.class]
	c.settle(s.now, s.classes[a.class].level)
	return max(0, c.members[a.place].finish()-c.clock) * a.weight, true
}

// Load returns how much of a resource is in use and its present capacity.
func (s *Solver) Load(r Resource) (used, capacity float64) {
	s.flush()
	res := &s.resources[r]
	for i := range res.edges {
		e := &res.edges[i]
		used += e.ratio * s.classes[e.class].mass * s.classes[e.class].level
	}
	return used, res.capacity
}

// Stalled returns nil, or an error (ErrStalled) that names the first-started activity whose rate is
// zero and a resource that is switched off under it. Unless the resource is switched on again the
// activity never finishes. A caller asks when Next says false while Running is not zero.
func (s *Solver) Stalled() error {
	s.flush()
	var first *activity
	for i := range s.activities {
		a := &s.activities[i]
		if a.key != 0 && s.classes[a.class].level == 0 && (first == nil || a.key < first.key) {
			first = a
		}
	}
	if first == nil {
		return nil
	}
	off := "?"
	for _, u := range s.bodies[first.class].uses {
		if s.resources[u.resource].capacity == 0 {
			off = s.names[u.resource]
			break
		}
	}
	return fmt.Errorf("fluid: activity %d: resource %q is switched off, so its rate is 0: %w", first.tag, off, ErrStalled)
}
