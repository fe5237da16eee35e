// SPDX-License-Identifier: Apache-2.0

package rng

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The own exponential is as exact as that of the library, everywhere.
func TestExp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-720, 720).Draw(t, "x")
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 4.5e-16*want && want > 0x1p-1022 {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	})
	for _, c := range []struct{ x, want float64 }{{0, 1}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), 0}, {710, math.Inf(1)}, {-800, 0}} {
		if got := exp(c.x); got != c.want {
			t.Errorf("exp(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if !math.IsNaN(exp(math.NaN())) {
		t.Error("a number came of none")
	}
}
