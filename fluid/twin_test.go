// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// twins runs a Solver and its twin side by side.
type twins struct {
	t       *rapid.T
	fast    *Solver
	slow    *naive
	handles map[uint64]Handle
	ends    map[uint64]float64 // by tag, from the solver
	last    Done
	tag     uint64
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

func (p *twins) done(d Done) {
	if _, twice := p.ends[d.Tag]; twice {
		p.t.Fatalf("activity %d ends twice", d.Tag)
	}
	if d.Time < p.last.Time || d.Time == p.last.Time && d.Handle <= p.last.Handle {
		p.t.Fatalf("%+v comes after %+v", d, p.last)
	}
	p.last = d
	p.ends[d.Tag] = d.Time
	delete(p.handles, d.Tag)
}

// advance moves both on and compares ends, rates, what is left, loads.
func (p *twins) advance(now float64) {
	p.refreshUntil(now)
	if err := p.fast.Advance(now, p.done); err != nil {
		p.t.Fatal(err)
	}
	p.slow.advance(now, func(tag uint64, t float64) {
		if got, ok := p.ends[tag]; !ok || !near(got, t) {
			p.t.Fatalf("activity %d ends at %v (%v), want %v; now %v", tag, got, ok, t, now)
		}
		delete(p.ends, tag)
	})
	for tag, t := range p.ends {
		p.t.Fatalf("activity %d ended at %v, not in the twin; now %v", tag, t, now)
	}
	p.compare()
}

// refreshUntil takes a solver whose rates are refreshed by hand through every end before now, with a
// refresh at each: then its rates are exact.
func (p *twins) refreshUntil(now float64) {
	if !p.fast.manual {
		return
	}
	for p.fast.Refresh(); ; p.fast.Refresh() {
		t, ok := p.fast.Next()
		if !ok || t > now {
			return
		}
		if err := p.fast.Advance(t, p.done); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *twins) compare() {
	if p.fast.manual {
		p.fast.Refresh()
	}
	p.fast.least()
	if rapid.IntRange(0, 7).Draw(p.t, "fill") == 7 {
		p.fast.solution.solveAll()
		p.fast.agenda.renew()
	}
	checkGraph(p.t, &p.fast.graph)
	checkSolved(p.t, &p.fast.graph)
	p.slow.fill()
	if p.fast.Running() != len(p.slow.acts) {
		p.t.Fatalf("%d running, want %d", p.fast.Running(), len(p.slow.acts))
	}
	loads := make([]float64, len(p.slow.tables))
	for _, a := range p.slow.acts {
		h := p.handles[a.spec.Tag]
		rate, _ := p.fast.Rate(h)
		if !near(rate, a.rate) {
			p.t.Fatalf("at %v: rate of %d is %v, want %v", p.slow.now, a.spec.Tag, rate, a.rate)
		}
		left, _ := p.fast.Left(h)
		if math.Abs(left-a.left) > 1e-9*a.spec.Work {
			p.t.Fatalf("at %v: %d has %v left, want %v", p.slow.now, a.spec.Tag, left, a.left)
		}
		for _, u := range a.spec.Uses {
			loads[u.Resource] += u.Coefficient * rate
		}
	}
	for r, load := range loads {
		used, capacity := p.fast.Load(Resource(r))
		if capacity != p.slow.capacity(r) || used > capacity*(1+1e-11) || math.Abs(used-load) > 1e-11*capacity {
			p.t.Fatalf("resource %d: used %v of %v, want %v of %v", r, used, capacity, load, p.slow.capacity(r))
		}
	}
}

func drawTable(t *rapid.T) []float64 {
	table := make([]float64, rapid.SampledFrom([]int{1, 1, 1, 2, 4}).Draw(t, "streams in table"))
	for i := range table {
		table[i] = rapid.Float64Range(0.5, 20).Draw(t, "capacity")
	}
	return table
}

func (p *twins) drawSpec() Spec {
	t := p.t
	p.tag++
	s := Spec{Tag: p.tag, Work: rapid.Float64Range(0.01, 100).Draw(t, "work")}
	if rapid.IntRange(0, 30).Draw(t, "no work") == 30 {
		s.Work = 0
	}
	s.Weight = rapid.SampledFrom([]float64{0, 0, 1, 2, 0.37, 1000}).Draw(t, "weight")
	s.Streams = rapid.IntRange(0, 2).Draw(t, "streams")
	if rapid.IntRange(0, 3).Draw(t, "capped") == 3 {
		s.Cap = rapid.SampledFrom([]float64{0.1, 0.77, 1, 3, 11}).Draw(t, "cap")
	}
	first := rapid.IntRange(0, len(p.slow.tables)-1).Draw(t, "first")
	for k := range rapid.IntRange(1, min(4, len(p.slow.tables))).Draw(t, "resources") {
		s.Uses = append(s.Uses, Use{Resource((first + k*k) % len(p.slow.tables)), rapid.SampledFrom([]float64{1, 1, 1, 2, 0.25, 3.3}).Draw(t, "coefficient")})
	}
	for i := len(s.Uses) - 1; i >= 0; i-- {
		for j := range i {
			if s.Uses[i].Resource == s.Uses[j].Resource {
				s.Uses = append(s.Uses[:i], s.Uses[i+1:]...)
				break
			}
		}
	}
	if s.Cap > 0 && rapid.IntRange(0, 9).Draw(t, "alone") == 9 {
		s.Uses = nil
	}
	s.Sole = rapid.IntRange(0, 3).Draw(t, "sole") == 3
	return s
}

// step does one random thing at the present time.
func (p *twins) step() {
	t, now := p.t, p.slow.now
	r := rapid.IntRange(0, len(p.slow.tables)-1).Draw(t, "resource")
	switch op := rapid.IntRange(0, 19).Draw(t, "op"); {
	case op < 14:
		spec := p.drawSpec()
		for range rapid.SampledFrom([]int{1, 1, 1, 3}).Draw(t, "copies") {
			h, err := p.fast.Start(now, spec)
			if err != nil {
				t.Fatal(err)
			}
			p.handles[spec.Tag] = h
			p.slow.acts = append(p.slow.acts, &naiveActivity{spec: spec, left: spec.Work})
			p.tag++
			spec.Tag = p.tag
			spec.Work *= 1.7
		}
	case op < 16:
		if len(p.slow.acts) == 0 {
			return
		}
		i := rapid.IntRange(0, len(p.slow.acts)-1).Draw(t, "cancelled")
		a := p.slow.acts[i]
		left, ok, err := p.fast.Cancel(now, p.handles[a.spec.Tag])
		if err != nil || !ok || math.Abs(left-a.left) > 1e-9*a.spec.Work {
			t.Fatalf("cancel: %v %v %v, want %v", left, ok, err, a.left)
		}
		p.slow.acts = append(p.slow.acts[:i], p.slow.acts[i+1:]...)
	case op < 19:
		p.slow.tables[r], p.slow.off[r] = drawTable(t), false
		if err := p.fast.SetTable(now, Resource(r), p.slow.tables[r]); err != nil {
			t.Fatal(err)
		}
	default:
		p.slow.off[r] = true
		if err := p.fast.TurnOff(now, Resource(r)); err != nil {
			t.Fatal(err)
		}
	}
}

func newPair(t *rapid.T, resources int) *twins {
	p := &twins{t: t, fast: New(), slow: &naive{}, handles: map[uint64]Handle{}, ends: map[uint64]float64{}}
	for r := range resources {
		table := drawTable(t)
		p.slow.tables = append(p.slow.tables, table)
		p.slow.off = append(p.slow.off, false)
		if _, err := p.fast.AddTable(fmt.Sprintf("r%d", r), table); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestTwin compares thousands of random histories with the naive solver: ends to 1e-9, rates, work
// left, loads against capacities, order of completions. -rapid.checks multiplies.
func TestTwin(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		rapid.Check(t, twinHistory)
	}
}

// In every other history rates are refreshed by hand, now and then from its middle on.
func twinHistory(t *rapid.T) {
	p := newPair(t, rapid.IntRange(1, 7).Draw(t, "resources"))
	p.fast.Manual(rapid.Bool().Draw(t, "manual"))
	for range rapid.IntRange(1, 25).Draw(t, "instants") {
		if rapid.IntRange(0, 15).Draw(t, "switch") == 15 {
			p.fast.Manual(!p.fast.manual)
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			p.step()
		}
		p.compare()
		p.advance(p.slow.now + rapid.SampledFrom([]float64{0, 0.3137, 1.01711, 7.7731}).Draw(t, "pause"))
	}
	for r := range p.slow.off {
		if p.slow.off[r] {
			p.slow.off[r] = false
			if err := p.fast.SetTable(p.slow.now, Resource(r), p.slow.tables[r]); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.advance(1e7)
	if p.fast.Running() != 0 {
		t.Fatalf("%d still run", p.fast.Running())
	}
}
