// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a mean with its two-sided 95 % confidence interval.
type Interval struct {
	Mean, Low, High float64
	N               int
}

// Known reports whether there were enough samples for an interval.
func (i Interval) Known() bool { return i.N >= 2 }

// ExcludesZero reports whether the interval is known and does not contain zero.
func (i Interval) ExcludesZero() bool { return i.Known() && (i.Low > 0 || i.High < 0) }

// Confidence returns the mean of independent samples with its Student t interval. NaN samples, where
// a repetition had nothing to measure, are left out. With fewer than two samples the interval is
// the mean itself and not Known.
func Confidence(samples []float64) Interval {
	samples = slices.DeleteFunc(slices.Clone(samples), math.IsNaN)
	m := Mean(samples)
	i := Interval{Mean: m, Low: m, High: m, N: len(samples)}
	if n := float64(len(samples)); n >= 2 {
		half := tQuantile(n-1) * math.Sqrt(Variance(samples)/n)
		i.Low, i.High = m-half, m+half
	}
	return i
}

// Paired returns the interval of the mean difference b - a of samples that share their random
// numbers pair by pair.
func Paired(a, b []float64) Interval { return weighted(a, b, 1) }

// PairedShare returns the relative difference mean(b)/mean(a) - 1 of such samples with its
// interval, by the delta method: the ratio r of the means has the spread of b - r*a, so seeds
// that are hard for both policies cancel out. The second result is false where mean(a) is zero.
func PairedShare(a, b []float64) (Interval, bool) {
	ma, mb, n := 0.0, 0.0, 0
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			ma, mb, n = ma+a[i], mb+b[i], n+1
		}
	}
	if ma == 0 {
		return Interval{}, false
	}
	ratio := mb / ma
	if math.Abs(ratio-1) < rounding {
		ratio = 1
	}
	i := weighted(a, b, ratio)
	half := (i.High - i.Low) / 2 / math.Abs(ma/float64(n))
	return Interval{Mean: ratio - 1, Low: ratio - 1 - half, High: ratio - 1 + half, N: n}, true
}

// rounding is what two numbers may differ by, as a share of them, that are equal but for the order in which they were summed up.
const rounding = 1e-12

// weighted returns the interval of the mean of b - w*a.
func weighted(a, b []float64, w float64) Interval {
	d := make([]float64, len(a))
	for i := range a {
		if d[i] = b[i] - w*a[i]; math.Abs(d[i]) < rounding*math.Abs(b[i]) {
			d[i] = 0
		}
	}
	return Confidence(d)
}

func tQuantile(freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
}
