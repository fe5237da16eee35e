// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"errors"
	"math"
	"testing"
)

// Two equal flows share a link of 10; the short one ends at 2 s. With exact rates the long one then gets
// all; refreshed on a tick of 5 s it gets its half until the tick.
func TestManual(t *testing.T) {
	run := func(tick float64) (ends []float64) {
		s := New()
		r, _ := s.AddResource("link", 10)
		s.Manual(tick > 0)
		for _, work := range []float64{10, 100} {
			if _, err := s.Start(0, Spec{Work: work, Uses: []Use{{r, 1}}}); err != nil {
				t.Fatal(err)
			}
		}
		s.Refresh()
		for next := tick; s.Running() > 0; {
			at, _ := s.Next()
			if tick > 0 && at > next {
				at, next = next, next+tick
			}
			if err := s.Advance(at, func(d Done) { ends = append(ends, d.Time) }); err != nil {
				t.Fatal(err)
			}
			if used, capacity := s.Load(r); used > capacity {
				t.Fatalf("%v of %v in use", used, capacity)
			}
			if tick > 0 && at == next-tick {
				s.Refresh()
			}
		}
		return ends
	}
	for _, c := range []struct {
		tick float64
		want []float64
	}{{0, []float64{2, 11}}, {5, []float64{2, 12.5}}, {1, []float64{2, 11}}} {
		got := run(c.tick)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("tick %v: ends %v, want %v", c.tick, got, c.want)
			}
		}
	}
}

func TestManualStartNeedsRefresh(t *testing.T) {
	s := New()
	r, _ := s.AddResource("link", 10)
	s.Manual(true)
	if _, err := s.Start(0, Spec{Work: 1, Uses: []Use{{r, 1}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Advance(1, nil); !errors.Is(err, ErrTime) {
		t.Errorf("time moved over an unsolved start: %v", err)
	}
	s.Refresh()
	if err := s.Advance(1, nil); err != nil {
		t.Error(err)
	}
}
