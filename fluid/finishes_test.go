// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Ends that rounding sets apart come at the time of the first, in order of start.
func TestFinishesTogether(t *testing.T) {
	var s finishes
	got := s.inOrder([]finish{{time: 7, key: 1}, {time: 5 * (1 + 1e-15), key: 2}, {time: 5, key: 3}, {time: 6, key: 4}}, 4, 8)
	want := []finish{{time: 5, key: 2}, {time: 5, key: 3}, {time: 6, key: 4}, {time: 7, key: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The order is that of a plain sort, however the ends lie in the while, and also if some lie outside or it is empty.
func TestFinishesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s finishes
		for range 2 { // the second time in used memory
			from := rapid.Float64Range(0, 100).Draw(t, "from")
			until := from + rapid.SampledFrom([]float64{0, 1e-12, 1, 50}).Draw(t, "while")
			var list []finish
			for i := range rapid.IntRange(0, 40).Draw(t, "ends") {
				at := rapid.SampledFrom([]float64{-1, 0, 0.25, 0.25, 0.5, 1, 1.5}).Draw(t, "at") + rapid.Float64Range(0, 0.01).Draw(t, "and")
				list = append(list, finish{from + at*(until-from+1e-9), uint64(40 - i), int32(i)})
			}
			want := slices.Clone(list)
			slices.SortFunc(want, byTime)
			twin := finishes{list: want}
			twin.bring()
			if got := s.inOrder(list, from, until); !slices.Equal(got, twin.list) {
				t.Fatalf("%v, want %v", got, twin.list)
			}
		}
	})
}
