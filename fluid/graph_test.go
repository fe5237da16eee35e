// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// graphOf has the given resources, and for each list of uses an uncapped class of mass 1.
func graphOf(t *testing.T, capacities []float64, classes ...[]Use) *graph {
	t.Helper()
	g := &graph{}
	for _, c := range capacities {
		if _, err := g.supply.add("r", []float64{c}); err != nil {
			t.Fatal(err)
		}
	}
	for _, uses := range classes {
		id, made := g.classOf(&Spec{Uses: uses}, math.Inf(1))
		if !made {
			t.Fatalf("class %v is there already", uses)
		}
		g.gain(id, 1)
		g.change(id, 0)
	}
	return g
}

// checkEdges compares both sides of every use.
func checkEdges(t *testing.T, g *graph, live map[int32]bool) {
	t.Helper()
	edges := 0
	for id := range live {
		for i, u := range g.bodies[id].uses {
			if e := g.resources[u.resource].edges[u.place]; e.class != id || int(e.use) != i || e.ratio != u.ratio {
				t.Fatalf("use %d of class %d is %+v at the resource", i, id, e)
			}
			edges++
		}
	}
	for r := range g.resources {
		edges -= len(g.resources[r].edges)
	}
	if edges != 0 {
		t.Fatalf("%d more uses than edges", edges)
	}
}

func TestGraphEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := graphOf(t, make1(6))
	live := map[int32]bool{}
	for range 2000 {
		first, n := r.IntN(6), 1+r.IntN(4)
		var uses []Use
		for k := range n {
			uses = append(uses, Use{Resource((first + k) % 6), 1 + float64(r.IntN(2))})
		}
		id, made := g.classOf(&Spec{Uses: uses}, math.Inf(1))
		if made == live[id] {
			t.Fatalf("class %d: made %v, there before %v", id, made, live[id])
		}
		live[id] = true
		if r.IntN(2) == 0 {
			g.remove(id)
			delete(live, id)
		}
		checkEdges(t, g, live)
	}
}

// make1 returns n capacities of 1.
func make1(n int) []float64 {
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	return ones
}

// A class is plain if it has at most four resources, all with the same coefficient.
func TestGraphPlain(t *testing.T) {
	g := graphOf(t, make1(5), on(3, 1), []Use{{0, 2}, {1, 2}}, []Use{{0, 2}, {1, 1}}, on(0, 1, 2, 3, 4))
	for id, want := range []bool{true, true, false, false} {
		if g.classes[id].plain != want {
			t.Errorf("class %d: plain is %v", id, !want)
		}
	}
	if near := g.classes[0].near; near != [4]int32{3, 1} {
		t.Errorf("class 0 is near %v", near)
	}
}

// Three classes on a resource of 10, with levels 1 and 2 and a new one: it is exhausted when the new
// one reaches 7. With levels 9 and 2 the first two meet the third at 4.
func TestSaturation(t *testing.T) {
	g := graphOf(t, []float64{10, 1, 1}, on(0, 1), on(0, 2), on(0))
	for _, c := range []struct{ first, third, want float64 }{
		{1, math.Inf(1), 7}, {9, math.Inf(1), 4}, {1, 7, math.Inf(1)}, {1, 6, math.Inf(1)},
	} {
		g.classes[0].level, g.classes[1].level, g.classes[2].level = c.first, 2, c.third
		if got := g.saturation(0); got != c.want {
			t.Errorf("levels %v, 2, %v: exhausted at %v, want %v", c.first, c.third, got, c.want)
		}
	}
}

// Arms are at or above the levels, fit into the capacity, and the least of a class is its ceiling.
func TestArms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := graphOf(t, []float64{40, 50, 60}, on(0), on(0, 1), []Use{{1, 1}, {2, 3}}, on(0, 1, 2))
	for range 1000 {
		for i := range g.classes {
			g.classes[i].level = 10 * r.Float64()
		}
		changed := int32(r.IntN(3))
		if g.disarm(changed); r.IntN(3) > 0 {
			g.arm(changed)
			sum := 0.0
			for _, e := range g.resources[changed].edges {
				if e.arm < g.classes[e.class].level {
					t.Fatalf("arm %v is below level %v", e.arm, g.classes[e.class].level)
				}
				sum += e.ratio * g.classes[e.class].mass * e.arm
			}
			if used := g.used(Resource(changed)); sum > max(used, g.resources[changed].capacity)*(1+slack) {
				t.Fatalf("arms take %v", sum)
			}
		}
		for id := range g.classes {
			least := math.Inf(1)
			for _, u := range g.bodies[id].uses {
				least = min(least, g.resources[u.resource].edges[u.place].arm)
			}
			if g.classes[id].ceiling != least {
				t.Fatalf("ceiling %v of class %d, least arm %v", g.classes[id].ceiling, id, least)
			}
		}
	}
}
