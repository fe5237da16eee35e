// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"testing"
)

// Three flows of a link of 3 have 1 each. Rates are refreshed at 0 and 10, so the next refresh is expected at
// 20: the ends at 12 and 14 are booked, the one at 30 is not. A booked flow can be asked and cancelled, and a
// refresh that comes early, at 13, gives what is left of the others their new rates.
func TestBookings(t *testing.T) {
	s := New()
	link, _ := s.AddResource("link", 3)
	s.Manual(true)
	var handles [3]Handle
	for i, work := range []float64{12, 14, 30} {
		handles[i], _ = s.Start(0, Spec{Tag: uint64(i), Work: work, Uses: []Use{{link, 1}}})
	}
	s.Refresh()
	var ends []float64
	advance := func(to float64) {
		t.Helper()
		if err := s.Advance(to, func(d Done) { ends = append(ends, d.Time) }); err != nil {
			t.Fatal(err)
		}
	}
	advance(10)
	s.Refresh()
	advance(11)
	if n := len(s.bookings.list); n != 2 {
		t.Fatalf("%d ends are booked", n)
	}
	for i, want := range []float64{1, 3, 19} {
		if left, ok := s.Left(handles[i]); !ok || math.Abs(left-want) > 1e-12 {
			t.Errorf("flow %d has %v left, want %v", i, left, want)
		}
	}
	if left, ok, err := s.Cancel(11, handles[0]); math.Abs(left-1) > 1e-12 || !ok || err != nil {
		t.Errorf("cancelled with %v left, %v, %v", left, ok, err)
	}
	if used, _ := s.Load(link); used != 2 || s.Running() != 2 {
		t.Errorf("%v in use by %d", used, s.Running())
	}
	advance(13)
	s.Refresh() // 1 and 17 are left, at 1.5 each: one ends 2/3 later, the other has 16 left at 1.5 still
	advance(40)
	if want := []float64{13 + 2./3, 13 + 17/1.5}; len(ends) != 2 || math.Abs(ends[0]-want[0]) > 1e-12 || math.Abs(ends[1]-want[1]) > 1e-12 {
		t.Errorf("ends %v, want %v", ends, want)
	}
	if _, ok := s.Left(handles[1]); ok || s.Running() != 0 {
		t.Errorf("%d run still", s.Running())
	}
}

// Four flows of a link of 4 end at 11, 12, 13 and 14. All but the third are quiet, and the first after the refresh counts all the
// same. Quiet ones come with the next that is taken, in order; when that is over, or all are to count, Next says so.
func TestHush(t *testing.T) {
	s := New()
	link, _ := s.AddResource("link", 4)
	s.Manual(true)
	s.Hush.Quiet = func(tag uint64) bool { return tag != 2 }
	for i, work := range []float64{11, 12, 13, 14} {
		if _, err := s.Start(0, Spec{Tag: uint64(i), Work: work, Uses: []Use{{link, 1}}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Refresh()
	var tags []uint64
	next := func(now, want float64) {
		t.Helper()
		if err := s.Advance(now, func(d Done) { tags = append(tags, d.Tag) }); err != nil {
			t.Fatal(err)
		}
		if got, ok := s.Next(); ok && got != want || ok == math.IsInf(want, 1) {
			t.Errorf("at %g the next is at %g (%t), want %g", now, got, ok, want)
		}
	}
	next(10, 11)
	s.Refresh() // the next refresh is expected at 20
	next(10, 11)
	next(11, 13)
	next(13, math.Inf(1))
	s.Hush.Off = true
	next(13, 14)
	s.Refresh()
	if next(13, 13.25); s.Hush.Off || len(tags) != 3 || tags[0] != 0 || tags[1] != 1 || tags[2] != 2 {
		t.Errorf("off %t, ended %v", s.Hush.Off, tags)
	}
}
