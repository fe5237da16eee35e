// SPDX-License-Identifier: Apache-2.0

package rng

import "math"

// exp is math.Exp but for the last bit or two, in half the time: a length is waited for as soon as it is
// drawn, and math.Exp is one long chain of operations. Of a million lengths, rounded to nanoseconds, it changes a few by one.
//
// x = (128*q + i + f) * ln2/128 with whole q, i below 128 and |f| at most a half: the power of 2 comes from a table and
// the exponent, the rest r = f*ln2/128, below 0.0028, from five terms of the series.
func exp(x float64) float64 {
	if math.Abs(x) > 700 {
		return math.Exp(x)
	}
	const (
		whole = 3 << 51                    // added to a small number, it leaves the nearest whole number in the lowest bits
		ln2Hi = 6.93147180369123816490e-01 // ln 2 to 32 bits, so that its product with a whole number is exact
		ln2Lo = 1.90821492927058770002e-10 // and what is missing
	)
	z := x*(128/math.Ln2) + whole
	n, k := math.Float64bits(z), z-whole
	r := float64(x-float64(k*(ln2Hi/128))) - float64(k*(ln2Lo/128))
	r2 := r * r
	p := r + float64(r2*(float64(0.5+float64(r*(1.0/6)))+float64(r2*float64(1.0/24+float64(r*(1.0/120))))))
	power := math.Float64frombits(math.Float64bits(roots[n&127]) + n>>7<<52)
	return power + float64(power*p)
}

// roots are 2^(i/128).
var roots = func() (list [128]float64) {
	for i := range list {
		list[i] = math.Exp2(float64(i) / 128)
	}
	return list
}()
