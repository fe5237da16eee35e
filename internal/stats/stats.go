// SPDX-License-Identifier: Apache-2.0

// Package stats holds the few statistics that several packages need, defined once.
package stats

// Quantile returns the q-quantile of ascending values by linear interpolation between order
// statistics (type 7 of Hyndman and Fan); 0 if there are none.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	h := q * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// Mean returns the mean; 0 if there are no values.
func Mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// Variance returns the sample variance; 0 for fewer than two values.
func Variance(v []float64) float64 {
	if len(v) < 2 {
		return 0
	}
	m, sum := Mean(v), 0.0
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return sum / float64(len(v)-1)
}
