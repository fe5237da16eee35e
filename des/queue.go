// SPDX-License-Identifier: Apache-2.0

// Package des is the clock and the event queue of a discrete-event simulation. Events come out in
// order of (time, sequence), sequence being the order in which they were pushed, so every run has
// one total order. It knows nothing of clusters.
//
// Two queues feed it: one for events that arise during the run, and a list of arrivals that are
// sorted already and cost nothing to keep. An arrival comes before any pushed event of equal time.
// Beside them there is one alarm, for an event that is moved more often than it happens.
package des

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

// Handle names a pushed event, for Cancel. The zero Handle names none.
type Handle uint64

// slotBits is the width of the slot number inside an entry's key; the rest is the sequence.
const slotBits = 26

// entry is 16 bytes so that four children share a cache line. key = sequence<<slotBits | slot.
type entry struct {
	time model.Time
	key  uint64
}

// slot returns the slot of the event.
func (a entry) slot() uint32 { return uint32(a.key & (1<<slotBits - 1)) }

func (a entry) before(b entry) bool { return a.time < b.time || a.time == b.time && a.key < b.key }

// less is before as 1 or 0, without a branch: times are never negative, so (time, key) compares like
// one number of 128 bits. Which child is least is a coin toss that no processor predicts.
func (a *entry) less(b *entry) int {
	_, borrow := bits.Sub64(a.key, b.key, 0)
	_, borrow = bits.Sub64(uint64(a.time), uint64(b.time), borrow)
	return int(borrow)
}

// slot is the place of a pushed event from Push until it is popped or, if it is called off while far ahead, swept out.
type slot[P any] struct {
	key     uint64 // key of the event that lives here, 0 if none
	time    model.Time
	payload P
	next    uint32 // the next in a list of far events or of free slots, 0 if none: slot 0 is nobody's
}

// Timed is an arrival: a payload with its time.
type Timed[P any] struct {
	Time    model.Time
	Payload P
}

// Queue is an event queue with payloads of type P. The zero value is an empty queue at time 0.
//
// Events far ahead lie in lists by time (see far). When a list is the earliest, its events are sorted and come next;
// beside them is a 4-ary heap for events that are pushed so late that their list has been taken already. While few
// events are pending the heap has them all.
type Queue[P any] struct {
	now      model.Time
	sequence uint64
	sorted   []entry // the latest first
	heap     []entry
	dead     int // cancelled entries still in sorted or heap
	far      far
	slots    []slot[P]
	free     uint32 // the first of the free slots
	arrivals []Timed[P]
	next     int
	alarm    struct {
		entry   // key 0 if none is set
		payload P
	}
}

// Now returns the time of the last event popped.
func (q *Queue[P]) Now() model.Time { return q.now }

// Len returns the number of pending events, arrivals and the alarm included.
func (q *Queue[P]) Len() int {
	n := q.Pending() + len(q.arrivals) - q.next
	if q.alarm.key != 0 {
		n++
	}
	return n
}

// Pending returns the number of pushed events that are neither popped nor cancelled, without the alarm.
func (q *Queue[P]) Pending() int {
	return q.near() - q.dead + q.far.linked - q.far.lost
}

// near returns the number of entries that are not far, dead ones included.
func (q *Queue[P]) near() int { return len(q.sorted) + len(q.heap) }

// Load sets the arrivals, which must be in order of time. It is called once, before the first Pop.
func (q *Queue[P]) Load(arrivals []Timed[P]) {
	if len(arrivals) > 0 && arrivals[0].Time < q.now {
		panic(fmt.Sprintf("des: first arrival at %v, before %v", arrivals[0].Time, q.now))
	}
	for i := 1; i < len(arrivals); i++ {
		if arrivals[i].Time < arrivals[i-1].Time {
			panic(fmt.Sprintf("des: arrival %d at %v comes after one at %v", i, arrivals[i].Time, arrivals[i-1].Time))
		}
	}
	q.arrivals, q.next = arrivals, 0
}

// Push adds an event at time t, which must not be in the past.
func (q *Queue[P]) Push(t model.Time, payload P) Handle {
	if t < q.now {
		panic(fmt.Sprintf("des: event at %v pushed at %v", t, q.now))
	}
	s := q.free
	if s != 0 {
		q.free = q.slots[s].next
	} else {
		s = q.newSlot()
	}
	q.sequence++
	key := q.sequence<<slotBits | uint64(s)
	p := &q.slots[s]
	p.key, p.time, p.payload = key, t, payload
	if list := q.far.list(t); list != nil {
		p.next, *list = *list, s
		q.far.linked++
	} else {
		q.siftUp(entry{t, key})
	}
	return Handle(key)
}

// newSlot makes room for one more event.
func (q *Queue[P]) newSlot() uint32 {
	n := max(len(q.slots), 1)
	if n >= 1<<slotBits {
		panic("des: more than 67 million pending events")
	}
	for len(q.slots) <= n {
		q.slots = append(q.slots, slot[P]{})
	}
	return uint32(n)
}

// SetAlarm makes an event at time t, which must not be in the past, in place of the alarm that is set. Among events of
// equal time it has the place of one that is pushed now.
func (q *Queue[P]) SetAlarm(t model.Time, payload P) {
	if t < q.now {
		panic(fmt.Sprintf("des: alarm at %v set at %v", t, q.now))
	}
	q.sequence++
	q.alarm.entry, q.alarm.payload = entry{t, q.sequence << slotBits}, payload
}

// Cancel removes a pending event and reports whether it was pending. What stands for it in the heap or in a list stays
// until it surfaces; when most of either is dead it is swept out.
func (q *Queue[P]) Cancel(h Handle) bool {
	s := uint32(uint64(h) & (1<<slotBits - 1))
	if h == 0 || int(s) >= len(q.slots) || q.slots[s].key != uint64(h) {
		return false
	}
	if q.far.list(q.slots[s].time) != nil {
		p := &q.slots[s]
		*p = slot[P]{next: p.next} // its neighbours in the list hang on it
		q.far.lost++
	} else {
		q.vacate(s)
		q.dead++
	}
	if sweepable(q.dead, q.near()) {
		q.sweep()
	}
	if sweepable(q.far.lost, q.near()+q.far.linked) {
		q.spread()
	}
	return true
}

// sweep takes cancelled entries out of what is near.
func (q *Queue[P]) sweep() {
	q.sorted = slices.DeleteFunc(q.sorted, func(e entry) bool { return !q.live(e) })
	old := q.heap
	q.heap = q.heap[:0] // what is put back never overtakes what is read
	for _, e := range old {
		if q.live(e) {
			q.siftUp(e)
		}
	}
	q.dead = 0
}

// live reports whether the event of an entry has not been cancelled.
func (q *Queue[P]) live(e entry) bool { return q.slots[e.slot()].key == e.key }

// sweepable reports whether enough entries are dead, out of all, to be worth a sweep.
func sweepable(dead, all int) bool { return dead > 64 && dead > all/2 }

// vacate frees a slot. Pointers in the payload must not stay alive.
func (q *Queue[P]) vacate(s uint32) {
	q.slots[s] = slot[P]{next: q.free}
	q.free = s
}

// Pop removes the earliest event, sets the clock to its time and returns it.
func (q *Queue[P]) Pop() (t model.Time, payload P, ok bool) {
	e, pushed := q.first()
	if q.alarm.key != 0 && (pushed == nowhere || q.alarm.before(e)) {
		e, pushed = q.alarm.entry, byAlarm
	}
	if q.next < len(q.arrivals) {
		if a := &q.arrivals[q.next]; a.Time <= e.time || pushed == nowhere {
			q.next++
			q.now = a.Time
			return a.Time, a.Payload, true
		}
	}
	if pushed == nowhere {
		return
	}
	q.now = e.time
	if pushed == byAlarm {
		payload = q.alarm.payload
		var none P
		q.alarm.entry, q.alarm.payload = entry{}, none
		return e.time, payload, true
	}
	if pushed == inSorted { // mostly
		q.sorted = q.sorted[:len(q.sorted)-1]
	} else {
		q.drop(pushed)
	}
	q.far.pops++
	payload = q.slots[e.slot()].payload
	q.vacate(e.slot())
	return e.time, payload, true
}

// Peek returns the earliest pushed event, valid until the queue changes, or nil. An arrival, the alarm or an event that is
// yet to be pushed may come before it.
func (q *Queue[P]) Peek() *P {
	e, at := q.first()
	if at == nowhere {
		return nil
	}
	return &q.slots[e.slot()].payload
}

// place is where the earliest event stands.
type place uint8

const (
	nowhere place = iota // there is none
	inSorted
	inHeap
	byAlarm
)

// first returns the earliest pushed event and where it stands.
func (q *Queue[P]) first() (e entry, at place) {
	if n := len(q.sorted); n > 0 && len(q.heap) == 0 && q.dead == 0 { // mostly
		return q.sorted[n-1], inSorted
	}
	return q.find()
}

// find is first. On the way it drops cancelled entries, and takes the next list of far events when nothing is near.
func (q *Queue[P]) find() (e entry, at place) {
	if len(q.heap) > crowd && q.far.pops >= q.near()+q.far.linked {
		q.spread()
	}
	for {
		if n := len(q.sorted); n > 0 {
			e, at = q.sorted[n-1], inSorted
			if len(q.heap) > 0 && q.heap[0].before(e) {
				e, at = q.heap[0], inHeap
			}
		} else if len(q.heap) > 0 {
			e, at = q.heap[0], inHeap
		} else if q.far.linked > 0 {
			q.approach()
			continue
		} else {
			return entry{}, nowhere
		}
		if q.dead == 0 || q.live(e) {
			return e, at
		}
		q.dead--
		q.drop(at)
	}
}

// drop removes the entry that first has returned.
func (q *Queue[P]) drop(at place) {
	if at == inSorted {
		q.sorted = q.sorted[:len(q.sorted)-1]
	} else {
		q.removeRoot()
	}
}

func (q *Queue[P]) removeRoot() {
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if n > 0 {
		q.siftDown(last)
	}
}

func (q *Queue[P]) siftUp(e entry) {
	q.heap = append(q.heap, e)
	q.rise(len(q.heap)-1, e)
}

// rise puts e at place i, whose entry is void, or above it.
func (q *Queue[P]) rise(i int, e entry) {
	h := q.heap
	for i > 0 {
		parent := (i - 1) >> 2
		if !e.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// siftDown puts e at the root, whose entry is void, and restores the order. Most events that are moved belong near the
// bottom, so the hole goes all the way down first and e then rises from there: how far is easier to predict for a
// processor than where to stop on the way down.
func (q *Queue[P]) siftDown(e entry) {
	h := q.heap
	i := 0
	for {
		c := i<<2 + 1
		if c+3 >= len(h) {
			break
		}
		four := h[c : c+4 : c+4]
		a := four[1].less(&four[0])
		b := 2 + four[3].less(&four[2])
		c += a + (b-a)&-four[b&3].less(&four[a&3])
		h[i] = h[c]
		i = c
	}
	if c := i<<2 + 1; c < len(h) { // fewer than four children
		least := c
		for k := c + 1; k < len(h); k++ {
			if h[k].before(h[least]) {
				least = k
			}
		}
		h[i] = h[least]
		i = least
	}
	q.rise(i, e)
}

// Each calls f for every pending pushed event, in no particular order, until f returns false. It is for
// what is rare: checks, messages, the loss of a node. f must not change the queue.
func (q *Queue[P]) Each(f func(Handle, model.Time, *P) bool) {
	for i := range q.slots {
		if s := &q.slots[i]; s.key != 0 && !f(Handle(s.key), s.time, &s.payload) {
			return
		}
	}
}
