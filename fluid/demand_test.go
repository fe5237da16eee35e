// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The index finds the classes that are there and no other, while they come and go.
func TestDemandIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := &demand{}
	live := map[float64]int32{}
	for range 5000 {
		limit := float64(1 + r.IntN(300))
		id, hash := d.seek(&Spec{}, limit)
		want, ok := live[limit]
		switch {
		case ok && id != want, !ok && id != -1:
			t.Fatalf("cap %v: class %d, want %d (%v)", limit, id, want, ok)
		case ok:
			d.drop(id)
			delete(live, limit)
		default:
			live[limit] = d.add(limit, hash)
		}
		if n := len(d.classes) - len(d.vacant); n != len(live) || 2*n > len(d.index) {
			t.Fatalf("%d classes in an index of %d, want %d", n, len(d.index), len(live))
		}
	}
}

// A light member keeps all its digits after a heavy one has come and gone.
func TestDemandMass(t *testing.T) {
	d, light, heavy := &demand{}, 0.1, 1e20
	id := d.add(math.Inf(1), 1)
	slots := []activity{{mass: light}, {mass: heavy}}
	d.gain(id, light)
	d.gain(id, heavy)
	d.lose(id, heavy, []member{{key: 0}}, slots)
	if m := d.classes[id].mass; m != light {
		t.Errorf("mass %v, want %v", m, light)
	}
	d.lose(id, light, nil, slots)
	if m, peak := d.classes[id].mass, d.bodies[id].peak; m != 0 || peak != 0 {
		t.Errorf("an empty class has mass %v, peak %v", m, peak)
	}
}
