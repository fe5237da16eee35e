// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"cmp"
	"slices"
)

// booking is the end of an activity that is certain unless it is cancelled or rates are refreshed first.
type booking struct {
	time    float64
	key     uint64 // 0 if it was cancelled
	tag     uint64
	mass    float64
	class   int32
	streams int32
}

// bookings are the ends of a while, in order of (time, start). Under Manual rates stand still from one refresh
// to the next, so the ends in between are worked out in one go: activities that are booked have left the
// heap of their class, but count as running, with their mass, until their time has come.
type bookings struct {
	list []booking
	next int     // the first that has not ended
	told int     // the first whose class does not know that it has ended
	last float64 // time of the last refresh
	step float64 // between the last two
}

// find returns the booking of an activity that has one.
func (b *bookings) find(key uint64) *booking {
	i := b.next
	for b.list[i].key != key {
		i++
	}
	return &b.list[i]
}

// booked reports whether the end of the activity in a slot is booked.
func (l *slots) booked(slot uint32) bool { return l.places[slot] < 0 }

// upcoming returns the time of the next end under Manual, +Inf if there is none. Ends before the time at
// which the next refresh is expected are booked.
func (s *Solver) upcoming() float64 {
	b := &s.bookings
	for ; b.next < len(b.list); b.next++ {
		if b.list[b.next].key != 0 {
			return b.list[b.next].time
		}
	}
	s.flush()
	b.list, b.next, b.told = b.list[:0], 0, 0
	t, until := s.agenda.times.least(), b.last+b.step
	if t+together*t > until {
		return t
	}
	s.book(until)
	return b.list[0].time
}

// book lists the ends up to a time, at least one.
func (s *Solver) book(until float64) {
	b, now := &s.bookings, s.agenda.now
	s.due = s.agenda.times.due(until, s.due[:0])
	for _, leaf := range s.due {
		h := s.agenda.leaves[leaf]
		l := s.agenda.line(h)
		span := l.level * (until - now)
		for len(l.members) > 0 && l.first() <= span {
			id := int32(l.members[0].slot())
			v := s.agenda.at(id)
			for first := l.first(); len(v.members) > 0 && first <= span; first = v.first() {
				t := now
				if first > 0 {
					t += first / l.level
				}
				b.list = append(b.list, booking{time: t, key: v.top.key, class: id})
				v.dismiss(0, s.slots.places)
			}
			s.agenda.update(id)
		}
	}
	s.agenda.renew() // now, not when somebody looks
	for i := range b.list { // in a loop of its own: these reads do not wait for each other
		k := &b.list[i]
		slot := slotOf(k.key)
		a := &s.slots.all[slot]
		k.tag, k.mass, k.streams = a.tag, a.mass, a.streams
		s.slots.places[slot] = -1
	}
	b.order()
}

// order sorts the list. Ends that rounding alone sets apart get the time of the first.
func (b *bookings) order() {
	slices.SortFunc(b.list, func(x, y booking) int { return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.key, y.key)) })
	for i := 0; i < len(b.list); {
		first, j := b.list[i].time, i+1
		for j < len(b.list) && b.list[j].time <= first+together*first {
			b.list[j].time = first
			j++
		}
		if j > i+1 {
			slices.SortFunc(b.list[i:j], func(x, y booking) int { return cmp.Compare(x.key, y.key) })
		}
		i = j
	}
}

// collect leaves the activities that end now in batch, in order of start.
func (s *Solver) collect() {
	b := &s.bookings
	if b.next == len(b.list) { // a refresh is overdue
		s.book(s.agenda.now + together*s.agenda.now)
	}
	s.batch = s.batch[:0]
	for t := b.list[b.next].time; b.next < len(b.list) && b.list[b.next].time == t; b.next++ {
		if k := &b.list[b.next]; k.key != 0 {
			s.batch = append(s.batch, Done{Handle(k.key), k.tag, s.agenda.now})
		}
	}
}

// tell takes the activities that have ended out of their slots and classes.
func (s *Solver) tell() {
	b := &s.bookings
	for ; b.told < b.next; b.told++ {
		if k := &b.list[b.told]; k.key != 0 {
			s.graph.lose(k.class, k.mass, k.streams)
			s.slots.release(slotOf(k.key))
		}
	}
}

// unbook puts activities whose time has not come back into their classes.
func (s *Solver) unbook() {
	s.tell()
	b := &s.bookings
	for i := b.next; i < len(b.list); i++ {
		if k := &b.list[i]; k.key != 0 {
			s.admit(k.class, k.left(s), k.key)
		}
	}
	b.list, b.next, b.told = b.list[:0], 0, 0
}

// left returns by how much the clock of its class must rise until a booked activity ends.
func (k *booking) left(s *Solver) float64 {
	if k.time <= s.agenda.now {
		return 0
	}
	return (k.time - s.agenda.now) * s.graph.level(k.class)
}
