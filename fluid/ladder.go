// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
)

// ladder lists bottlenecks roughly in order of level: by rung, 64 to the octave, and on a rung the last
// that came is the first that goes. The order only saves work, so what lies beyond its ends may share
// the first or the last rung.
type ladder struct {
	count int
	base  int64          // rung of level 1 is at -base
	heads [64 * 64]int32 // of the rungs: one more than a bottleneck, 0 if the rung is empty
	next  []int32        // of bottlenecks: the one below it on its rung, likewise
	words [64]uint64     // which rungs are not empty
	index uint64         // which words are not zero
}

// stand puts the middle of the ladder at a level. It is empty.
func (l *ladder) stand(level float64) { l.base = int64(math.Float64bits(level)>>46) - 32*64 }

// push adds a bottleneck that is not listed.
func (l *ladder) push(id int32, level float64) {
	rung := uint64(min(max(int64(math.Float64bits(level)>>46)-l.base, 0), 64*64-1))
	l.next[id] = l.heads[rung]
	l.heads[rung] = id + 1
	l.words[rung>>6] |= 1 << (rung & 63)
	l.index |= 1 << (rung >> 6)
	l.count++
}

// pop takes the first bottleneck off.
func (l *ladder) pop() int32 {
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
