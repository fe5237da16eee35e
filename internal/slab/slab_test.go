// SPDX-License-Identifier: Apache-2.0

package slab

import (
	"testing"
	"unsafe"
)

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

// Values are zero when they come, stay where they are while they are there, and leave nothing behind: in the place of all pieces
// whose values have gone is one. Some numbers never come.
func TestValuesPass(t *testing.T) {
	var p Passing[int32]
	there := map[int32]*int32{}
	const all = 10 * size
	for i := range int32(all) {
		n := i ^ 1 // roughly in order
		if n%3 != 0 && n/size != 4 {
			v := p.Come(n)
			if *v != 0 {
				t.Fatalf("value %d is %d as it comes", n, *v)
			}
			*v, there[n] = i, v
		}
		old := n - 100
		if there[old] == nil {
			continue
		}
		if *there[old] != old^1 || p.At(old) != there[old] || p.Near(old) != there[old] {
			t.Fatalf("value %d is %d, or has moved", old, *there[old])
		}
		p.Go(old)
		*there[old] = -1 // by somebody who holds it still
	}
	pieces := map[*int32]bool{}
	for n, piece := range p.pieces {
		if piece == nil {
			if n != 4 || p.Near(4*size) != nil {
				t.Errorf("piece %d is missing", n)
			}
			continue
		}
		pieces[&piece[0]] = true
	}
	if len(pieces) > 100/size+3 {
		t.Errorf("100 values are left, in %d pieces of %d", len(pieces), size)
	}
	for _, n := range []int32{-1, all, 4 * size} {
		if p.Near(n) != nil {
			t.Errorf("there is a value near %d", n)
		}
	}
}

// A value of whole lines begins with one, also where it holds pointers.
func TestLines(t *testing.T) {
	type lines struct {
		_ *int
		_ [184]byte
	}
	var s Of[lines]
	var p Passing[lines]
	for i := range int32(3 * size) {
		if s.Grow(i + 1); uintptr(unsafe.Pointer(s.At(i)))%64 != 0 || uintptr(unsafe.Pointer(p.Come(i)))%64 != 0 {
			t.Fatalf("value %d begins in the middle of a line", i)
		}
	}
}
