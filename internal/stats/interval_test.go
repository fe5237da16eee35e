// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

// t quantiles from the tables: 12.7062 with 1 degree of freedom, 2.776445 with 4, 2.262157 with 9,
// 2.045230 with 29. For 1..10: mean 5.5, variance 82.5/9, so half = 2.262157 sqrt(82.5/90) = 2.165850.
func TestConfidence(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.7062047, 4: 2.7764451, 9: 2.2621572, 29: 2.0452296} {
		if got := tQuantile(freedom); !near(got, want, 1e-7) {
			t.Errorf("t with %g degrees of freedom: %.7f, want %.7f", freedom, got, want)
		}
	}
	i := Confidence([]float64{1, 2, 3, 4, math.NaN(), 5, 6, 7, 8, 9, 10})
	if half := 2.262157 * math.Sqrt(82.5/90); i.N != 10 || i.Mean != 5.5 || !near(i.Low, 5.5-half, 1e-6) || !near(i.High, 5.5+half, 1e-6) {
		t.Errorf("1..10: %+v, want 5.5 ± %g", i, half)
	}
	if !i.ExcludesZero() || !i.Known() {
		t.Error("3.3 to 7.7 does not contain zero")
	}
	if one := Confidence([]float64{3}); one != (Interval{3, 3, 3, 1}) || one.Known() || one.ExcludesZero() {
		t.Errorf("one sample: %+v", one)
	}
	if two := Confidence([]float64{-1, 1}); two.Mean != 0 || !near(two.High, 12.7062047, 1e-6) || two.ExcludesZero() {
		t.Errorf("-1 and 1: %+v, want 0 ± 12.7062", two) // variance 2, over n = 1
	}
	if down := Confidence([]float64{-5, -5, -5}); down != (Interval{-5, -5, -5, 3}) || !down.ExcludesZero() {
		t.Errorf("constant: %+v", down)
	}
}

// Differences 1, 2, 3, 2, 2: mean 2, variance 0.5, half = 2.776445 sqrt(0.5/5) = 0.877989; the scatter
// that the pairs share is gone.
func TestPaired(t *testing.T) {
	a, b := []float64{100, 10, 1000, 50, 3, 8}, []float64{101, 12, 1003, 52, 5, math.NaN()}
	i := Paired(a, b)
	if half := 2.7764451 * math.Sqrt(0.1); i.N != 5 || i.Mean != 2 || !near(i.Low, 2-half, 1e-7) || !near(i.High, 2+half, 1e-7) {
		t.Errorf("%+v, want 2 ± %g", i, half)
	}
}

// a has mean 10, b mean 12: a share of +20 %. The spread is that of d = b - 1.2 a = 12-9.6, 11-12, 13-14.4 = 2.4, -1,
// -1.4: mean 0, variance (5.76+1+1.96)/2 = 4.36, so half = 4.302653 sqrt(4.36/3) / 10 = 0.518704.
func TestPairedShare(t *testing.T) {
	i, ok := PairedShare([]float64{8, 10, 12, math.NaN(), 5}, []float64{12, 11, 13, 7, math.NaN()})
	if half := 4.3026527 * math.Sqrt(4.36/3) / 10; !ok || i.N != 3 || !near(i.Mean, 0.2, 1e-12) || !near(i.Low, 0.2-half, 1e-7) || !near(i.High, 0.2+half, 1e-7) {
		t.Errorf("%+v, %t; want 0.2 ± %g", i, ok, half)
	}
	if same, ok := PairedShare([]float64{3, 5}, []float64{6, 10}); !ok || !near(same.Low, 1, 1e-12) || !near(same.High, 1, 1e-12) {
		t.Errorf("twice as much of everything: %+v, %t; want +100 %% without scatter", same, ok)
	}
	if _, ok := PairedShare([]float64{0, 0}, []float64{1, 2}); ok {
		t.Error("a share of nothing is known")
	}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) }

// Sums of the same numbers in another order are no difference.
func TestRoundingIsNoDifference(t *testing.T) {
	a, b := []float64{0.2 + 0.4, 3 * 0.1, 0.7}, []float64{0.1 + 0.5, 0.3, 0.7}
	share, ok := PairedShare(a, b)
	if d := Paired(a, b); !ok || share.ExcludesZero() || share.Mean != 0 || d.ExcludesZero() {
		t.Errorf("shares %+v, differences %+v", share, d)
	}
}
