// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"

	"github.com/yardmaster/yardmaster/internal/moments"
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
	slots  *slots
	graph  *graph
	agenda *agenda
	warmer *Warmer
	due    []int32 // leaves of lines with an end to book

	found []moments.Moment // ends of activities by class, as they were found
	sorts moments.Sorter

	hush  *Hush
	loud  []int32 // bookings that are not quiet
	heard int     // the first of these that may not have ended

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
func (b *bookings) upcoming() float64 {
	for ; b.next < len(b.list); b.next++ {
		if b.list[b.next].key != 0 {
			return b.list[b.next].time
		}
	}
	b.tell()
	b.agenda.renew()
	b.reset()
	t, until := b.agenda.times.least(), b.last+b.step
	if t+together*t > until {
		return t
	}
	b.book(until)
	return b.list[0].time
}

// book lists the ends up to a time, at least one.
func (b *bookings) book(until float64) {
	now := b.agenda.now
	b.found = b.found[:0]
	b.due = b.agenda.times.due(until, b.due[:0])
	b.warmer.due(b.due, until)
	for _, leaf := range b.due {
		h := b.agenda.leaves[leaf]
		l := b.agenda.line(h)
		span := l.level * (until - now)
		for len(l.members) > 0 && l.first() <= span {
			id := int32(l.members[0].slot())
			v := b.agenda.at(id)
			for first := l.first(); len(v.members) > 0 && first <= span; first = v.first() {
				t := now
				if first > 0 {
					t += first / l.level
				}
				b.found = append(b.found, moments.Moment{Time: t, Key: v.top.key, Of: id})
				v.dismiss(0, b.slots.places)
			}
			b.agenda.update(id)
		}
	}
	b.agenda.renew()                                                   // now, not when somebody looks
	for _, f := range b.sorts.InOrder(b.found, now, until, together) { // these reads do not wait for each other
		slot := slotOf(f.Key)
		a := &b.slots.all[slot]
		b.list = append(b.list, booking{time: f.Time, key: f.Key, tag: a.tag, mass: a.mass, class: f.Of, streams: a.streams})
		b.slots.places[slot] = -1
		if quiet := b.hush.Quiet != nil && b.hush.Quiet(a.tag); !quiet || len(b.loud) == 0 {
			b.loud = append(b.loud, int32(len(b.list)-1))
		}
	}
}

// reset forgets the list.
func (b *bookings) reset() {
	b.list, b.next, b.told = b.list[:0], 0, 0
	b.loud, b.heard = b.loud[:0], 0
}

// Hush says which completions under Manual need not be taken at their time.
type Hush struct {
	// Quiet, if set, is asked about each completion, by its tag and in order, when it has become certain. The first after a
	// refresh is never quiet: whoever refreshes on a tick must know that something has ended.
	Quiet func(tag uint64) bool
	// Off makes all count until the next refresh, also those that were quiet.
	Off bool
}

// aloud returns the time of the first booking that is not quiet, +Inf if there is none.
func (b *bookings) aloud() float64 {
	for ; b.heard < len(b.loud); b.heard++ {
		if i := int(b.loud[b.heard]); i >= b.next && b.list[i].key != 0 {
			return b.list[i].time
		}
	}
	return math.Inf(1)
}

// collect appends the activities that end now, in order of start.
func (b *bookings) collect(to []Done) []Done {
	if b.next == len(b.list) { // a refresh is overdue
		b.book(b.agenda.now + together*b.agenda.now)
	}
	for t := b.list[b.next].time; b.next < len(b.list) && b.list[b.next].time == t; b.next++ {
		if k := &b.list[b.next]; k.key != 0 {
			to = append(to, Done{Handle(k.key), k.tag, b.agenda.now})
		}
	}
	return to
}

// tell takes the activities that have ended out of their slots and classes.
func (b *bookings) tell() {
	b.warmer.ends(b.list[b.told:b.next])
	for ; b.told < b.next; b.told++ {
		if k := &b.list[b.told]; k.key != 0 {
			b.graph.lose(k.class, k.mass, k.streams)
			b.slots.release(slotOf(k.key))
		}
	}
}

// unbook puts activities whose time has not come back into their classes.
func (b *bookings) unbook() {
	b.tell()
	for i := b.next; i < len(b.list); i++ {
		if k := &b.list[i]; k.key != 0 {
			b.agenda.admit(k.class, b.graph.classes[k.class].holder, b.left(k), k.key, b.slots.places)
		}
	}
	b.reset()
}

// left returns by how much the clock of its class must rise until a booked activity ends.
func (b *bookings) left(k *booking) float64 {
	if k.time <= b.agenda.now {
		return 0
	}
	return (k.time - b.agenda.now) * b.graph.level(k.class)
}
