// SPDX-License-Identifier: Apache-2.0

// Package des is the clock and the event queue of a discrete-event simulation. Events come out in
// order of (time, sequence), sequence being the order in which they were pushed, so every run has
// one total order. It knows nothing of clusters.
//
// Two queues feed it: a heap for events that arise during the run, and a list of arrivals that are
// sorted already and cost nothing to keep. An arrival comes before any pushed event of equal time.
// Beside them there is one alarm, for an event that is moved more often than it happens.
package des

import (
	"fmt"
	"math/bits"

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

func (a entry) before(b entry) bool { return a.time < b.time || a.time == b.time && a.key < b.key }

// less is before as 1 or 0, without a branch: times are never negative, so (time, key) compares like
// one number of 128 bits. Which child is least is a coin toss that no processor predicts.
func (a *entry) less(b *entry) int {
	_, borrow := bits.Sub64(a.key, b.key, 0)
	_, borrow = bits.Sub64(uint64(a.time), uint64(b.time), borrow)
	return int(borrow)
}

type slot[P any] struct {
	key     uint64 // key of the event that lives here, 0 if none
	payload P
}

// Timed is an arrival: a payload with its time.
type Timed[P any] struct {
	Time    model.Time
	Payload P
}

// Queue is an event queue with payloads of type P. The zero value is an empty queue at time 0.
//
// The heap is 4-ary. Pop leaves a hole at the root that the next Push fills: an event that causes
// one successor, the common case, costs one sift instead of two.
type Queue[P any] struct {
	now      model.Time
	sequence uint64
	heap     []entry
	hole     bool
	dead     int // cancelled entries still in the heap
	slots    []slot[P]
	free     []uint32
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
	n := len(q.heap) - q.dead
	if q.hole {
		n--
	}
	return n
}

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
	var s uint32
	if n := len(q.free); n > 0 {
		s = q.free[n-1]
		q.free = q.free[:n-1]
	} else {
		s = uint32(len(q.slots))
		if s >= 1<<slotBits {
			panic("des: more than 67 million pending events")
		}
		q.slots = append(q.slots, slot[P]{})
	}
	q.sequence++
	e := entry{t, q.sequence<<slotBits | uint64(s)}
	q.slots[s] = slot[P]{e.key, payload}
	if q.hole {
		q.hole = false
		q.siftDown(e)
	} else {
		q.siftUp(e)
	}
	return Handle(e.key)
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

// Cancel removes a pending event and reports whether it was pending. The heap entry stays until it
// surfaces; when most entries are dead the heap is rebuilt.
func (q *Queue[P]) Cancel(h Handle) bool {
	s := uint32(uint64(h) & (1<<slotBits - 1))
	if h == 0 || int(s) >= len(q.slots) || q.slots[s].key != uint64(h) {
		return false
	}
	q.slots[s] = slot[P]{}
	q.free = append(q.free, s)
	q.dead++
	if q.dead > 64 && q.dead > len(q.heap)/2 {
		q.compact()
	}
	return true
}

// Pop removes the earliest event, sets the clock to its time and returns it.
func (q *Queue[P]) Pop() (model.Time, P, bool) {
	q.settle()
	var none P
	alarm := q.alarm.key != 0 && (len(q.heap) == 0 || q.alarm.before(q.heap[0]))
	first := model.Forever
	if alarm {
		first = q.alarm.time
	} else if len(q.heap) > 0 {
		first = q.heap[0].time
	}
	if q.next < len(q.arrivals) {
		if a := &q.arrivals[q.next]; a.Time <= first {
			q.next++
			q.now = a.Time
			return a.Time, a.Payload, true
		}
	}
	if alarm {
		p := q.alarm.payload
		q.alarm.entry, q.alarm.payload = entry{}, none
		q.now = first
		return first, p, true
	}
	if len(q.heap) == 0 {
		return 0, none, false
	}
	e := q.heap[0]
	q.hole = true
	s := uint32(e.key & (1<<slotBits - 1))
	p := q.slots[s].payload
	q.slots[s] = slot[P]{} // pointers in the payload must not stay alive
	q.free = append(q.free, s)
	q.now = e.time
	return e.time, p, true
}

// settle fills the hole and drops cancelled entries from the root.
func (q *Queue[P]) settle() {
	for {
		if q.hole {
			q.hole = false
			q.removeRoot()
		}
		if q.dead == 0 || len(q.heap) == 0 {
			return
		}
		e := q.heap[0]
		if q.slots[e.key&(1<<slotBits-1)].key == e.key {
			return
		}
		q.dead--
		q.hole = true
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

// siftDown puts e at the root, whose entry is void, and restores the order. Most events that are pushed belong near the
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

// compact rebuilds the heap without its dead entries.
func (q *Queue[P]) compact() {
	old := q.heap
	if q.hole {
		old, q.hole = old[1:], false
	}
	q.heap = make([]entry, 0, len(old)-q.dead+64)
	for _, e := range old {
		if q.slots[e.key&(1<<slotBits-1)].key == e.key {
			q.siftUp(e)
		}
	}
	q.dead = 0
}

// Each calls f for every pending pushed event, in no particular order, until f returns false. It is for
// what is rare: checks, messages, the loss of a node. f must not change the queue.
func (q *Queue[P]) Each(f func(Handle, model.Time, *P) bool) {
	for i, e := range q.heap {
		if i == 0 && q.hole {
			continue
		}
		if s := &q.slots[e.key&(1<<slotBits-1)]; s.key == e.key && !f(Handle(e.key), e.time, &s.payload) {
			return
		}
	}
}
