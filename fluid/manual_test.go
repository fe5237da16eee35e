// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"errors"
	"math"
	"slices"
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

// Between two refreshes Load follows what ends and what is cancelled, with the capacity by streams, and
// looking changes nothing: a run that is looked at is equal to the last bit to one that is not.
func TestManualLoad(t *testing.T) {
	run := func(look bool) (ends []float64) {
		s := New()
		disk, _ := s.AddTable("disk", []float64{100, 90, 70, 61.3})
		link, _ := s.AddResource("link", 33.7)
		s.Manual(true)
		n := 0.0
		begin := func() {
			n++
			uses := []Use{{disk, 1}, {link, 0.3 + n/7}}
			if _, err := s.Start(s.Now(), Spec{Work: 10 + n/3, Weight: 1 + n/11, Streams: 1, Uses: uses}); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			begin()
		}
		s.Refresh()
		for tick := 1.0; tick < 40; tick++ {
			if err := s.Advance(tick, func(d Done) {
				ends = append(ends, d.Time)
				if !look {
					return
				}
				if _, capacity := s.Load(disk); capacity != []float64{100, 90, 70, 61.3}[s.Running()] {
					t.Fatalf("capacity %v with %d streams", capacity, s.Running())
				}
				if used, _ := s.Load(link); s.Running() == 0 && math.Abs(used) > 1e-12 {
					t.Fatalf("%v in use by nobody", used)
				}
			}); err != nil {
				t.Fatal(err)
			}
			for s.Running() < 3 && tick < 30 {
				begin()
			}
			s.Refresh()
		}
		return ends
	}
	if with, without := run(true), run(false); len(with) < 20 || !slices.Equal(with, without) {
		t.Errorf("looked at %v, not looked at %v", with, without)
	}
}
