// SPDX-License-Identifier: Apache-2.0

package digits

import (
	"math"
	"testing"
)

func TestThousands(t *testing.T) {
	for text, want := range map[string]string{"": "", "999": "999", "1000": "1,000", "1234567.891": "1,234,567.891"} {
		if got := Thousands(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestRound(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, 123456: 123000, -0.0012345: -0.00123, math.MaxFloat64: math.MaxFloat64, math.Inf(1): math.Inf(1)} {
		if got := Round(v, 3); got != want {
			t.Errorf("%g becomes %g, want %g", v, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 jobs", 1: "1 job", 2: "2 jobs"} {
		if got := Count(n, "job"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
