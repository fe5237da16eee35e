// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Members come and go; the first to end is on top, and every activity knows its place.
func TestServiceHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	v, l := &service{}, &slots{}
	ends := map[uint64]float64{}
	for now := 0.0; now < 1000; now++ {
		v.settle(now, 1)
		for range r.IntN(4) {
			span, key := float64(r.IntN(50)), l.add().key
			if v.long(span) {
				v.rebase(l.places)
			}
			v.add(span, key, l.places)
			ends[key] = now + span
		}
		if n := len(v.members); n > 0 && r.IntN(2) == 0 {
			m := v.members[r.IntN(n)]
			v.members = l.places.remove(v.members, l.places[m.slot()])
			l.release(m.slot())
			delete(ends, m.key)
		}
		least := math.Inf(1)
		for key, end := range ends {
			place := l.places[slotOf(key)]
			if v.members[place].key != key {
				t.Fatalf("%x is not at its place %d", key, place)
			}
			if left := v.left(place); left != max(0, end-now) {
				t.Fatalf("%x has %v left, want %v", key, left, end-now)
			}
			least = min(least, end)
		}
		if len(v.members) != len(ends) {
			t.Fatalf("%d members, want %d", len(v.members), len(ends))
		}
		if len(ends) > 0 && v.first() != max(0, least-now) {
			t.Fatalf("the first ends in %v, want %v", v.first(), least-now)
		}
	}
}

// The clock rises by the level; a change of level moves the end, not the members.
func TestServiceLevels(t *testing.T) {
	v, l := &service{}, &slots{}
	v.add(10, l.add().key, l.places)
	if v.first() != 10 {
		t.Errorf("%v to go, want 10", v.first())
	}
	if v.settle(3, 2); v.first() != 4 {
		t.Errorf("after 3 s at 2 per second %v to go, want 4", v.first())
	}
	if v.settle(4, 1); v.first() != 3 {
		t.Errorf("after 1 s at 1 per second %v to go, want 3", v.first())
	}
	if v.settle(9, 0); v.first() != 3 {
		t.Errorf("at level 0: %v to go, want 3", v.first())
	}
}

// A short member of a long-lived service sets the clock back, and what is left of the others stays.
func TestServiceRebase(t *testing.T) {
	v, l := &service{}, &slots{}
	long, other := l.add().key, l.add().key
	for key, span := range map[uint64]float64{long: 1 << 20, other: 1 << 21} {
		if v.long(span) {
			t.Fatal("a clock at zero is set back")
		}
		v.add(span, key, l.places)
	}
	v.settle(1<<19, 1)
	if !v.long(1) {
		t.Fatal("the clock is not set back")
	}
	v.rebase(l.places)
	v.add(1, l.add().key, l.places)
	if v.clock != 0 || v.members[0].finish() != 1 {
		t.Errorf("clock %v, first end %v", v.clock, v.members[0].finish())
	}
	for key, want := range map[uint64]float64{long: 1 << 19, other: 1<<21 - 1<<19} {
		if left := v.left(l.places[slotOf(key)]); left != want {
			t.Errorf("%v left, want %v", left, want)
		}
	}
}

// The copy of the first member is the first, whoever comes, goes or is set back.
func TestRosterTop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	v, l := &roster{}, &slots{}
	for now := 0.0; now < 3000; now++ {
		v.settle(now, 1)
		if n := len(v.members); n > 0 && r.IntN(2) == 0 {
			m := v.members[r.IntN(n)]
			v.dismiss(l.places[m.slot()], l.places)
			l.release(m.slot())
		} else {
			v.admit(math.Exp(10*r.Float64()-8), l.add().key, l.places)
		}
		if len(v.members) > 0 && v.top != v.members[0] {
			t.Fatalf("at %v: first is %v, want %v", now, v.top, v.members[0])
		}
	}
}
