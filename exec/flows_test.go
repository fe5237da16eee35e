// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// newStream returns flows with one resource of 3 units per second.
func newStream(t *testing.T, tick model.Time) (*flows, *clock) {
	t.Helper()
	c := &clock{}
	f := newFlows(c, tick)
	if _, err := f.solver.AddResource("pipe", 3); err != nil {
		t.Fatal(err)
	}
	return f, c
}

func pipe(work float64) fluid.Spec {
	return fluid.Spec{Work: work, Uses: []fluid.Use{{Coefficient: 1}}}
}

// planned lists what the clock waits for.
func planned(c *clock) (list []string) {
	for _, p := range c.pending {
		list = append(list, fmt.Sprintf("%s at %d", map[EventKind]string{flowEnds: "end", ratesTick: "tick", linksLook: "look"}[p.event.Kind], p.at))
	}
	return list
}

func TestTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int32Range(0, math.MaxInt32).Draw(t, "a"), rapid.Int32Range(0, math.MaxInt32).Draw(t, "b")
		if s := stepTag(a); s.isFetch() || s.work() != a {
			t.Fatalf("the tag of step %d says %t, %d", a, s.isFetch(), s.work())
		}
		f := fetchTag(a, b)
		if g, s := f.fetch(); !f.isFetch() || g != a || s != b {
			t.Fatalf("the tag of group %d and source %d says %t, %d, %d", a, b, f.isFetch(), g, s)
		}
	})
}

// One unit at 3 per second ends after 1/3 s, rounded up. When a second one shares the pipe the end moves, and
// there is still one event; when all have ended there is none.
func TestFlowsPlanOneEnd(t *testing.T) {
	f, c := newStream(t, 0)
	f.begin(0, stepTag(1), pipe(1))
	f.plan(0)
	expect(t, "alone", planned(c), "end at 333333334")
	second := f.begin(0, stepTag(2), pipe(3))
	f.plan(0)
	expect(t, "two share", planned(c), "end at 666666667")
	f.plan(0)
	expect(t, "planned again", planned(c), "end at 666666667")
	// At 0.5 s each has had 0.75 of 3 * 0.5 / 2: the second is left with 2.25, the first ends after another 0.25 / 3.
	if left := f.cancel(model.Second/2, second); math.Abs(left-2.25) > 1e-12 {
		t.Errorf("%g left, want 2.25", left)
	}
	f.plan(model.Second / 2)
	expect(t, "alone again", planned(c), "end at 583333334")
	f.next = model.Forever // as when the event comes
	c.pop(model.Second)
	if f.take(583_333_334); len(f.done) != 1 || tag(f.done[0].Tag) != stepTag(1) || f.err != nil {
		t.Errorf("done %v, %v", f.done, f.err)
	}
	f.plan(583_333_334)
	expect(t, "none", planned(c))
	if f.activities != 2 {
		t.Errorf("%d activities", f.activities)
	}
}

// With a tick of 1 s rates change on the tick alone: at the next whole second after something begins or ends.
func TestFlowsTick(t *testing.T) {
	f, c := newStream(t, model.Second)
	f.plan(model.Second / 2)
	expect(t, "nothing to refresh", planned(c))
	f.queue(model.Second/2, stepTag(1))
	f.plan(model.Second / 2)
	f.plan(model.Second / 2)
	expect(t, "one waits", planned(c), "tick at 1000000000")
	// The driver's side of the tick: begin what was queued, refresh.
	c.pop(model.Second)
	f.ticks = model.Forever
	f.queued.Take()
	first, second := f.begin(model.Second, stepTag(1), pipe(6)), f.begin(model.Second, stepTag(2), pipe(3))
	f.refresh()
	f.plan(model.Second)
	expect(t, "the second ends 3/1.5 s later, no tick is needed", planned(c), "end at 3000000000")
	f.cancel(1500*model.Millisecond, second)
	f.plan(1500 * model.Millisecond)
	if rate, _ := f.solver.Rate(first); rate != 1.5 {
		t.Errorf("the first runs at %g before the tick, want 1.5", rate)
	}
	expect(t, "the first would end 6/1.5 s later; the change waits for the tick", planned(c), "end at 5000000000", "tick at 2000000000")
	if f.refreshes != 1 {
		t.Errorf("%d refreshes", f.refreshes)
	}
}

// The first fault stays, and names the time.
func TestFlowsFault(t *testing.T) {
	f, _ := newStream(t, 0)
	f.begin(0, stepTag(1), fluid.Spec{Work: -1})
	first := f.err
	f.begin(0, stepTag(1), fluid.Spec{Work: math.NaN()})
	if first == nil || f.err != first {
		t.Errorf("%v, then %v", first, f.err)
	}
}
