// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// agendaOf has n lines of level 1, the i-th with one class of one member that ends at i+1.
func agendaOf(n int) (*agenda, *slots) {
	a, l := &agenda{}, &slots{}
	a.widen(n)
	for i := range int32(n) {
		a.open(i)
		a.admit(i, -1, float64(i+1), l.add().key, l.places)
		a.relevel(i, 1)
		a.join(i, i)
	}
	a.renew()
	return a, l
}

func TestAgenda(t *testing.T) {
	a, l := agendaOf(3)
	if t0 := a.times.least(); t0 != 1 {
		t.Errorf("first end at %v", t0)
	}
	a.now = 0.5
	a.relevel(0, 0.1)
	if a.renew(); a.times.least() != 2 {
		t.Errorf("with the first slowed down, first end at %v", a.times.least())
	}
	a.admit(2, -1, 0.25, l.add().key, l.places)
	a.delay(2)
	if len(a.late) != 1 {
		t.Errorf("listed %d times", len(a.late))
	}
	if a.renew(); a.times.least() != 0.75 {
		t.Errorf("with a short member in the third, first end at %v", a.times.least())
	}
	a.dismiss(1, 0, l.places)
	if members := len(a.services[1].members); members > 0 || len(a.lines[1].members) > 0 || a.services[1].holder != -1 {
		t.Errorf("a class without members has %d and stands in a line of %d", members, len(a.lines[1].members))
	}
	if a.renew(); !slices.Equal(a.times.due(100, nil), []int32{0, 2}) {
		t.Errorf("with the second gone, due are %v", a.times.due(100, nil))
	}
	a.open(1)
	if v := a.at(1); v.clock != 0 || len(v.members) != 0 {
		t.Errorf("opened again: %+v", *v)
	}
}

// A class keeps what it has been served when it goes from line to line: 4 of 10 at level 2, 3 at 1.
func TestAgendaChangesLine(t *testing.T) {
	a, l := &agenda{}, &slots{}
	a.widen(2)
	a.relevel(0, 2)
	a.relevel(1, 1)
	for id, span := range []float64{10, 100} {
		a.open(int32(id))
		a.admit(int32(id), -1, span, l.add().key, l.places)
		a.join(int32(id), int32(id))
	}
	a.now = 2
	a.leave(0)
	a.join(0, 1)
	a.now = 5
	if left := a.at(0).left(0); left != 3 {
		t.Errorf("%v left, want 3", left)
	}
	if left := a.at(1).left(0); left != 95 {
		t.Errorf("the other has %v left, want 95", left)
	}
	if a.renew(); a.times.least() != 8 {
		t.Errorf("the first end is at %v, want 8", a.times.least())
	}
}

// A line that lives for days of short classes keeps their digits, and those of a long one.
func TestAgendaRebase(t *testing.T) {
	a, l := &agenda{}, &slots{}
	a.widen(1)
	a.relevel(0, 1e8)
	long, short := l.add().key, l.add().key
	a.open(0)
	a.admit(0, -1, 1e13, long, l.places)
	a.open(1)
	a.admit(1, -1, 1, short, l.places)
	a.join(0, 0)
	for a.now = 0; a.now < 90000; a.now += 10 {
		a.join(1, 0)
		if first := a.line(0).first(); math.Abs(first-1) > 1e-12 {
			t.Fatalf("at %v: the short class ends in %v, want 1", a.now, first)
		}
		a.leave(1)
		a.open(1)
		a.admit(1, -1, 1, short, l.places)
	}
	if left, want := a.at(0).left(0), 1e13-1e8*a.now; math.Abs(left-want) > 1e-12*1e13 {
		t.Errorf("the long class has %v left, want %v", left, want)
	}
}

// Whether the index of times is built anew or each time is set makes no difference.
func TestAgendaRenew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few, _ := agendaOf(100)
	many, _ := agendaOf(100)
	few.now, many.now = 0.5, 0.5
	for i := range int32(100) {
		level := float64(r.IntN(4))
		few.relevel(i, level)
		few.renew()
		many.relevel(i, level)
	}
	many.renew()
	if !slices.Equal(few.times.node, many.times.node) {
		t.Error("the times differ")
	}
	for i := range many.lines {
		want := math.Inf(1)
		if l := many.lines[i].level; l > 0 {
			want = 0.5 + (float64(i)+0.5)/l
		}
		if got := many.times.leaves()[i]; got != want {
			t.Errorf("line %d ends at %v, want %v", i, got, want)
		}
	}
}
