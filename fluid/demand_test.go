// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"testing"
)

// A light member keeps all its digits after a heavy one has come and gone.
func TestDemandMass(t *testing.T) {
	d, light, heavy := &demand{}, activity{mass: 0.1, streams: 2}, activity{mass: 1e20, streams: 3}
	id := d.add(math.Inf(1), 1)
	d.gain(id, light.mass, light.streams)
	d.gain(id, heavy.mass, heavy.streams)
	d.lose(id, heavy.mass, heavy.streams)
	if m := d.classes[id].mass.value(); m != light.mass {
		t.Errorf("mass %v, want %v", m, light.mass)
	}
	d.lose(id, light.mass, light.streams)
	if m := d.classes[id].mass; m != (sum{}) {
		t.Errorf("an empty class has mass %v", m)
	}
	if c := &d.classes[id]; c.streams != 0 || len(d.changed) != 1 {
		t.Errorf("%d streams, listed %d times", c.streams, len(d.changed))
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

// A note on a kind leads to its class, whatever has become of the number meanwhile.
func TestKinds(t *testing.T) {
	g := graphOf(t, make1(3))
	var kind int32
	start := func(kind *int32, uses ...Resource) int32 {
		id, _, err := g.classOf(&Spec{Uses: on(uses...), Kind: kind}, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	a := start(&kind, 0, 1)
	if kind == 0 || start(&kind, 0, 1) != a || start(nil, 0, 1) != a {
		t.Errorf("kind %d does not lead to class %d", kind, a)
	}
	g.drop(a)
	if again := start(&kind, 0, 1); again != start(nil, 0, 1) {
		t.Errorf("after it was dropped the kind leads to %d, which is not in the index", again)
	}
	g.drop(start(nil, 0, 1))
	other := start(nil, 1, 2)
	if id := start(&kind, 0, 1); id == other || kind != id+1 {
		t.Errorf("kind %d leads to class %d, whose number another one has", kind, id)
	}
}

// What is sole is not sought, nor found by others, but by its own note.
func TestSole(t *testing.T) {
	g := graphOf(t, make1(2))
	var kind int32
	start := func(kind *int32, sole bool) (id int32, made bool) {
		id, made, err := g.classOf(&Spec{Uses: on(0, 1), Kind: kind, Sole: sole}, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		return id, made
	}
	listed, _ := start(nil, false)
	sole, made := start(&kind, true)
	if !made || sole == listed {
		t.Errorf("what is sole is in class %d, which was found", sole)
	}
	if id, made := start(&kind, true); made || id != sole {
		t.Errorf("the note leads to class %d, want %d", id, sole)
	}
	g.drop(sole)
	if id, made := start(nil, false); made || id != listed {
		t.Errorf("others find class %d, want %d", id, listed)
	}
}
