// SPDX-License-Identifier: Apache-2.0

package stats

import "testing"

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		q, want float64
	}{
		{nil, 0.5, 0}, {[]float64{7}, 0.95, 7}, {[]float64{1, 3}, 0.5, 2},
		{[]float64{1, 2, 3, 4, 5}, 0.75, 4}, {[]float64{1, 2}, 1, 2}, {[]float64{1, 2, 4}, 0.25, 1.5},
	} {
		if got := Quantile(c.values, c.q); got != c.want {
			t.Errorf("Quantile(%v, %v) = %v, want %v", c.values, c.q, got, c.want)
		}
	}
}

func TestMoments(t *testing.T) {
	v := []float64{2, 4, 4, 4, 5, 5, 7, 9} // mean 5, squares sum to 32
	if Mean(v) != 5 || Variance(v) != 32.0/7 {
		t.Errorf("mean %v, variance %v", Mean(v), Variance(v))
	}
	if Mean(nil) != 0 || Variance([]float64{3}) != 0 {
		t.Error("no values must give 0")
	}
}
