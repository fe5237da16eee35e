// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"slices"
	"testing"
)

// The capacity follows the streams while there is a table, the last entry holding for more.
func TestSupplyTable(t *testing.T) {
	p := &supply{}
	table := []float64{100, 90, 70}
	r, err := p.add("disk", table)
	if err != nil {
		t.Fatal(err)
	}
	table[1] = 1 // the caller's own
	for streams, want := range []float64{100, 90, 70, 70} {
		p.stocks[r].streams = int64(streams)
		if p.touch(int32(r)); p.resources[r].capacity != want {
			t.Errorf("%d streams: capacity %v, want %v", streams, p.resources[r].capacity, want)
		}
	}
	p.turnOff(r)
	if p.touch(int32(r)); p.resources[r].capacity != 0 {
		t.Errorf("switched off: capacity %v", p.resources[r].capacity)
	}
	p.set(r, []float64{5})
	if p.touch(int32(r)); p.resources[r].capacity != 5 {
		t.Errorf("set to 5: capacity %v", p.resources[r].capacity)
	}
}

// A changed resource is listed once, until a solution has taken the changes up.
func TestSupplyDirty(t *testing.T) {
	g := graphOf(t, make1(3))
	for range 2 {
		for _, r := range []int32{2, 0, 2} {
			g.touch(r)
		}
		if !slices.Equal(g.dirty, []int32{2, 0}) {
			t.Errorf("dirty: %v", g.dirty)
		}
		g.clean()
	}
}
