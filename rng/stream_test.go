// SPDX-License-Identifier: Apache-2.0

package rng

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// At starts where the key says, whatever was drawn from the stream before; Uint64 is the key's one draw.
func TestAtForgetsThePast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		a, b, c := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b"), rapid.Uint64().Draw(t, "c")
		fresh, used := New(seed, "x"), New(seed, "x")
		for range rapid.IntRange(0, 5).Draw(t, "draws before") {
			used.At(c, b, a).NormFloat64()
			used.Sub(a).At(1, 2, 3).Float64()
		}
		if fresh.At(a, b, c).Float64() != used.At(a, b, c).Float64() || fresh.Uint64(a, b, c) != used.Uint64(a, b, c) {
			t.Fatal("a draw depends on what was drawn before")
		}
		if k := used.Key(a); k.Uint64(b, c) != fresh.Uint64(a, b, c) || used.From(k, b, c).Float64() != fresh.At(a, b, c).Float64() {
			t.Fatal("the draws of a Key are not those of its stream")
		}
	})
}

// The three parts of a key, the purpose, the seed and a sub-stream are told apart.
func TestKeysAreToldApart(t *testing.T) {
	seen := map[uint64]string{}
	add := func(name string, s *Stream) {
		for a := range uint64(12) {
			for b := range uint64(12) {
				for c := range uint64(12) {
					v := s.Uint64(a, b, c)
					if other, twice := seen[v]; twice {
						t.Fatalf("%s (%d, %d, %d) draws the same as %s", name, a, b, c, other)
					}
					seen[v] = name
				}
			}
		}
	}
	base := New(1, "x")
	add("base", base)
	add("seed", New(2, "x"))
	add("purpose", New(1, "y"))
	add("no purpose", New(1, ""))
	for i := range uint64(5) {
		add("sub", base.Sub(i))
	}
}

// Neighbouring keys are independent: the correlation of n pairs of uniform draws has standard deviation
// 1/sqrt(n); four are allowed.
func TestNeighboursAreUncorrelated(t *testing.T) {
	const n = 50000
	s, u := New(11, "x"), New(11, "y")
	at := func(s *Stream, a, b, c uint64) float64 { return s.At(a, b, c).Float64() - 0.5 }
	for name, pair := range map[string]func(i uint64) (float64, float64){
		"next job":     func(i uint64) (float64, float64) { return at(s, i, 0, 0), at(s, i+1, 0, 0) },
		"next task":    func(i uint64) (float64, float64) { return at(s, 3, i, 0), at(s, 3, i+1, 0) },
		"next attempt": func(i uint64) (float64, float64) { return at(s, 3, i, 0), at(s, 3, i, 1) },
		"job and task": func(i uint64) (float64, float64) { return at(s, i, 1, 0), at(s, 1, i, 0) },
		"purpose":      func(i uint64) (float64, float64) { return at(s, i, 0, 0), at(u, i, 0, 0) },
		"next number": func(i uint64) (float64, float64) {
			d := s.Uint64(i, 0, 0)
			return float64(Next(&d)>>11)/(1<<53) - 0.5, float64(Next(&d)>>11)/(1<<53) - 0.5
		},
	} {
		sum := 0.0
		for i := range uint64(n) {
			x, y := pair(i)
			sum += x * y * 12 // variance of a uniform is 1/12
		}
		if r := sum / n; math.Abs(r) > 4/math.Sqrt(n) {
			t.Errorf("%s: correlation %.4f, at most %.4f", name, r, 4/math.Sqrt(n))
		}
	}
}

func TestBelowStaysBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, n := rapid.Uint64().Draw(t, "u"), rapid.IntRange(1, 1<<31-1).Draw(t, "n")
		if v := Below(u, n); v < 0 || v >= n {
			t.Fatalf("Below(%d, %d) = %d", u, n, v)
		}
	})
	if Below(math.MaxUint64, 7) != 6 || Below(0, 7) != 0 {
		t.Error("the ends are not reached")
	}
}

func TestLengthsWithoutNoise(t *testing.T) {
	s := New(1, "x")
	fixed := NewSampler(s, 5, &model.Lengths{Fixed: []model.Time{4, 9}, Mean: 7, Noise: model.LogNormalNoise, CV: 2})
	if fixed.Length(1, 3) != 9 || fixed.Length(0, 0) != 4 {
		t.Error("a fixed length was drawn")
	}
	for _, l := range []model.Lengths{{Mean: 7}, {Mean: 7, Noise: model.ExponentialNoise}, {Mean: 7, CV: 3}} {
		if sampler := NewSampler(s, 1, &l); sampler.Length(2, 0) != 7 {
			t.Errorf("%+v: %d", l, sampler.Length(2, 0))
		}
	}
}

// Noise never gives a negative length.
func TestLengthsAreNotNegative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := model.Lengths{Mean: model.Time(rapid.Int64Range(0, int64(model.Day)).Draw(t, "mean")),
			Noise: model.Noise(rapid.IntRange(0, 3).Draw(t, "noise")), CV: rapid.Float64Range(0, 10).Draw(t, "cv")}
		s := NewSampler(New(rapid.Uint64().Draw(t, "seed"), "x"), 1, &l)
		if v := s.Length(2, 3); v < 0 {
			t.Fatalf("%+v: %d", l, v)
		}
	})
}

// Beyond what its family can do a noise stops at the most it can: cv 1 for exponential, 1/sqrt(3) for uniform.
// Scenarios that ask for more are refused by workload.Noise.
func TestNoiseStopsAtItsFamily(t *testing.T) {
	for noise, want := range map[model.Noise]float64{model.ExponentialNoise: 1, model.UniformNoise: 1 / math.Sqrt(3)} {
		s := NewSampler(New(1, "x"), 0, &model.Lengths{Mean: model.Second, Noise: noise, CV: 2})
		sum, square := 0.0, 0.0
		const n = 100000
		for i := range n {
			v := s.Length(int32(i), 0).Seconds()
			sum += v
			square += v * v
		}
		if cv := math.Sqrt(square/n-sum*sum/n/n) / (sum / n); math.Abs(cv-want) > 0.02 {
			t.Errorf("noise %d: cv %.3f, want %.3f", noise, cv, want)
		}
	}
}
