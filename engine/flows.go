// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// The solver and the event queue meet here. Time is whole nanoseconds in the queue and seconds in the
// solver; the end of the next activity, rounded up, is one event. What begins during an event begins when
// the event is over, so all changes of one moment are solved together. With a tick, rates stay as they are
// from tick to tick: what begins waits for the tick, what ends leaves its share unused until then.

// A tag names what an activity is for: an attempt's step, or a group's fetching from one source.
func stepTag(slot int32) uint64 { return uint64(uint32(slot)) << 1 }

func fetchTag(group, source int32) uint64 {
	return uint64(uint32(group))<<33 | uint64(uint32(source))<<1 | 1
}

func fetchOf(tag uint64) (group, source int32) {
	return int32(tag >> 33), int32(tag >> 1 & math.MaxUint32)
}

// seconds converts to the solver's time.
func seconds(t model.Time) float64 { return float64(t) / float64(model.Second) }

// atOrAfter returns the first whole nanosecond that is not before the solver's time t.
func atOrAfter(t float64) model.Time {
	if t >= seconds(maxTime) {
		return maxTime + 1
	}
	n := model.Time(math.Ceil(t * float64(model.Second)))
	for seconds(n) < t {
		n++
	}
	return n
}

// syncFlows brings the solver to now and keeps what has ended for settleFlows.
func (s *sim) syncFlows(now model.Time) {
	if seconds(now) != s.phys.solver.Now() {
		s.takeEnded(now)
	}
}

// takeEnded is syncFlows also for a solver that is there already: a change of rates at this moment may
// have left so little of an activity that it ends at once.
func (s *sim) takeEnded(now model.Time) {
	p := s.phys
	if err := p.solver.Advance(seconds(now), func(d fluid.Done) { p.done = append(p.done, d) }); err != nil {
		s.failed = err
	}
}

// queue makes an activity begin when the event is over, or on the tick.
func (p *physical) queue(tag uint64) { p.queued = append(p.queued, tag) }

// unqueue forgets an activity that has not begun.
func (p *physical) unqueue(tag uint64) {
	for i, t := range p.queued {
		if t == tag {
			p.queued = append(p.queued[:i], p.queued[i+1:]...)
			return
		}
	}
}

// settleFlows does what ended and begins what was queued, until neither is left, and plans the event
// for the next end. It reports whether it did anything.
func (s *sim) settleFlows(now model.Time) (did bool) {
	p := s.phys
	for s.failed == nil {
		switch {
		case len(p.done) > 0:
			s.endFlows(now)
		case len(p.queued) > 0 && p.tick == 0:
			s.beginQueued(now)
		default:
			return did
		}
		did = true
	}
	return did
}

func (s *sim) endFlows(now model.Time) {
	p := s.phys
	p.stale = true
	for i := 0; i < len(p.done) && s.failed == nil; i++ { // handlers may add to it
		d := p.done[i]
		if d.Tag&1 == 1 {
			s.fetched(now, d)
		} else if a := &p.attempts[d.Tag>>1]; a.handle == d.Handle { // else it was killed at this moment
			a.handle = 0
			s.proceed(now, int32(d.Tag>>1))
		}
	}
	p.done = p.done[:0]
}

// beginQueued starts the activities that were queued.
func (s *sim) beginQueued(now model.Time) {
	p := s.phys
	s.syncFlows(now)
	for i := 0; i < len(p.queued) && s.failed == nil; i++ {
		if tag := p.queued[i]; tag&1 == 1 {
			s.fetch(now, tag)
		} else {
			s.beginStep(now, int32(tag>>1))
		}
	}
	p.queued = p.queued[:0]
}

// begin starts an activity in the solver.
func (s *sim) begin(now model.Time, spec fluid.Spec) fluid.Handle {
	s.result.Activities++
	h, err := s.phys.solver.Start(seconds(now), spec)
	if err != nil {
		s.failed = fmt.Errorf("at %v: %w", now, err)
	}
	return h
}

// cancel stops an activity and returns what was left of its work.
func (s *sim) cancel(now model.Time, h fluid.Handle) float64 {
	s.syncFlows(now)
	left, _, err := s.phys.solver.Cancel(seconds(now), h)
	if err != nil {
		s.failed = err
	}
	s.phys.stale = true
	return left
}

// planFlows makes sure that the next end of an activity, and with a tick the next refresh, are events.
func (s *sim) planFlows(now model.Time) {
	p := s.phys
	next := model.Forever
	if t, ok := p.solver.Next(); ok {
		next = max(atOrAfter(t), now)
	}
	if next != p.next {
		s.queue.Cancel(p.event)
		if p.next = next; next != model.Forever {
			p.event = s.queue.Push(next, event{kind: flowEnd})
		}
	}
	if p.tick > 0 && p.ticks == model.Forever && (len(p.queued) > 0 || p.stale) {
		p.ticks = (now/p.tick + 1) * p.tick
		s.queue.Push(p.ticks, event{kind: refresh})
	}
	if p.tick == 0 {
		s.planSample(now)
	}
}

// refreshRates is the tick: what waited begins and all rates are worked out again.
func (s *sim) refreshRates(now model.Time) {
	p := s.phys
	p.ticks = model.Forever
	s.syncFlows(now)
	for len(p.done) > 0 && s.failed == nil {
		s.endFlows(now)
	}
	for len(p.queued) > 0 && s.failed == nil {
		s.beginQueued(now)
	}
	if s.failed == nil {
		p.solver.Refresh()
		p.stale = false
		s.result.Refreshes++
		s.sampleLinks(now)
	}
}
