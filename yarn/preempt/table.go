// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// tabled puts the containers that selectors chose in the order in which the release goes through them: as in a table of
// attempts, each with a table of containers. A table doubles when it is three quarters full.
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
			return cmp.Or(cmp.Compare(bucket(a.Attempt.Hash(), len(sets)), bucket(b.Attempt.Hash(), len(sets))), cmp.Compare(x.first, y.first))
		}
		of := func(c *capacity.Container) uint32 { return bucket(c.Hash(), x.count) }
		return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(place[a], place[b]))
	})
}

// bucket returns where a hash belongs in a table of so many.
func bucket(hash uint32, count int) uint32 {
	size := uint32(16)
	for count*4 > int(size)*3 {
		size *= 2
	}
	return (hash ^ hash>>16) & (size - 1)
}
