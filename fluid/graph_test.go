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
		if _, err := g.addResource("r", []float64{c}); err != nil {
			t.Fatal(err)
		}
	}
	for _, uses := range classes {
		id, made, err := g.classOf(&Spec{Uses: uses}, math.Inf(1))
		if !made {
			t.Fatalf("class %v is there already, or refused: %v", uses, err)
		}
		g.gain(id, 1, 0)
	}
	g.settle()
	return g
}

// make1 returns n capacities of 1.
func make1(n int) []float64 {
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	return ones
}

type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkGraph works out from the classes what pairs and bottlenecks must know, and compares.
func checkGraph(t fatal, g *graph) {
	t.Helper()
	type key struct{ holder, on int32 }
	mass, seats := map[key]float64{}, map[key]int{}
	for id := range g.classes {
		c := &g.classes[id]
		if c.felt == 0 || c.holder < 0 {
			continue
		}
		for i, u := range c.uses() {
			mass[key{c.holder, u.on}] += u.ratio * c.felt
			seats[key{c.holder, u.on}]++
			if u.on == c.holder {
				continue
			}
			k := &g.pairs.all[u.pair]
			if k.holder != c.holder || k.on != u.on || *k.at(int(u.place)) != (seat{int32(id), int32(i)}) {
				t.Fatalf("use %d of class %d of %d is in the pair of %d on %d, place %d", i, id, c.holder, k.holder, k.on, u.place)
			}
		}
	}
	count := 0
	for id := range g.bottlenecks {
		b, on := &g.bottlenecks[id], int32(id)
		if want := mass[key{on, on}]; math.Abs(b.mass.value()-want) > 1e-14*want || int(b.crew) != seats[key{on, on}] {
			t.Fatalf("bottleneck %d has %d classes of mass %v, want %d of %v", id, b.crew, b.mass.value(), seats[key{on, on}], want)
		}
		if seats[key{on, on}] > 0 {
			count++
		}
		count += len(b.in)
		armed := 0.0
		for place, in := range b.in {
			k := &g.pairs.all[in.pair]
			if want := mass[key{in.holder, on}]; k.in != int32(place) || k.holder != in.holder || k.on != on || math.Abs(in.mass-want) > 1e-14*want {
				t.Fatalf("%d has mass %v on %d, want %v", in.holder, in.mass, id, want)
			}
			if found := g.pairs.find(b, in.holder, on); found != in.pair {
				t.Fatalf("pair %d of %d on %d is found as %d", in.pair, in.holder, id, found)
			}
			h := &g.bottlenecks[in.holder]
			if g.holds(on) {
				if o := h.out[k.out]; o.on != on || o.pair != in.pair {
					t.Fatalf("%d is not where it belongs in out of %d", id, in.holder)
				}
				continue
			}
			o := h.slack[k.out]
			if o.on != on || o.pair != in.pair || o.arm < h.ceiling {
				t.Fatalf("%d is not where it belongs in slack of %d: arm %v, ceiling %v", id, in.holder, o.arm, h.ceiling)
			}
			armed += in.mass * o.arm
		}
		if !g.holds(on) && math.Abs(armed-b.armed) > 1e-9*max(armed, b.capacity) {
			t.Fatalf("arms on %d take %v, counted %v", id, armed, b.armed)
		}
	}
	if count != len(mass) {
		t.Fatalf("%d pairs, want %d", count, len(mass))
	}
}

// checkSolved verifies what makes levels the solution: nothing is overloaded, each bottleneck with classes
// of its own is exhausted, and nobody is held above the level of a bottleneck that it is on.
func checkSolved(t fatal, g *graph) {
	t.Helper()
	for id := range g.bottlenecks {
		b, on := &g.bottlenecks[id], int32(id)
		if b.isCap() {
			continue
		}
		used := g.used(on)
		if used > b.capacity*(1+1e-11) || b.crew > 0 && used < b.capacity*(1-1e-11) {
			t.Fatalf("%v of %v in use on %d, which holds a mass of %v", used, b.capacity, id, b.mass.value())
		}
		for _, in := range b.in {
			if l := g.levels[in.holder]; l > g.levels[id]*(1+1e-11) {
				t.Fatalf("%d holds classes on %d at %v, above its level %v", in.holder, id, l, g.levels[id])
			}
		}
		if g.clean[id] != 1 {
			t.Fatalf("%d is still noted", id)
		}
	}
}

// Classes come, go and change their holder; all sides of every pair agree.
func TestGraphPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := graphOf(t, make1(6))
	for i := range int32(4) {
		g.hold(i, 1+float64(i))
	}
	live := map[int32]bool{}
	for range 3000 {
		first, n := r.IntN(6), 1+r.IntN(4)
		var uses []Use
		for k := range n {
			uses = append(uses, Use{Resource((first + k) % 6), 1 + float64(r.IntN(2))})
		}
		id, made, _ := g.classOf(&Spec{Uses: uses}, math.Inf(1))
		if made == live[id] {
			t.Fatalf("class %d: made %v, there before %v", id, made, live[id])
		}
		if live[id] = true; made {
			g.gain(id, 1+r.Float64(), 0)
			g.settle()
			to := g.classes[id].uses()[r.IntN(n)].on
			if !g.holds(to) {
				g.hold(to, 5+r.Float64())
			}
			g.attach(id, to)
		}
		switch c := &g.classes[id]; r.IntN(4) {
		case 0:
			c.members = 1 // all in one
			g.lose(id, c.mass.value(), 0)
			delete(live, id)
		case 1:
			if to := c.uses()[r.IntN(int(c.count))].on; g.holds(to) && to != c.holder {
				g.move(id, to)
			}
		case 2:
			g.gain(id, r.Float64(), 0)
		}
		g.settle()
		for i := range g.bottlenecks {
			if b := &g.bottlenecks[i]; b.crew == 0 && g.holds(int32(i)) && len(b.out)+len(b.slack) == 0 && r.IntN(3) == 0 {
				g.free(int32(i))
			}
		}
		checkGraph(t, g)
	}
}

// Three classes on a resource of 10, with levels 1 and 2 and a new one: it is exhausted when the new
// one reaches 7. With levels 9 and 2 the first two meet the third at 4.
func TestSaturation(t *testing.T) {
	g := graphOf(t, []float64{10, 1, 1}, on(0, 1), on(0, 2))
	g.hold(1, 1)
	g.hold(2, 2)
	g.attach(0, 1)
	g.attach(1, 2)
	for _, c := range []struct{ first, extra, want float64 }{{1, 1, 7}, {9, 1, 4}, {1, 2, 3.5}, {9, 2, 8. / 3}, {9, 0, 8}} {
		g.levels[1] = c.first
		if got := g.saturation(0, c.extra); math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("levels %v and 2, extra %v: exhausted at %v, want %v", c.first, c.extra, got, c.want)
		}
	}
}

// Arms are at or above the levels and fit into the capacity, and no holder's ceiling is above its arms.
func TestArms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := graphOf(t, []float64{40, 50, 60, 1, 1}, on(0, 3), on(0, 1, 4), []Use{{1, 1}, {2, 3}, {3, 1}}, on(0, 1, 2, 4))
	for id, to := range []int32{3, 4, 3, 4} {
		if !g.holds(to) {
			g.hold(to, 1)
		}
		g.attach(int32(id), to)
	}
	for range 1000 {
		g.levels[3], g.levels[4] = 10*r.Float64(), 10*r.Float64()
		for id := range int32(3) {
			g.arm(id, g.used(id))
			sum, b := 0.0, &g.bottlenecks[id]
			for _, in := range b.in {
				arm := *g.armOf(in.pair)
				if arm < g.levels[in.holder] || arm < g.bottlenecks[in.holder].ceiling {
					t.Fatalf("arm %v, level %v, ceiling %v", arm, g.levels[in.holder], g.bottlenecks[in.holder].ceiling)
				}
				sum += in.mass * arm
			}
			if used := g.used(id); sum > max(used, b.capacity)*(1+slack) {
				t.Fatalf("arms take %v", sum)
			}
		}
	}
}

// Pairs are found on a bottleneck that many holders share, as before it became crowded.
func TestCrowdedPairs(t *testing.T) {
	const many = 2 * crowd
	g := graphOf(t, make1(many+1))
	for i := range int32(many + 1) {
		g.hold(i, 1)
	}
	for i := range int32(many) {
		id, _, _ := g.classOf(&Spec{Uses: on(0, Resource(i)+1)}, math.Inf(1))
		g.gain(id, 1, 0)
		g.settle()
		g.attach(id, i+1)
		if checkGraph(t, g); g.bottlenecks[0].crowded != (i >= crowd) {
			t.Fatalf("%d holders: crowded %v", i+1, g.bottlenecks[0].crowded)
		}
	}
	for id := range int32(many) { // all leave it, and some come back
		g.move(id, 0)
		if checkGraph(t, g); id%3 == 0 {
			g.move(id, id+1)
			checkGraph(t, g)
		}
	}
}
