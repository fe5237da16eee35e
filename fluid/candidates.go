// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"math"
	"math/bits"
)

// candidate is a bottleneck with a lower bound of the level at which it is exhausted.
type candidate struct {
	level float64
	id    int32
}

// less is 1 if a comes before b, else 0, without a branch: levels are never negative, so (level, id)
// compares like one number.
func (a *candidate) less(b *candidate) int {
	_, borrow := bits.Sub64(uint64(uint32(a.id)), uint64(uint32(b.id)), 0)
	_, borrow = bits.Sub64(math.Float64bits(a.level), math.Float64bits(b.level), borrow)
	return int(borrow)
}

// candidates is a heap: the one that is exhausted first is on top.
type candidates []candidate

// order makes a heap of what was appended.
func (h candidates) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h *candidates) pop() candidate {
	top := (*h)[0]
	n := len(*h) - 1
	(*h)[0] = (*h)[n]
	*h = (*h)[:n]
	if n > 1 {
		h.sink(0)
	}
	return top
}

func (h candidates) sink(i int) {
	it := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) {
			c += h[c+1].less(&h[c])
		}
		if h[c].less(&it) == 0 {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = it
}
