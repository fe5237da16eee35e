// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// world is a solver with fixed capacities for the closed forms.
func world(t *testing.T, capacities ...float64) *Solver {
	t.Helper()
	s := New()
	for i, c := range capacities {
		if _, err := s.AddResource("r"+string(rune('0'+i)), c); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func on(resources ...Resource) []Use {
	var uses []Use
	for _, r := range resources {
		uses = append(uses, Use{r, 1})
	}
	return uses
}

// ends starts all specs at time 0, numbering them, and returns when each ends.
func ends(t *testing.T, s *Solver, specs ...Spec) []float64 {
	t.Helper()
	for i, spec := range specs {
		spec.Tag = uint64(i)
		if _, err := s.Start(0, spec); err != nil {
			t.Fatal(err)
		}
	}
	out := make([]float64, len(specs))
	for s.Running() > 0 {
		next, ok := s.Next()
		if !ok {
			t.Fatal(s.Stalled())
		}
		if err := s.Advance(next, func(d Done) { out[d.Tag] = d.Time }); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestClosedForms(t *testing.T) {
	disk := func() *Solver { // 100 alone, 80 with two streams, 60 with three
		s := New()
		if _, err := s.AddTable("disk", []float64{100, 100, 80, 60}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name  string
		s     *Solver
		specs []Spec
		want  []float64
	}{
		// 4 equal flows of 10 on a link of 8: rate 2 each.
		{"k equal flows", world(t, 8), []Spec{{Work: 10, Uses: on(0)}, {Work: 10, Uses: on(0)}, {Work: 10, Uses: on(0)}, {Work: 10, Uses: on(0)}}, []float64{5, 5, 5, 5}},
		// a up 0, a down 1, b up 2, b down 3: a to b and b to a do not meet.
		{"full duplex", world(t, 10, 10, 10, 10), []Spec{{Work: 50, Uses: on(0, 3)}, {Work: 100, Uses: on(2, 1)}}, []float64{5, 10}},
		// three senders of 10 into one link of 6: rate 2 each.
		{"incast", world(t, 10, 10, 10, 6), []Spec{{Work: 4, Uses: on(0, 3)}, {Work: 4, Uses: on(1, 3)}, {Work: 4, Uses: on(2, 3)}}, []float64{2, 2, 2}},
		// r0=2 holds the first two at 1; r1=10 leaves 9 to the third. The first ends at 9: then the
		// second, with 9 left of 18, has 2.
		{"two levels", world(t, 2, 10), []Spec{{Work: 9, Uses: on(0, 1)}, {Work: 18, Uses: on(0)}, {Work: 81, Uses: on(1)}}, []float64{9, 13.5, 9}},
		// levels 1 (r0=2), then r1=5: (5-1)/2=2, then r2=10: 10-2=8.
		{"three levels", world(t, 2, 5, 10), []Spec{{Work: 4, Uses: on(0)}, {Work: 4, Uses: on(0, 1)}, {Work: 8, Uses: on(1)}, {Work: 8, Uses: on(1, 2)}, {Work: 32, Uses: on(2)}}, []float64{4, 4, 4, 4, 4}},
		// sizes 1, 2, 3 on capacity 1: 3x1, then +2x1, then +1.
		{"processor sharing", world(t, 1), []Spec{{Work: 1, Uses: on(0)}, {Work: 2, Uses: on(0)}, {Work: 3, Uses: on(0)}}, []float64{3, 5, 6}},
		// three readers: 20 each till 100 is done at 5; then two at 40 each: 100 left at 7.5; then
		// one at 100 has 100 left: 8.5.
		{"disk with streams", disk(), []Spec{{Work: 100, Streams: 1, Uses: on(0)}, {Work: 200, Streams: 1, Uses: on(0)}, {Work: 300, Streams: 1, Uses: on(0)}}, []float64{5, 7.5, 8.5}},
		// write-back takes half of the disk and adds no stream: 50 each.
		{"write-back", disk(), []Spec{{Work: 100, Streams: 1, Uses: on(0)}, {Work: 100, Uses: on(0)}}, []float64{2, 2}},
		// first: 2 of r0 and 1 of r1 a unit; second: 1 of r1. r0=4 holds the first at 2, r1=10
		// leaves 8.
		{"coefficients", world(t, 4, 10), []Spec{{Work: 10, Uses: []Use{{0, 2}, {1, 1}}}, {Work: 40, Uses: on(1)}}, []float64{5, 5}},
		// weights 1 and 3 on 8: 2 and 6. A cap of 1 leaves 7.
		{"weights", world(t, 8), []Spec{{Work: 6, Weight: 1, Uses: on(0)}, {Work: 18, Weight: 3, Uses: on(0)}}, []float64{3, 3}},
		{"cap", world(t, 8), []Spec{{Work: 2, Cap: 1, Uses: on(0)}, {Work: 14, Uses: on(0)}}, []float64{2, 2}},
		{"cap alone", world(t), []Spec{{Work: 6, Cap: 2}}, []float64{3}},
		{"no work", world(t, 1), []Spec{{Work: 0, Uses: on(0)}, {Work: 1, Uses: on(0)}}, []float64{0, 1}},
	} {
		got := ends(t, c.s, c.specs...)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-12*c.want[i] {
				t.Errorf("%s: activity %d ends at %v, want %v", c.name, i, got[i], c.want[i])
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	s := world(t, 1)
	for _, c := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := s.AddResource("up7", c); !errors.Is(err, ErrCapacity) || !strings.Contains(err.Error(), "up7") {
			t.Errorf("capacity %v: %v", c, err)
		}
		if err := s.SetCapacity(0, 0, c); !errors.Is(err, ErrCapacity) || !strings.Contains(err.Error(), "r0") {
			t.Errorf("set capacity %v: %v", c, err)
		}
	}
	if err := s.SetCapacity(0, 9, 1); !errors.Is(err, ErrCapacity) {
		t.Error(err)
	}
	var known int32 // a note that leads to a class spares no check
	h, err := s.Start(0, Spec{Work: 1, Uses: on(0), Kind: &known})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []Spec{
		{Work: -1, Uses: on(0)}, {Work: math.NaN(), Uses: on(0)}, {Work: math.Inf(1), Uses: on(0)}, {Work: 1},
		{Work: 1, Uses: on(1)}, {Work: 1, Uses: on(-1)}, {Work: 1, Uses: on(0, 0)}, {Work: 1, Uses: []Use{{0, 0}}},
		{Work: 1, Uses: []Use{{0, 1e31}}}, {Work: 1, Weight: 1e31, Uses: on(0)},
		{Work: 1, Weight: -1, Uses: on(0)}, {Work: 1, Cap: -1, Uses: on(0)}, {Work: 1, Streams: -1, Uses: on(0)},
	} {
		spec.Tag = 4711
		for _, kind := range []*int32{nil, &known} {
			spec.Kind = kind
			if _, err := s.Start(0, spec); !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), "activity 4711") {
				t.Errorf("%+v: %v", spec, err)
			}
		}
	}
	if _, ok := s.Left(h); s.Running() != 1 || !ok {
		t.Errorf("%d running", s.Running())
	}
}

func TestTimes(t *testing.T) {
	s := world(t, 1)
	h, err := s.Start(0, Spec{Work: 1, Uses: on(0)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(2, Spec{Work: 1, Uses: on(0)}); !errors.Is(err, ErrTime) {
		t.Errorf("start beyond a completion: %v", err)
	}
	for _, now := range []float64{-1, math.NaN(), math.Inf(1)} {
		if err := s.Advance(now, nil); !errors.Is(err, ErrTime) {
			t.Errorf("advance to %v: %v", now, err)
		}
	}
	if err := s.Advance(2, nil); err != nil || s.Now() != 2 {
		t.Error(err, s.Now())
	}
	if _, ok, err := s.Cancel(2, h); ok || err != nil {
		t.Error("an ended activity is cancelled", err)
	}
}

func TestStalled(t *testing.T) {
	s := world(t, 1, 1)
	if _, err := s.Start(0, Spec{Tag: 5, Work: 1, Uses: on(1, 0)}); err != nil {
		t.Fatal(err)
	}
	if err := s.TurnOff(0.5, 0); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Next(); ok {
		t.Error("a stalled activity has an end")
	}
	if err := s.Stalled(); !errors.Is(err, ErrStalled) || !strings.Contains(err.Error(), "activity 5") || !strings.Contains(err.Error(), `"r0"`) {
		t.Error(err)
	}
	if err := s.SetCapacity(3, 0, 2); err != nil {
		t.Fatal(err)
	}
	if next, ok := s.Next(); !ok || next != 3.5 || s.Stalled() != nil {
		t.Error(next, ok, s.Stalled())
	}
}

// Chained starts within Advance take no memory once the arrays have grown.
func TestNoAllocation(t *testing.T) {
	s := world(t, 10, 20, 30, 40)
	specs := []Spec{{Work: 3, Uses: on(0, 1)}, {Work: 5, Weight: 2, Uses: on(2)}, {Work: 7, Cap: 3, Uses: on(1, 2, 3)}, {Work: 2, Uses: on(3)}}
	n := uint64(0)
	again := func(d Done) {
		n++
		spec := &specs[n*n%4]
		if _, err := s.Start(d.Time, *spec); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		again(Done{})
	}
	run := func() {
		for range 100 {
			next, _ := s.Next()
			if err := s.Advance(next, again); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 20 {
		run()
	}
	if allocs := testing.AllocsPerRun(20, run); allocs != 0 {
		t.Errorf("%v allocations per 100 completions", allocs)
	}
}
