// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// line is the clock of a bottleneck and the classes that it holds, in order of the clock values at which
// their first members end.
type line struct {
	service
	level float64
	leaf  int32 // its place in times, -1 before it is first used
	late  bool  // it is listed in agenda.late
}

// agenda is what belongs to time: the time itself, a line for each bottleneck, a service for each
// class, and when the first activity of each line ends. It knows no resource; it is told who holds a
// class and each line's level.
type agenda struct {
	now      float64
	lines    []line
	services []roster // of classes
	places   places   // of classes in their lines
	times    times
	leaves   []int32 // line of each leaf of times
	late     []int32 // lines whose next end may have changed since times was told
}

// widen makes room for n lines.
func (a *agenda) widen(n int) {
	for len(a.lines) < n {
		a.lines = append(a.lines, line{leaf: -1})
	}
}

// open begins the service of a new class, which no line has yet.
func (a *agenda) open(id int32) {
	if int(id) == len(a.services) {
		a.services = append(a.services, roster{})
		a.places = append(a.places, -1)
	}
	v := &a.services[id]
	*v = roster{service: service{members: v.members[:0], holder: -1}}
}

// line returns a line with its clock at now.
func (a *agenda) line(h int32) *line {
	l := &a.lines[h]
	l.settle(a.now, l.level)
	return l
}

// at returns the service of a class with its clock at now.
func (a *agenda) at(id int32) *roster {
	v := &a.services[id]
	if v.holder >= 0 {
		v.settle(a.line(v.holder).clock, 1)
	}
	return v
}

// join puts a class into a line. It is in none, its service is settled and has a member.
func (a *agenda) join(id, h int32) {
	l, v := a.line(h), &a.services[id]
	if len(l.members) == 0 {
		l.clock, l.came = 0, 0
	}
	span := v.first()
	if l.long(span) {
		a.rebase(l)
	}
	v.holder, v.since = h, l.clock
	l.add(span, uint64(id), a.places)
	a.delay(h)
}

// leave takes a class out of its line and settles its service.
func (a *agenda) leave(id int32) {
	v := &a.services[id]
	h := v.holder
	if h < 0 {
		return
	}
	a.at(id)
	l := &a.lines[h]
	l.members = a.places.remove(l.members, a.places[id])
	v.holder = -1
	a.delay(h)
}

// touch puts a class whose first member may have changed where it belongs in its line. Its service is
// settled.
func (a *agenda) touch(id int32) {
	v := &a.services[id]
	h := v.holder
	if h < 0 {
		return
	}
	l := &a.lines[h]
	span := v.first()
	if l.long(span) {
		a.rebase(l)
	}
	a.places.set(l.members, a.places[id], member{math.Float64bits(l.clock + span), uint64(id)})
	a.delay(h)
}

// admit adds an activity to a class that the line h holds, none if it is -1. It ends when it has been served
// a span. A class that left the line when its last member ended is put back; one whose first member stays keeps its place.
func (a *agenda) admit(id, h int32, span float64, key uint64, p places) {
	v := a.at(id)
	if first := v.admit(span, key, p); v.holder < 0 && h >= 0 {
		a.join(id, h)
	} else if first {
		a.touch(id)
	}
}

// dismiss takes the activity at a place out of a class.
func (a *agenda) dismiss(id, place int32, p places) {
	a.at(id).dismiss(place, p)
	a.update(id)
}

// update puts a class that has lost members where it belongs in its line. One without any leaves it. Its
// service is settled.
func (a *agenda) update(id int32) {
	if len(a.services[id].members) == 0 {
		a.leave(id)
	} else {
		a.touch(id)
	}
}

// rebase sets the clock of a line back to zero.
func (a *agenda) rebase(l *line) {
	for i := range l.members {
		a.services[l.members[i].slot()].since -= l.clock
	}
	l.rebase(a.places)
}

// delay notes that the next end of a line may have changed.
func (a *agenda) delay(h int32) {
	l := &a.lines[h]
	if l.late {
		return
	}
	l.late = true
	a.late = append(a.late, h)
	if l.leaf < 0 {
		l.leaf = int32(len(a.leaves))
		a.leaves = append(a.leaves, h)
		a.times.grow(len(a.leaves))
	}
}

// relevel gives a line a new level from now on.
func (a *agenda) relevel(h int32, level float64) {
	a.line(h).level = level
	a.delay(h)
}

// renew works out the next end of the lines for which it may have changed.
func (a *agenda) renew() {
	bulk := 16*len(a.late) > a.times.size // then it pays to build the index of times anew
	for _, h := range a.late {
		l := a.line(h)
		l.late = false
		t := math.Inf(1)
		if len(l.members) > 0 {
			t = a.now
			if left := l.members[0].finish() - l.clock; left > 0 {
				t += left / l.level
			}
		}
		if bulk {
			a.times.put(l.leaf, t)
		} else {
			a.times.set(l.leaf, t)
		}
	}
	if bulk {
		a.times.rebuild()
	}
	a.late = a.late[:0]
}
