// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"math"
	"slices"
	"testing"
)

// mergedTwin merges a real list of files, smallest first, as Hadoop's Merger does.
func mergedTwin(n, factor int) float64 {
	files := make([]int, n)
	for i := range files {
		files[i] = 1
	}
	total := 0
	for first := true; len(files) > factor; first = false {
		take := factor
		if rest := (n - 1) % (factor - 1); first && rest > 0 {
			take = rest + 1
		}
		slices.Sort(files)
		sum := 0
		for _, f := range files[:take] {
			sum += f
		}
		total += sum
		files = append(files[take:], sum)
	}
	return float64(total) / float64(n)
}

func TestMerged(t *testing.T) {
	m := &Merger{}
	for _, factor := range []int{2, 3, 10, 100} {
		for n := 1; n <= 500; n++ {
			if got, want := m.Passes(float64(n), int32(factor)), mergedTwin(n, factor); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%d files by %d: data merged %g times, the twin says %g", n, factor, got, want)
			}
		}
	}
	if got := m.Passes(19, 10); got != 10.0/19 {
		t.Errorf("19 files by 10 cost %g, expected 10/19", got)
	}
}
