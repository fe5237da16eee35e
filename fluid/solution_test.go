// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"slices"
	"testing"
)

// solved is a graph at its solution.
func solved(t *testing.T, g *graph) *solution {
	t.Helper()
	s, a, l := &solution{}, &agenda{}, &slots{}
	s.init(g, a, &Warmer{slots: l, graph: g, agenda: a})
	a.widen(len(g.bottlenecks))
	for i := range g.classes {
		a.open(int32(i))
		a.admit(int32(i), -1, 1, l.add().key, l.places)
	}
	s.solve()
	checkGraph(t, g)
	checkSolved(t, g)
	return s
}

func levels(g *graph) (list []float64) {
	for i := range g.classes {
		list = append(list, g.level(int32(i)))
	}
	return list
}

func TestCandidates(t *testing.T) {
	h := candidates{{3, 1}, {1, 4}, {2, 7}, {1, 5}, {0, 9}, {1, 2}}
	want := []candidate{{0, 9}, {1, 2}, {1, 4}, {1, 5}, {2, 7}, {3, 1}}
	h.order()
	for _, w := range want {
		if got := h.pop(); got != w {
			t.Errorf("on top is %v, want %v", got, w)
		}
	}
}

// Two resources grow at once. The first comes to lie above what the second had, but not above what it will have, so it keeps
// the class that is on both.
func TestWaits(t *testing.T) {
	g := graphOf(t, []float64{10, 11}, on(0), on(1), on(0, 1))
	s := solved(t, g)
	s.lazy = true
	g.set(1, []float64{20})
	g.set(0, []float64{13})
	s.waits.begin(len(g.bottlenecks))
	for g.dirty.Len() > 0 {
		id := g.dirty.Pop()
		g.clean[id] = 1
		s.look(id)
	}
	if len(s.moving) > 0 {
		t.Errorf("classes %v got another holder, none should", s.moving)
	}
	if got, want := levels(g), []float64{6.5, 13.5, 6.5}; !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
	for i, l := range s.agenda.lines {
		if l.level != g.levels[i] {
			t.Errorf("the agenda has bottleneck %d at %v, it is at %v", i, l.level, g.levels[i])
		}
	}
}

// Resources of 2, 5 and 10 freeze their classes at 1, 2 and 8; see TestClosedForms.
func TestFilling(t *testing.T) {
	g := graphOf(t, []float64{2, 5, 10}, on(0), on(0, 1), on(1), on(1, 2), on(2))
	f := filling{graph: g}
	f.run()
	for i, want := range []int32{0, 0, 1, 1, 2} {
		if f.holders[i] != want {
			t.Errorf("class %d is held by %d, want %d", i, f.holders[i], want)
		}
	}
	for r, want := range []float64{1, 2, 8} {
		if got := f.accounts[r].level; got != want {
			t.Errorf("resource %d at %v, want %v", r, got, want)
		}
	}
}

// A change is solved where it is felt. On resources of 2, 5 and 10 in a row, as in TestFilling, the last
// one's change leaves the others alone: its level is the only one that moves.
func TestSolutionPart(t *testing.T) {
	g := graphOf(t, []float64{2, 5, 10, 3}, on(0), on(0, 1), on(1), on(1, 2), on(2), on(3))
	s := solved(t, g)
	if want := []float64{1, 1, 2, 2, 8, 3}; !slices.Equal(levels(g), want) {
		t.Fatalf("levels %v, want %v", levels(g), want)
	}
	before := s.moved
	g.set(2, []float64{20})
	s.solve()
	if want := []float64{1, 1, 2, 2, 18, 3}; !slices.Equal(levels(g), want) || s.moved != before+1 {
		t.Errorf("levels %v, want %v, with %d levels moved", levels(g), want, s.moved-before)
	}
	before = s.moved
	g.set(0, []float64{3}) // 1.5 for two; 5 leaves (5-1.5)/2 for the next two, 20 leaves 18.25
	s.solve()
	if want := []float64{1.5, 1.5, 1.75, 1.75, 18.25, 3}; !slices.Equal(levels(g), want) || s.moved != before+3 {
		t.Errorf("levels %v, want %v, with %d levels moved", levels(g), want, s.moved-before)
	}
}

// A bottleneck that held nobody and would be overloaded takes what it must, and lets go again.
func TestSolutionSlack(t *testing.T) {
	g := graphOf(t, []float64{4, 10}, on(0, 1), on(0))
	s := solved(t, g)
	if g.holds(1) || g.bottlenecks[0].ceiling != 7 { // the first class came at 4, alone, and half of the room to 10 is for others
		t.Fatalf("level %v, ceiling %v", g.levels[1], g.bottlenecks[0].ceiling)
	}
	g.set(0, []float64{40})
	s.solve()
	if want := []float64{10, 30}; !slices.Equal(levels(g), want) || g.levels[1] != 10 {
		t.Errorf("levels %v, want %v; the second at %v", levels(g), want, g.levels[1])
	}
	checkGraph(t, g)
	g.set(0, []float64{4})
	s.solve()
	if want := []float64{2, 2}; !slices.Equal(levels(g), want) || g.holds(1) {
		t.Errorf("levels %v, want %v; the second at %v", levels(g), want, g.levels[1])
	}
	checkGraph(t, g)
}

// A hundred classes on one resource move with one level; filling everything finds the same.
func TestSolutionCost(t *testing.T) {
	capacities, classes := []float64{100}, [][]Use(nil)
	for i := range 100 {
		capacities = append(capacities, 50)
		classes = append(classes, on(0, Resource(i+1)))
	}
	g := graphOf(t, capacities, classes...)
	s := solved(t, g)
	before := s.moved
	g.set(0, []float64{200})
	s.solve()
	if l := g.level(50); l != 2 || s.moved != before+1 {
		t.Errorf("level %v with %d levels moved, want 2 with one", l, s.moved-before)
	}
	s.solveAll()
	checkGraph(t, g)
	checkSolved(t, g)
	if l := g.level(50); math.Abs(l-2) > 1e-12 {
		t.Errorf("filled to %v, want 2", l)
	}
}
