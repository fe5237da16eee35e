// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// Quantile returns the value below which a share u of the distribution lies, 0 <= u < 1.
func (d *Dist[T]) Quantile(u float64) T {
	mean, low, high := float64(d.Mean), float64(d.Low), float64(d.High)
	v := mean
	switch d.Kind {
	case "uniform":
		v = low + u*(high-low)
	case "exponential":
		v = -mean * math.Log1p(-u)
	case "lognormal":
		s2 := math.Log1p(d.CV * d.CV)
		v = mean * math.Exp(math.Sqrt(s2)*math.Sqrt2*math.Erfinv(2*clamp(u)-1)-s2/2)
	case "bounded-pareto":
		r := math.Pow(low/high, d.Alpha)
		v = low * math.Pow(1-u*(1-r), -1/d.Alpha)
	case "hyper-exponential":
		v = hyperQuantile(d.branches())(u)
	case "empirical":
		return d.Values[d.pick(u)]
	}
	return T(v)
}

// clamp keeps u away from the ends, where the normal quantile is infinite.
func clamp(u float64) float64 { return min(max(u, 1e-12), 1-1e-12) }

// branches returns the two branches of a hyper-exponential distribution: the chance and the mean of
// the first, the mean of the second. Given by mean and cv, the means are balanced, that is both
// branches have half of the work (p m1 = (1-p) m2), for which
//
//	p = (1 - sqrt((c^2-1)/(c^2+1))) / 2,  m1 = m / 2p,  m2 = m / 2(1-p).
func (d *Dist[T]) branches() (p, mean1, mean2 float64) {
	if d.P > 0 {
		return d.P, float64(d.Mean1), float64(d.Mean2)
	}
	c2 := d.CV * d.CV
	p = (1 - math.Sqrt((c2-1)/(c2+1))) / 2
	return p, float64(d.Mean) / (2 * p), float64(d.Mean) / (2 * (1 - p))
}

// hyperQuantile inverts the survival function S(x) = p exp(-x/m1) + (1-p) exp(-x/m2). Its logarithm
// falls and is convex, so Newton's method for ln S(x) = ln(1-u), started at the lesser of the
// branches' own quantiles, which lies left of the root, rises to it and never steps over it.
func hyperQuantile(p, mean1, mean2 float64) func(u float64) float64 {
	return func(u float64) float64 {
		target := math.Log1p(-u)
		x := -target * min(mean1, mean2)
		for range 200 {
			a, b := p*math.Exp(-x/mean1), (1-p)*math.Exp(-x/mean2)
			next := x + (math.Log(a+b)-target)*(a+b)/(a/mean1+b/mean2)
			if !(next > x*(1+1e-15)) {
				break
			}
			x = next
		}
		return x
	}
}

// pick returns the position of the value of an empirical distribution at u: the first whose own
// weight and those before it are together more than a share u of all.
func (d *Dist[T]) pick(u float64) int {
	n := len(d.Values)
	if len(d.Weights) == 0 {
		return min(int(u*float64(n)), n-1)
	}
	total, last := 0.0, 0
	for i, w := range d.Weights {
		total += w
		if w > 0 {
			last = i
		}
	}
	below := 0.0
	for i, w := range d.Weights {
		if below += w; below > u*total {
			return i
		}
	}
	return last // by rounding
}
