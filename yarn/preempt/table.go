// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// tabled puts the containers that selectors chose in the order in which the release goes through them: as in a table of
// attempts, each with a table of containers.
func tabled(chosen []*capacity.Container) {
	type set struct{ first, count int }
	sets := map[*capacity.Attempt]*set{}
	place := make(map[*capacity.Container]int, len(chosen))
	for i, c := range chosen {
		place[c] = i
		if sets[c.Attempt] == nil {
			sets[c.Attempt] = &set{first: i}
		}
		sets[c.Attempt].count++
	}
	slices.SortFunc(chosen, func(a, b *capacity.Container) int {
		x, y := sets[a.Attempt], sets[b.Attempt]
		if x != y {
			return cmp.Or(cmp.Compare(capacity.Bucket(a.Attempt.Hash(), len(sets)), capacity.Bucket(b.Attempt.Hash(), len(sets))), cmp.Compare(x.first, y.first))
		}
		of := func(c *capacity.Container) uint32 { return capacity.Bucket(c.Hash(), x.count) }
		return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(place[a], place[b]))
	})
}
