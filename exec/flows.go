// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/exec/running"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// flows is where the solver and the clock meet. Time is whole nanoseconds in events and seconds in the
// solver; the end of the next activity, rounded up, is one event. What begins during an event begins when
// the event is over, so all changes of one moment are solved together. With a tick, rates stay as they are
// from tick to tick: what begins waits for the tick, what ends leaves its share unused until then.
type flows struct {
	solver *fluid.Solver
	timers Timers
	tick   model.Time // on which rates are refreshed, 0 for exact rates

	queued running.Queue[tag] // activities that begin when the event is over, or on the tick
	done   []fluid.Done
	next   model.Time // when the next activity ends, as planned
	event  des.Handle
	ticks  model.Time // when the next tick is planned, Forever if none
	stale  bool       // something ended since the last refresh
	err    error

	activities, refreshes int64
}

// tag names what an activity is for: the step of a work, or a group's fetching from one source.
type tag uint64

func stepTag(work int32) tag { return tag(uint32(work)) << 1 }

func fetchTag(group, source int32) tag { return tag(uint32(group))<<33 | tag(uint32(source))<<1 | 1 }

func (t tag) isFetch() bool                { return t&1 == 1 }
func (t tag) work() int32                  { return int32(t >> 1) }
func (t tag) fetch() (group, source int32) { return int32(t >> 33), int32(t >> 1 & math.MaxUint32) }

func newFlows(timers Timers, tick model.Time) *flows {
	f := &flows{solver: fluid.New(), timers: timers, tick: tick, next: model.Forever, ticks: model.Forever}
	f.solver.Manual(tick > 0)
	return f
}

func (f *flows) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// sync brings the solver to now and keeps what has ended.
func (f *flows) sync(now model.Time) {
	if now.Seconds() != f.solver.Now() {
		f.take(now)
	}
}

// take is sync also for a solver that is there already: a change of rates at this moment may have left
// so little of an activity that it ends at once.
func (f *flows) take(now model.Time) {
	if err := f.solver.Advance(now.Seconds(), func(d fluid.Done) { f.done = append(f.done, d) }); err != nil {
		f.fail(err)
	}
}

// queue makes an activity begin when the event is over, or on the tick.
func (f *flows) queue(now model.Time, t tag) { f.queued.Add(now, t) }

// begin starts an activity in the solver.
func (f *flows) begin(now model.Time, t tag, spec fluid.Spec) fluid.Handle {
	f.activities++
	spec.Tag = uint64(t)
	h, err := f.solver.Start(now.Seconds(), spec)
	if err != nil {
		f.fail(fmt.Errorf("at %v: %w", now, err))
	}
	return h
}

// cancel stops an activity and returns what was left of its work.
func (f *flows) cancel(now model.Time, h fluid.Handle) float64 {
	f.sync(now)
	left, _, err := f.solver.Cancel(now.Seconds(), h)
	if err != nil {
		f.fail(err)
	}
	f.stale, f.solver.Hush.Off = true, true
	return left
}

// plan makes sure that the next end of an activity, and with a tick the next refresh, are events.
func (f *flows) plan(now model.Time) {
	next := model.Forever
	if t, ok := f.solver.Next(); ok {
		next = max(model.AtOrAfter(t), now)
	}
	if next != f.next {
		f.timers.Cancel(f.event)
		if f.next = next; next != model.Forever {
			f.event = f.timers.At(next, Event{Kind: flowEnds})
		}
	}
	if f.tick > 0 && f.ticks == model.Forever && (f.queued.Len() > 0 || f.stale) {
		f.ticks = (now/f.tick + 1) * f.tick
		f.timers.At(f.ticks, Event{Kind: ratesTick})
	}
}

// refresh works all rates out again.
func (f *flows) refresh() {
	f.solver.Refresh()
	f.stale = false
	f.refreshes++
}

// check verifies that no resource is above its capacity.
func (f *flows) check(now model.Time) error {
	for r := range f.solver.Resources() {
		if used, capacity := f.solver.Load(fluid.Resource(r)); used > capacity*(1+1e-9) {
			return fmt.Errorf("at %v: %s: %g in use, capacity %g", now, f.solver.Name(fluid.Resource(r)), used, capacity)
		}
	}
	return nil
}
