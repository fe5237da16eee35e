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

// Next returns the time of the next completion if nothing changes before, and false if there is none:
// nothing runs, or what runs stands still (see Stalled). It passes over those that are quiet (see Hush).
func (s *Solver) Next() (float64, bool) {
	t := s.least()
	if b := &s.bookings; b.next < len(b.list) && !s.Hush.Off {
		t = b.aloud()
	}
	return max(t, s.agenda.now), !math.IsInf(t, 1)
}

// least solves what changed since the last time and returns the time of the next completion, +Inf if there
// is none. The clock is where the changes were made. Under Manual it leaves the rates as they are.
func (s *Solver) least() float64 {
	if s.manual {
		return s.bookings.upcoming()
	}
	s.solution.solve()
	return s.agenda.times.least()
}

// Advance moves the clock to now and calls yield for each completion on the way, in order of (time,
// start). Within yield, Now is the time of the completion, and Start, Cancel and the setters may be
// called with that time; Advance must not. A nil yield drops the completions.
func (s *Solver) Advance(now float64, yield func(Done)) error {
	if err := s.movable(now); err != nil {
		return err
	}
	for {
		t := s.least()
		if t > now {
			break
		}
		s.agenda.now = max(t, s.agenda.now)
		if s.manual {
			s.batch = s.bookings.collect(s.batch[:0])
		} else {
			s.complete()
		}
		if yield != nil {
			for _, d := range s.batch {
				yield(d)
			}
		}
	}
	s.agenda.now = max(s.agenda.now, now)
	return nil
}

// complete ends the activities that are due now and leaves them in batch, in order of start.
func (s *Solver) complete() {
	now := s.agenda.now
	limit := now + together*now
	s.batch = s.batch[:0]
	s.due = s.agenda.times.due(limit, s.due[:0])
	for _, leaf := range s.due {
		l := s.agenda.line(s.agenda.leaves[leaf])
		span := l.first() + l.level*(limit-now)
		for len(l.members) > 0 && l.first() <= span {
			key := s.agenda.services[l.members[0].slot()].top.key
			s.batch = append(s.batch, Done{Handle(key), s.slots.all[slotOf(key)].tag, now})
			s.end(slotOf(key))
		}
	}
	if len(s.batch) > 1 {
		slices.SortFunc(s.batch, func(a, b Done) int { return cmp.Compare(a.Handle, b.Handle) })
	}
}

// moveTo sets the clock for a change. Completions before now must have been taken by Advance.
func (s *Solver) moveTo(now float64) error {
	if now == s.agenda.now {
		return nil
	}
	if err := s.movable(now); err != nil {
		return err
	}
	if t := s.least(); t < now {
		return fmt.Errorf("fluid: change at %v, but an activity ends at %v: call Advance first: %w", now, t, ErrTime)
	}
	s.agenda.now = now
	return nil
}

// movable reports why the clock cannot move to now, nil if it can.
func (s *Solver) movable(now float64) error {
	if !(now >= s.agenda.now) || math.IsInf(now, 1) {
		return fmt.Errorf("fluid: time %v, must be finite and not before %v: %w", now, s.agenda.now, ErrTime)
	}
	if s.manual && s.unsolved {
		return fmt.Errorf("fluid: time %v, but activities started at %v wait for Refresh: %w", now, s.agenda.now, ErrTime)
	}
	return nil
}

// Manual makes rates change only when Refresh is called, until it is called with false. In between,
// activities that end or are cancelled leave their share unused, so no resource is ever above its
// capacity. A start must be followed by Refresh before time moves on. It is the way to runs so large
// that solving at every start and end costs too much: a caller refreshes on a tick of its own.
func (s *Solver) Manual(on bool) {
	if s.manual && !on {
		s.Refresh()
	}
	s.manual, s.solution.lazy = on, on
	s.bookings.last, s.bookings.step = s.agenda.now, 0
}

// Refresh solves all changes since the last solution, at the present time.
func (s *Solver) Refresh() {
	s.unsolved, s.Hush.Off = false, false
	s.bookings.unbook()
	s.bookings.last, s.bookings.step = s.agenda.now, s.agenda.now-s.bookings.last
	s.solution.solve()
}
