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
	s.init(g, a)
	for i := range g.classes {
		a.open(int32(i), g.classes[i].level)
		a.at(int32(i)).add(1, l.add().key, l.all)
		a.touch(int32(i))
	}
	s.solve()
	return s
}

func levels(g *graph) (list []float64) {
	for i := range g.classes {
		list = append(list, g.classes[i].level)
	}
	return list
}

func TestCandidates(t *testing.T) {
	h := candidates{{3, 1, 0}, {1, ^4, 0}, {2, 7, 1}, {1, 5, 2}, {0, 9, 3}, {1, 2, 4}}
	want := []candidate{{0, 9, 3}, {1, 2, 4}, {1, 5, 2}, {1, ^4, 0}, {2, 7, 1}, {3, 1, 0}}
	h.order()
	for _, w := range want {
		if h[0] != w {
			t.Errorf("on top is %v, want %v", h[0], w)
		}
		h.pop()
	}
}

// Resources of 2, 5 and 10 freeze their classes at 1, 2 and 8; see TestClosedForms.
func TestFilling(t *testing.T) {
	g := graphOf(t, []float64{2, 5, 10}, on(0), on(0, 1), on(1), on(1, 2), on(2))
	for i := range g.classes {
		g.classes[i].ceiling = 5
	}
	p := part{graph: g}
	f := filling{part: &p}
	for _, whole := range []bool{true, false} {
		if p.begin(whole); whole {
			p.takeAll()
		} else {
			p.floor = 0
			p.join(0) // the first filling has found that its resource holds it back
			p.spread()
		}
		f.run()
		for i, want := range []float64{1, 1, 2, 2, 8} {
			if got := g.classes[i].next; got != want {
				t.Errorf("class %d at %v, want %v", i, got, want)
			}
		}
		for r, want := range []float64{1, 2, 8} {
			if got := g.resources[r].level; got != want {
				t.Errorf("resource %d at %v, want %v", r, got, want)
			}
		}
		if !slices.Equal(f.suspects, []int32{4}) {
			t.Errorf("above their ceilings: %v", f.suspects)
		}
	}
}

// A change is solved where it is felt: above the floor, and not beyond a border. On resources of 2, 5
// and 10 in a row, as in TestFilling, the last one's change leaves the classes at 1 and 2 alone.
func TestSolutionPart(t *testing.T) {
	g := graphOf(t, []float64{2, 5, 10, 3}, on(0), on(0, 1), on(1), on(1, 2), on(2), on(3))
	s := solved(t, g)
	if want := []float64{1, 1, 2, 2, 8, 3}; !slices.Equal(levels(g), want) {
		t.Fatalf("levels %v, want %v", levels(g), want)
	}
	g.set(2, []float64{20})
	s.solve()
	if want := []float64{1, 1, 2, 2, 18, 3}; !slices.Equal(levels(g), want) {
		t.Errorf("levels %v, want %v", levels(g), want)
	}
	if !slices.Equal(s.part.classes, []int32{4}) || len(s.part.inside) != 1 || s.part.inside[0].resource != 2 {
		t.Errorf("part: classes %v, resources %v", s.part.classes, s.part.inside)
	}
	g.set(3, []float64{4})
	s.solve()
	if len(s.part.classes)+len(s.part.inside) > 0 || g.classes[5].level != 4 {
		t.Errorf("a resource with one class took %d classes, level %v", len(s.part.classes), g.classes[5].level)
	}
}

// A border that the new levels would overload joins the part, and holds from then on.
func TestSolutionBorder(t *testing.T) {
	g := graphOf(t, []float64{4, 10}, on(0, 1), on(0))
	s := solved(t, g)
	if g.resources[1].level != math.Inf(1) || g.classes[0].ceiling != 10 {
		t.Fatalf("border at %v, ceiling %v", g.resources[1].level, g.classes[0].ceiling)
	}
	g.set(0, []float64{40})
	s.solve()
	if want := []float64{10, 30}; !slices.Equal(levels(g), want) || g.resources[1].level != 10 {
		t.Errorf("levels %v, want %v; the border at %v", levels(g), want, g.resources[1].level)
	}
}

// Before the numbers of solutions and fillings run out, all marks are cleared.
func TestSolutionMarks(t *testing.T) {
	g := graphOf(t, []float64{4, 10}, on(0, 1), on(0))
	s := solved(t, g)
	for i, start := range []uint32{math.MaxUint32 - 1<<20, math.MaxUint32 - 1<<20 + 1} {
		s.part.stamp = start
		g.set(0, []float64{float64(10 * (i + 2))})
		s.solve()
		if want := []float64{10, float64(10 * (i + 1))}; !slices.Equal(levels(g), want) {
			t.Errorf("from %d: levels %v, want %v", start, levels(g), want)
		}
	}
	if s.part.stamp > 10 {
		t.Errorf("numbers are not begun again: %d", s.part.stamp)
	}
}
