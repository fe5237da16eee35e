// SPDX-License-Identifier: Apache-2.0

package order

import (
	"cmp"
	"slices"
)

// Ranked is an application in the order in which it should be served.
type Ranked struct {
	ID       string
	Turn     int // its place in the order of submission
	Priority int // that it has now
}

// Levels returns the priorities, from 0 to most, that make a queue serve the applications in their order: by priority,
// the highest first, then by submission. Applications that are in order of submission already share a level. Where there
// are too few levels the last applications share one. If the priorities that stand give the order, they stay.
func Levels(rank []Ranked, most int) []int {
	out := make([]int, len(rank))
	for i := range rank {
		out[i] = rank[i].Priority
	}
	if inOrder(rank) {
		return out
	}
	level := make([]int, len(rank))
	for i := 1; i < len(rank); i++ {
		level[i] = level[i-1]
		if rank[i].Turn < rank[i-1].Turn && level[i] < most {
			level[i]++
		}
	}
	for i := range out {
		out[i] = level[len(level)-1] - level[i]
	}
	return out
}

// inOrder reports whether the queue would serve the applications in their order as it is.
func inOrder(rank []Ranked) bool {
	return slices.IsSortedFunc(rank, func(a, b Ranked) int {
		return cmp.Or(-cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Turn, b.Turn))
	})
}
