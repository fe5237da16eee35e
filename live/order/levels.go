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

	// Changed says that it had another priority at first. The ResourceManager of the release answers and shows that
	// an application has its first priority again, but does not tell its scheduler, which keeps the last other one: that
	// priority cannot be given back.
	Changed bool
	First   int
}

// bars reports whether the application cannot be given a priority.
func (r *Ranked) bars(priority int) bool { return r.Changed && priority == r.First }

// Levels returns the priorities, from 0 to most, that make a queue serve the applications in their order: by priority,
// the highest first, then by submission. Applications that are in order of submission already share a level. Where there
// are too few levels the last applications share one. If the priorities that stand give the order, they stay. An
// application that has been changed is not given its first priority.
func Levels(rank []Ranked, most int) []int {
	out := make([]int, len(rank))
	for i := range rank {
		out[i] = rank[i].Priority
	}
	if inOrder(rank) {
		return out
	}
	for levels := most; levels >= 0; levels-- { // those that are left out make room for the ones that are skipped
		if out, ok := levelsOf(rank, levels, most); ok {
			return out
		}
	}
	return out
}

// levelsOf is Levels with at most levels+1 steps, where the priorities that an application cannot be given are skipped. It
// fails if that leads above most.
func levelsOf(rank []Ranked, levels, most int) (out []int, ok bool) {
	level := make([]int, len(rank))
	for i := 1; i < len(rank); i++ {
		level[i] = level[i-1]
		if rank[i].Turn < rank[i-1].Turn && level[i] < levels {
			level[i]++
		}
	}
	out = make([]int, len(rank))
	skipped := 0
	for i := len(rank) - 1; i >= 0; i-- {
		out[i] = level[len(level)-1] - level[i] + skipped
		if rank[i].bars(out[i]) {
			out[i]++
			skipped++
		}
		if out[i] > most {
			return nil, false
		}
	}
	return out, true
}

// inOrder reports whether the queue would serve the applications in their order as it is.
func inOrder(rank []Ranked) bool {
	return slices.IsSortedFunc(rank, func(a, b Ranked) int {
		return cmp.Or(-cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Turn, b.Turn))
	})
}
