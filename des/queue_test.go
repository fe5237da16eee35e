// SPDX-License-Identifier: Apache-2.0

package des

import (
	"cmp"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"pgregory.net/rapid"
)

// twin is the queue as one would write it on a napkin: a slice of everything pending, sorted by
// (time, arrivals first, sequence) whenever something is wanted of it.
type twin struct {
	now     model.Time
	pending []twinEvent
}

type twinEvent struct {
	time     model.Time
	pushed   bool // false for arrivals, which come first among equals
	sequence int
	handle   Handle
	alarm    bool
}

func (w *twin) sort() {
	slices.SortFunc(w.pending, func(a, b twinEvent) int {
		if d := cmp.Compare(a.time, b.time); d != 0 {
			return d
		}
		if a.pushed != b.pushed {
			if b.pushed {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.sequence, b.sequence)
	})
}

func (w *twin) pop() (twinEvent, bool) {
	if len(w.pending) == 0 {
		return twinEvent{}, false
	}
	w.sort()
	e := w.pending[0]
	w.pending = w.pending[1:]
	w.now = e.time
	return e, true
}

func (w *twin) cancel(h Handle) bool {
	i := slices.IndexFunc(w.pending, func(e twinEvent) bool { return e.pushed && !e.alarm && e.handle == h })
	if i < 0 {
		return false
	}
	w.pending = slices.Delete(w.pending, i, i+1)
	return true
}

// machine drives a Queue and its twin through the same history. Payloads are unique: the sequence
// for pushed events, -1-position for arrivals.
type machine struct {
	queue   Queue[int]
	twin    twin
	handles []Handle // all that were ever given out; 0 for alarms
}

func newMachine(t *rapid.T) *machine {
	m := &machine{}
	gaps := rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 30).Draw(t, "gaps") // many ties
	at := model.Time(0)
	var arrivals []Timed[int]
	for i, g := range gaps {
		at += model.Time(g)
		arrivals = append(arrivals, Timed[int]{at, -1 - i})
		m.twin.pending = append(m.twin.pending, twinEvent{time: at, sequence: i})
	}
	m.queue.Load(arrivals)
	return m
}

func (m *machine) push(t *rapid.T) {
	m.pushAt(t, m.twin.now+model.Time(rapid.Int64Range(0, 12).Draw(t, "delay")))
}

func (m *machine) pushAt(t *rapid.T, at model.Time) {
	n := len(m.handles)
	h := m.queue.Push(at, n)
	if h == 0 || slices.Contains(m.handles, h) {
		t.Fatalf("push %d: handle %d is zero or was given out before", n, h)
	}
	m.handles = append(m.handles, h)
	m.twin.pending = append(m.twin.pending, twinEvent{at, true, n, h, false})
}

// alarm sets the alarm, in place of the one that is set.
func (m *machine) alarm(t *rapid.T) {
	at := m.twin.now + model.Time(rapid.Int64Range(0, 12).Draw(t, "delay"))
	n := len(m.handles)
	m.queue.SetAlarm(at, n)
	m.handles = append(m.handles, 0)
	m.twin.pending = slices.DeleteFunc(m.twin.pending, func(e twinEvent) bool { return e.alarm })
	m.twin.pending = append(m.twin.pending, twinEvent{time: at, pushed: true, sequence: n, alarm: true})
}

func (m *machine) pop(t *rapid.T) {
	want, more := m.twin.pop()
	peeked := m.queue.Peek()
	if want.pushed && !want.alarm && (peeked == nil || *peeked != want.sequence) {
		t.Fatalf("peeked at %v; the twin says %d", peeked, want.sequence)
	}
	if (peeked == nil) != (m.queue.Pending() == 0) {
		t.Fatalf("peeked at %v of %d", peeked, m.queue.Pending())
	}
	at, payload, ok := m.queue.Pop()
	id := want.sequence
	if !want.pushed {
		id = -1 - id
	}
	if ok != more || ok && (at != want.time || payload != id) {
		t.Fatalf("popped %d at %d, %t; the twin says %d at %d, %t", payload, at, ok, id, want.time, more)
	}
}

// cancel tries any handle that was ever given out: pending, popped or cancelled before.
func (m *machine) cancel(t *rapid.T) {
	if len(m.handles) == 0 {
		t.Skip("no handle yet")
	}
	h := rapid.SampledFrom(m.handles).Draw(t, "handle")
	if got, want := m.queue.Cancel(h), m.twin.cancel(h); got != want {
		t.Fatalf("cancel of %d: %t, the twin says %t", h, got, want)
	}
}

func (m *machine) check(t *rapid.T) {
	pushed := map[int]model.Time{}
	for _, e := range m.twin.pending {
		if e.pushed && !e.alarm {
			pushed[e.sequence] = e.time
		}
	}
	if m.queue.Len() != len(m.twin.pending) || m.queue.Pending() != len(pushed) || m.queue.Now() != m.twin.now {
		t.Fatalf("len %d, pending %d, now %d; the twin says %d, %d, %d", m.queue.Len(), m.queue.Pending(), m.queue.Now(),
			len(m.twin.pending), len(pushed), m.twin.now)
	}
	m.queue.Each(func(_ Handle, at model.Time, p *int) bool {
		if want, ok := pushed[*p]; !ok || want != at {
			t.Fatalf("Each gives %d at %d; the twin says %d, %t", *p, at, want, ok)
		}
		delete(pushed, *p)
		return true
	})
	if len(pushed) > 0 {
		t.Fatalf("Each leaves out %v", pushed)
	}
}

func TestQueueIsASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		t.Repeat(map[string]func(*rapid.T){
			"push":   m.push,
			"pop":    m.pop,
			"alarm":  m.alarm,
			"cancel": m.cancel,
			"pop and push": func(t *rapid.T) {
				m.pop(t)
				m.push(t)
			},
			"push many": func(t *rapid.T) {
				for range rapid.IntRange(1, 150).Draw(t, "pushes") {
					m.push(t)
				}
			},
			"run on": func(t *rapid.T) { // long enough for lists of far events, at a pace that changes
				span := int64(1) << rapid.IntRange(0, 40).Draw(t, "span")
				for range rapid.IntRange(1, 400).Draw(t, "events") {
					m.pop(t)
					m.pushAt(t, m.twin.now+model.Time(rapid.Int64Range(0, span).Draw(t, "delay")))
				}
			},
			"cancel many": func(t *rapid.T) { // enough to make a sweep worth while
				for _, h := range m.handles {
					if uint64(h)>>slotBits%4 != 0 && m.queue.Cancel(h) != m.twin.cancel(h) {
						t.Fatalf("cancel of %d differs from the twin", h)
					}
				}
			},
			"cancel unknown": func(t *rapid.T) {
				h := Handle(rapid.Uint64().Draw(t, "handle"))
				if !slices.Contains(m.handles, h) && m.queue.Cancel(h) {
					t.Fatalf("handle %d was never given out, yet it was cancelled", h)
				}
			},
			"": m.check,
		})
		for len(m.twin.pending) > 0 {
			m.pop(t)
		}
		m.pop(t) // both are empty
	})
}

func TestZeroHandleNamesNothing(t *testing.T) {
	var q Queue[int]
	q.Push(1, 1)
	if q.Cancel(0) || q.Pending() != 1 {
		t.Error("the zero handle cancelled an event")
	}
}

// A slot is used again at once; an old handle must not reach its new tenant.
func TestOldHandleDoesNotCancelTheNextTenant(t *testing.T) {
	var q Queue[string]
	old := q.Push(1, "old")
	q.Pop()
	q.Push(2, "new")
	if q.Cancel(old) {
		t.Error("the handle of a popped event cancelled another one")
	}
	if _, p, ok := q.Pop(); !ok || p != "new" {
		t.Errorf("popped %q, %t", p, ok)
	}
}

// Cancelled entries must not pile up: the heap holds at most 64 dead entries or as many as live ones.
func TestCancelledEntriesAreSweptOut(t *testing.T) {
	var q Queue[int]
	for round := range 50 {
		var hs []Handle
		for i := range 400 {
			hs = append(hs, q.Push(model.Time(round*1000+i%7), i))
		}
		for i, h := range hs {
			if i%40 != 0 {
				q.Cancel(h)
			}
		}
		if live := q.Pending(); q.near() > 2*live+66 {
			t.Fatalf("round %d: %d entries in the heap for %d live events", round, q.near(), live)
		}
		q.Pop()
	}
	if len(q.slots) > 2*(50*10+400)+66 {
		t.Errorf("%d slots for at most %d live events", len(q.slots), 50*10+400)
	}
	last := model.Time(0)
	for n := q.Pending(); n > 0; n-- {
		at, p, ok := q.Pop()
		if !ok || at < last || p%40 != 0 {
			t.Fatalf("popped %d at %d after %d, %t", p, at, last, ok)
		}
		last = at
	}
	if q.Len() != 0 {
		t.Errorf("%d events left", q.Len())
	}
}

func TestEachStops(t *testing.T) {
	var q Queue[int]
	for i := range 5 {
		q.Push(1, i)
	}
	calls := 0
	q.Each(func(Handle, model.Time, *int) bool { calls++; return calls < 2 })
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"push in the past": func() {
			var q Queue[int]
			q.Push(5, 0)
			q.Pop()
			q.Push(4, 0)
		},
		"push before time 0": func() { new(Queue[int]).Push(-1, 0) },
		"unsorted arrivals":  func() { new(Queue[int]).Load([]Timed[int]{{3, 0}, {2, 0}}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// Load refuses unsorted arrivals and Push refuses the past; an arrival before time 0 passes both,
// and popping it takes the clock back.
func TestArrivalBeforeTimeZero(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an arrival at -5 was accepted")
		}
	}()
	new(Queue[int]).Load([]Timed[int]{{-5, 0}})
}

// A popped event must not keep what its payload points to alive until the slot is used again.
func TestPopForgetsThePayload(t *testing.T) {
	var q Queue[*int]
	q.Push(1, new(int))
	q.Pop()
	if q.slots[1].payload != nil {
		t.Error("the payload is still held")
	}
}

// hold fills a queue up to a number of pending events and then pops and replaces one after the other, with delays up to
// span. It returns how often more than a crowd of entries was near.
func hold(q *Queue[int], pending, events int, span uint64) (crowded int) {
	draw := uint64(1)
	for q.Pending() < pending {
		q.Push(q.Now()+model.Time(rng.Next(&draw)%span), 0)
	}
	for range events {
		now, _, _ := q.Pop()
		if q.near() > crowd {
			crowded++
		}
		q.Push(now+model.Time(rng.Next(&draw)%span), 0)
	}
	return crowded
}

// Of many pending events few are near, also after events have begun to come a thousand times as fast or as slowly.
func TestFewEventsAreNear(t *testing.T) {
	var q Queue[int]
	hold(&q, 5_000, 5_001, 1_000_000_000) // until the pace is known
	for _, span := range []uint64{1_000_000_000, 1_000_000, 1_000_000_000} {
		hold(&q, 5_000, 20_000, span) // one pace after the other
		if n := hold(&q, 5_000, 50_000, span); n > 0 {
			t.Errorf("delays up to %d: %d of 50,000 events found a crowd", span, n)
		}
	}
}

// Events that come all at once, or that are too late for lists, keep their order in the heap.
func TestNoListsWithoutAPace(t *testing.T) {
	var q Queue[int]
	for i := range 10_000 {
		q.Push(0, i)
	}
	for i := range 10_000 {
		if at, p, _ := q.Pop(); at != 0 || p != i {
			t.Fatalf("popped %d at %d, want %d at 0", p, at, i)
		}
	}
	for i := range 1_000 {
		q.Push(model.Forever-model.Time(i%2), i)
	}
	last := model.Time(0)
	for range 1_000 {
		at, _, ok := q.Pop()
		if !ok || at < last {
			t.Fatalf("popped at %d after %d, %t", at, last, ok)
		}
		last = at
	}
}

// To call off events that are near does not lay out anew those that are far.
func TestCancellingNearCostsNothingByFar(t *testing.T) {
	var q Queue[int]
	hold(&q, 5_000, 20_000, 1_000_000_000)
	pops, far := q.far.pops, q.far.linked
	for range 1_000 {
		q.Cancel(q.Push(q.Now(), 0))
	}
	if q.far.pops != pops || q.far.linked != far || q.near() > 2*crowd+2 {
		t.Errorf("%d pops, %d far, %d near; before %d pops and %d far", q.far.pops, q.far.linked, q.near(), pops, far)
	}
}
