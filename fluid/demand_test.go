// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"testing"
)

// A light member keeps all its digits after a heavy one has come and gone.
func TestDemandMass(t *testing.T) {
	d, light, heavy := &demand{}, 0.1, 1e20
	id := d.add(math.Inf(1), 1)
	slots := []activity{{mass: light, streams: 2}, {mass: heavy, streams: 3}}
	d.gain(id, light, 2)
	d.gain(id, heavy, 3)
	d.lose(id, &slots[1], []member{{key: 0}}, slots)
	if m := d.classes[id].mass.sum; m != light {
		t.Errorf("mass %v, want %v", m, light)
	}
	d.lose(id, &slots[0], nil, slots)
	if m := d.classes[id].mass; m.sum != 0 || m.peak != 0 {
		t.Errorf("an empty class has mass %v, peak %v", m.sum, m.peak)
	}
	if c := &d.classes[id]; c.streams != 0 || len(d.changed) != 1 {
		t.Errorf("%d streams, listed %d times", c.streams, len(d.changed))
	}
}

// Now and then a sum asks to be worked out afresh, however large what is left.
func TestTallyAges(t *testing.T) {
	sum := tally{}
	sum.add(1)
	stale := 0
	for range 1000 {
		sum.add(0.1)
		if sum.sub(0.1, 1) {
			stale++
			sum.reset(1)
		}
	}
	if stale != 1000/69 || sum.sum != 1 && math.Abs(sum.sum-1) > 1e-13 {
		t.Errorf("worked out afresh %d times, sum %v", stale, sum.sum)
	}
}

// A sum forgets nothing of what is left when large terms have come and gone.
func TestSum(t *testing.T) {
	s := sum{}
	for i := range 1000 {
		s.add(0.1)
		s.add(1e6 + float64(i))
	}
	for i := range 1000 {
		s.add(-1e6 - float64(i))
		if i%10 != 0 {
			s.add(-0.1)
		}
	}
	if got := s.value(); math.Abs(got-10) > 1e-14 {
		t.Errorf("%v is left, want 10", got)
	}
}

// A class on more than four bottlenecks keeps its links elsewhere; the memory is used again.
func TestClassUses(t *testing.T) {
	c := class{}
	for _, n := range []int{3, 7, 4, 5} {
		uses := c.connect(n)
		uses[n-1].on = int32(n)
		if len(c.uses()) != n || c.uses()[n-1].on != int32(n) {
			t.Errorf("%d uses, want %d", len(c.uses()), n)
		}
	}
}
