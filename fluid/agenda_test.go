// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// agendaOf has n services of level 1, the i-th with one member that ends at i+1.
func agendaOf(n int) (*agenda, *slots) {
	a, l := &agenda{}, &slots{}
	for i := range n {
		a.open(int32(i), 1)
		a.at(int32(i)).add(float64(i+1), l.add().key, l.all)
		a.touch(int32(i))
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
	if t0 := a.times.least(); t0 != 2 {
		t.Errorf("with the first slowed down, first end at %v", t0)
	}
	a.at(2).add(0.25, l.add().key, l.all)
	a.touch(2)
	a.touch(2)
	if len(a.stale) != 1 {
		t.Errorf("listed %d times", len(a.stale))
	}
	if a.renew(); a.times.least() != 0.75 {
		t.Errorf("with a short member in the third, first end at %v", a.times.least())
	}
	a.at(1).remove(0, l.all)
	a.touch(1)
	a.close(1)
	if a.renew(); !slices.Equal(a.times.due(100, nil), []int32{0, 2}) {
		t.Errorf("with the second closed, due are %v", a.times.due(100, nil))
	}
	a.open(1, 7)
	if v := a.at(1); v.level != 7 || v.clock != 0 || v.stale || len(v.members) != 0 {
		t.Errorf("opened again: %+v", *v)
	}
}

// Whether the index of times is built anew or each time is set makes no difference.
func TestAgendaCommit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few, _ := agendaOf(100)
	many, _ := agendaOf(100)
	classes, ids := make([]class, 100), make([]int32, 100)
	for i := range classes {
		classes[i], ids[i] = class{level: 1, next: float64(r.IntN(4))}, int32(i)
	}
	few.now, many.now = 0.5, 0.5
	for i := range ids {
		few.commit(slices.Clone(classes), ids[i:i+1])
	}
	many.commit(classes, ids)
	if !slices.Equal(few.times.node, many.times.node) {
		t.Error("the times differ")
	}
	for i := range classes {
		want := math.Inf(1)
		if l := classes[i].next; l > 0 {
			want = 0.5 + (float64(i)+0.5)/l
		}
		if got := many.times.leaves()[i]; got != want || classes[i].level != classes[i].next {
			t.Errorf("service %d ends at %v, want %v; level %v of %v", i, got, want, classes[i].level, classes[i].next)
		}
	}
}
