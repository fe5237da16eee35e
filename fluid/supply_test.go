// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"slices"
	"testing"
)

// The capacity follows the streams while there is a table, the last entry holding for more.
func TestSupplyTable(t *testing.T) {
	p := &supply{}
	table := []float64{100, 90, 70}
	r, err := p.addResource("disk", table)
	if err != nil {
		t.Fatal(err)
	}
	id := p.numbers[r]
	table[1] = 1 // the caller's own
	for streams, want := range []float64{100, 90, 70, 70} {
		p.flow(id, int32(streams)-int32(p.bottlenecks[id].streams))
		if p.bottlenecks[id].capacity != want {
			t.Errorf("%d streams: capacity %v, want %v", streams, p.bottlenecks[id].capacity, want)
		}
	}
	p.turnOff(r)
	if p.flow(id, 0); p.bottlenecks[id].capacity != 0 {
		t.Errorf("switched off: capacity %v", p.bottlenecks[id].capacity)
	}
	p.set(r, []float64{5})
	if p.flow(id, 0); p.bottlenecks[id].capacity != 5 {
		t.Errorf("set to 5: capacity %v", p.bottlenecks[id].capacity)
	}
}

// A changed resource is listed once, until a solution has taken the changes up; a cap never is.
func TestSupplyDirty(t *testing.T) {
	g := graphOf(t, make1(3))
	limit := g.capAt(7)
	for range 2 {
		for _, r := range []int32{2, 0, 2, limit} {
			g.note(r, float64(3-r))
		}
		var listed []int32
		for g.dirty.Len() > 0 {
			id := g.dirty.Pop()
			g.clean[id] = 1
			listed = append(listed, id)
		}
		if !slices.Equal(listed, []int32{2, 0}) {
			t.Errorf("dirty: %v", listed)
		}
	}
}

// Caps of one level are one bottleneck, which goes with its last class; another may have its number.
func TestSupplyCaps(t *testing.T) {
	p := &supply{}
	a, b, c := p.capAt(1), p.capAt(2), p.capAt(1)
	if a != c || a == b || p.levels[a] != 1 || p.levels[b] != 2 || !math.IsInf(p.bottlenecks[a].capacity, 1) {
		t.Errorf("caps %d, %d, %d at %v", a, b, c, p.levels)
	}
	p.leaveCap(a)
	if d := p.capAt(1); d != a {
		t.Errorf("a cap with a class has gone: %d", d)
	}
	p.leaveCap(a)
	p.leaveCap(a)
	if d := p.capAt(3); d != a || p.levels[d] != 3 {
		t.Errorf("cap %d at %v, want number %d again", d, p.levels[d], a)
	}
	if d := p.capAt(1); d == a || p.levels[d] != 1 {
		t.Errorf("cap %d at %v", d, p.levels[d])
	}
}
