// SPDX-License-Identifier: Apache-2.0

package slab

import "testing"

// Values are zero at first, keep what they are given and stay where they are while others come.
func TestValuesStay(t *testing.T) {
	var s Of[int32]
	var places []*int32
	for n := range int32(1000) {
		if s.Grow(n + 1); s.Len() != n+1 {
			t.Fatalf("%d values, want %d", s.Len(), n+1)
		}
		p := s.At(n)
		if *p != 0 {
			t.Fatalf("value %d is %d, want 0", n, *p)
		}
		*p = n
		places = append(places, p)
	}
	if s.Grow(10); s.Len() != 1000 {
		t.Errorf("%d values, want all 1000", s.Len())
	}
	for n, p := range places {
		if s.At(int32(n)) != p || *p != int32(n) {
			t.Errorf("value %d is %d, or has moved", n, *p)
		}
	}
}

// Values are zero when they come, stay where they are while they are there, and leave nothing behind: of all that have gone, one piece
// of memory is left.
func TestValuesPass(t *testing.T) {
	var p Passing[int32]
	there := map[int32]*int32{}
	const all = 10 * size
	for i := range int32(all) {
		v := p.Come(i ^ 1) // roughly in order
		if *v != 0 {
			t.Fatalf("value %d is %d as it comes", i^1, *v)
		}
		*v, there[i^1] = i, v
		if old := i ^ 1 - 100; old >= 0 {
			if *there[old] != old^1 || p.At(old) != there[old] {
				t.Fatalf("value %d is %d, or has moved", old, *there[old])
			}
			p.Go(old)
			if *p.At(old) != 0 {
				t.Fatalf("value %d has gone, and is %d", old, *p.At(old))
			}
		}
	}
	pieces := map[*int32]bool{}
	for _, piece := range p.pieces {
		pieces[&piece[0]] = true
	}
	if len(pieces) > 100/size+3 {
		t.Errorf("100 values are left, in %d pieces of %d", len(pieces), size)
	}
}
