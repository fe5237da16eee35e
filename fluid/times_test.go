// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The tree agrees with a walk over all leaves.
func TestTimesTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tree, leaves := &times{}, []float64(nil)
	if !math.IsInf(tree.least(), 1) || len(tree.due(math.MaxFloat64, nil)) > 0 {
		t.Error("an empty tree has a time")
	}
	for step := range 3000 {
		if step%50 == 0 {
			leaves = append(leaves, math.Inf(1))
			tree.grow(len(leaves))
		}
		leaf, x := r.IntN(len(leaves)), float64(r.IntN(40))
		if r.IntN(4) == 0 {
			x = math.Inf(1)
		}
		leaves[leaf] = x
		if r.IntN(5) == 0 {
			tree.put(int32(leaf), x)
			tree.rebuild()
		} else {
			tree.set(int32(leaf), x)
		}
		limit := float64(r.IntN(40))
		var due []int32
		for i, x := range leaves {
			if x <= limit {
				due = append(due, int32(i))
			}
		}
		if got := tree.due(limit, nil); !slices.Equal(got, due) || tree.least() != slices.Min(leaves) {
			t.Fatalf("step %d: due %v, want %v; least %v of %v", step, got, due, tree.least(), leaves)
		}
	}
}
