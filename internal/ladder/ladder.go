// SPDX-License-Identifier: Apache-2.0

// Package ladder lists small numbers roughly in order of a level that each has.
package ladder

import (
	"math"
	"math/bits"
)

// Ladder lists numbers by rung, 64 to the octave of levels, and on a rung the last that came is the first that goes. It is for
// whom order only saves work: what lies beyond its ends shares the first or the last rung. An empty one is ready for use.
type Ladder struct {
	count int
	base  int64          // rung of level 1 is at -base
	heads [64 * 64]int32 // of the rungs: one more than a number, 0 if the rung is empty
	next  []int32        // of numbers: the one below it on its rung, likewise
	words [64]uint64     // which rungs are not empty
	index uint64         // which words are not zero
}

// Above is by how much a level is above all on the rung of another.
const Above = 1 + 1.0/32

// Len returns how many are listed.
func (l *Ladder) Len() int { return l.count }

// Widen makes room for one more number.
func (l *Ladder) Widen() { l.next = append(l.next, 0) }

// Stand puts the middle of the ladder at a level. It is empty.
func (l *Ladder) Stand(level float64) { l.base = int64(math.Float64bits(level)>>46) - 32*64 }

// Push adds a number that is not listed. Its level is not negative.
func (l *Ladder) Push(id int32, level float64) {
	rung := uint64(min(max(int64(math.Float64bits(level)>>46)-l.base, 0), 64*64-1))
	l.next[id] = l.heads[rung]
	l.heads[rung] = id + 1
	l.words[rung>>6] |= 1 << (rung & 63)
	l.index |= 1 << (rung >> 6)
	l.count++
}

// Pop takes the first off; there is one.
func (l *Ladder) Pop() int32 {
	word := bits.TrailingZeros64(l.index) & 63
	rung := word<<6 + bits.TrailingZeros64(l.words[word])&63
	id := l.heads[rung] - 1
	l.heads[rung] = l.next[id]
	if l.heads[rung] == 0 {
		l.words[word] &= l.words[word] - 1
		if l.words[word] == 0 {
			l.index &= l.index - 1
		}
	}
	l.count--
	return id
}
