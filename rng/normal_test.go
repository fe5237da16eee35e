// SPDX-License-Identifier: Apache-2.0

package rng

import (
	"math/rand/v2"
	"testing"
)

// tape is a source that gives one number, then others, and counts.
type tape struct {
	first uint64
	taken int
}

func (t *tape) Uint64() uint64 {
	if t.taken++; t.taken == 1 {
		return t.first
	}
	return uint64(t.taken) * golden
}

// The layers are those of math/rand/v2: with the largest draw inside of one it takes a single number and gives the same, with the
// next larger one it takes more.
func TestLayers(t *testing.T) {
	for i, l := range layers {
		draw := func(j uint32) (x float64, taken int) {
			source := &tape{first: uint64(i)<<32 | uint64(j)}
			x = rand.New(source).NormFloat64()
			return x, source.taken
		}
		if l.inside > 0 {
			if x, taken := draw(l.inside - 1); taken != 1 || x != float64(l.inside-1)*float64(l.width) {
				t.Errorf("layer %d: %d numbers give %v, want one that gives %v", i, taken, x, float64(l.inside-1)*float64(l.width))
			}
		}
		if _, taken := draw(l.inside); taken == 1 {
			t.Errorf("layer %d: draw %d takes a single number", i, l.inside)
		}
	}
}

// Its twin is the generator of math/rand/v2.
func TestNormal(t *testing.T) {
	s := New(1, "test")
	for a := range uint64(100) {
		for b := range uint64(10_000) {
			if got, want := s.normal(s.Key(a), b, a&1), s.At(a, b, a&1).NormFloat64(); got != want {
				t.Fatalf("draw (%d, %d, %d) is %v, want %v", a, b, a&1, got, want)
			}
		}
	}
}
