// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/result"
)

// Pairs of what was and what was predicted. Equal values share the mean of their ranks: with 1, 1, 2 against
// 1, 2, 3 the ranks are 0.5, 0.5, 2 and 0, 1, 2, so the correlation is 1.5 / sqrt(1.5 * 2).
func TestRankCorrelation(t *testing.T) {
	for name, c := range map[string]struct {
		pairs [][2]float64
		want  float64
	}{
		"same order": {[][2]float64{{1, 10}, {2, 20}, {3, 25}}, 1},
		"reversed":   {[][2]float64{{1, 3}, {2, 2}, {3, 1}}, -1},
		"ties":       {[][2]float64{{1, 1}, {1, 2}, {2, 3}}, 1.5 / math.Sqrt(1.5*2)},
		"no order":   {[][2]float64{{5, 1}, {5, 1}}, 1},
		"one side":   {[][2]float64{{5, 1}, {5, 2}}, 0},
	} {
		if got := rankCorrelation(c.pairs); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

func TestAccuracy(t *testing.T) {
	a := accuracy([][2]float64{{10, 12}, {20, 19}, {30, 36}})
	if want := (result.Accuracy{Actual: 20, Predicted: 67.0 / 3, Median: 2, Absolute: 3, Order: 1}); math.Abs(a.Actual-want.Actual)+math.Abs(a.Predicted-want.Predicted)+math.Abs(a.Median-want.Median)+math.Abs(a.Absolute-want.Absolute)+math.Abs(a.Order-want.Order) > 1e-9 {
		t.Errorf("%+v, want %+v", a, want)
	}
	if zero := accuracy(nil); zero != (result.Accuracy{}) {
		t.Errorf("of no jobs: %+v", zero)
	}
}
