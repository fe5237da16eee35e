// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// start is when the resource manager was started, in milliseconds. The release's tables of attempts have an order that
// follows from it, and it shows where several masters are killed in one round.
const start = 1_000_000_000_000

// hash is the release's number of an attempt.
func hash(a *capacity.Attempt) uint32 {
	const perApp, perAttempt = 371237, 347671
	moment := start
	app := uint32(perApp*(perApp*6521+(moment^moment>>32)) + a.App)
	return perAttempt*(perAttempt*5501+app) + uint32(a.Number)
}

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
			return cmp.Or(cmp.Compare(bucket(hash(a.Attempt), len(sets)), bucket(hash(b.Attempt), len(sets))), cmp.Compare(x.first, y.first))
		}
		of := func(c *capacity.Container) uint32 { return bucket(31*uint32(c.Number)+hash(c.Attempt), x.count) }
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
