// SPDX-License-Identifier: Apache-2.0

package moments

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const rounding = 1e-13

// Moments that rounding sets apart come at the time of the first, in order of their keys.
func TestTogether(t *testing.T) {
	var s Sorter
	got := s.InOrder([]Moment{{Time: 7, Key: 1}, {Time: 5 * (1 + 1e-15), Key: 2}, {Time: 5, Key: 3}, {Time: 6, Key: 4}}, 4, 8, rounding)
	want := []Moment{{Time: 5, Key: 2}, {Time: 5, Key: 3}, {Time: 6, Key: 4}, {Time: 7, Key: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The order is that of a plain sort, however the moments lie in the while, and also if some lie outside or it is empty.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Sorter
		for range 2 { // the second time in used memory
			from := rapid.Float64Range(0, 100).Draw(t, "from")
			until := from + rapid.SampledFrom([]float64{0, 1e-12, 1, 50}).Draw(t, "while")
			var list []Moment
			for i := range rapid.IntRange(0, 40).Draw(t, "moments") {
				at := rapid.SampledFrom([]float64{-1, 0, 0.25, 0.25, 0.5, 1, 1.5}).Draw(t, "at") + rapid.Float64Range(0, 0.01).Draw(t, "and")
				list = append(list, Moment{from + at*(until-from+1e-9), uint64(40 - i), int32(i)})
			}
			want := slices.Clone(list)
			slices.SortFunc(want, byTime)
			bring(want, rounding)
			if got := s.InOrder(list, from, until, rounding); !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	})
}
