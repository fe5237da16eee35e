// SPDX-License-Identifier: Apache-2.0

package keyed

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestStableIsAStableSort: the twin is a list that is sorted, with all that are not shown left out when
// it is read.
func TestStableIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Stable
		var list []int32
		var values []float64
		shown := map[int32]bool{}
		add := func() {
			list, values = append(list, h.Add()), append(values, float64(rapid.IntRange(0, 3).Draw(t, "value")))
		}
		for range rapid.IntRange(1, 12).Draw(t, "items") {
			add()
		}
		item := func(t *rapid.T) int32 { return int32(rapid.IntRange(0, len(list)-1).Draw(t, "item")) }
		value := func(id int32) float64 { return values[id] }
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) { add() },
			"show": func(t *rapid.T) {
				id := item(t)
				shown[id] = rapid.IntRange(0, 3).Draw(t, "shown") > 0
				h.Show(id, shown[id])
			},
			"values change": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "changes") {
					id := item(t)
					values[id] = rapid.SampledFrom([]float64{0, 1, 2, 3, 0.5, 1e9}).Draw(t, "value")
					h.Changed(id)
				}
			},
			"nothing changes": func(t *rapid.T) { h.Changed(item(t)) },
			"all change": func(t *rapid.T) { // as the room of a cluster does
				for id := range values {
					values[id] *= 2
					h.Changed(int32(id))
				}
			},
			"": func(t *rapid.T) {
				if rapid.IntRange(0, 2).Draw(t, "sort") == 0 {
					return // several changes come before the next sort
				}
				slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
				h.Settle(value)
				want := []int32{}
				for _, id := range list {
					if shown[id] {
						want = append(want, id)
					}
				}
				if got := walk(1000, h.First, h.Next); !slices.Equal(got, want) {
					t.Fatalf("order %v, a stable sort gives %v of the values %v", got, want, values)
				}
			},
		})
	})
}
