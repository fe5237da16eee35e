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
