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
	v, l := &service{level: 1}, &slots{}
	ends := map[uint64]float64{}
	for now := 0.0; now < 1000; now++ {
		v.settle(now)
		for range r.IntN(4) {
			span, key := float64(r.IntN(50)), l.add().key
			v.add(span, key, l.all)
			ends[key] = now + span
		}
		if n := len(v.members); n > 0 && r.IntN(2) == 0 {
			m := v.members[r.IntN(n)]
			v.remove(l.all[m.slot()].place, l.all)
			l.release(m.slot())
			delete(ends, m.key)
		}
		least := math.Inf(1)
		for key, end := range ends {
			place := l.all[slotOf(key)].place
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
		if v.stale = len(ends) > 0; v.stale && v.finish(now) != max(now, least) {
			t.Fatalf("the first ends at %v, want %v", v.finish(now), least)
		}
	}
}

// The clock rises by the level; a change of level moves the end, not the members.
func TestServiceLevels(t *testing.T) {
	v, l := &service{level: 2, stale: true}, &slots{}
	v.add(10, l.add().key, l.all)
	if end := v.finish(0); end != 5 {
		t.Errorf("10 units at 2 per second end at %v", end)
	}
	v.settle(3)
	v.level = 1
	if end := v.finish(3); end != 7 {
		t.Errorf("4 units at 1 per second from 3 s end at %v", end)
	}
	v.settle(4)
	if v.level = 0; !math.IsInf(v.finish(4), 1) {
		t.Errorf("at level 0 it ends at %v", v.finish(4))
	}
}

// A short member of a long-lived service sets the clock back, and what is left of the others stays.
func TestServiceRebase(t *testing.T) {
	v, l := &service{level: 1}, &slots{}
	long, other := l.add().key, l.add().key
	v.add(1<<20, long, l.all)
	v.add(1<<21, other, l.all)
	v.settle(1 << 19)
	v.add(1, l.add().key, l.all)
	if v.clock != 0 || v.members[0].finish() != 1 {
		t.Errorf("clock %v, first end %v", v.clock, v.members[0].finish())
	}
	for key, want := range map[uint64]float64{long: 1 << 19, other: 1<<21 - 1<<19} {
		if left := v.left(l.all[slotOf(key)].place); left != want {
			t.Errorf("%v left, want %v", left, want)
		}
	}
}
