// SPDX-License-Identifier: Apache-2.0

package hdfs

import "math"

// chains holds the entries of an index in chains, one for each node or rack, which can be taken out and put first
// at any time.
type chains struct {
	head []int32 // first entry by chain, -1 if there is none
	next []int32 // by entry, -1 at the end
	back []int32 // what stands before an entry: another one, the head (-1 minus its number), or unlinked
}

// unlinked is what stands before an entry that is in no chain, because a look-up has found its map started.
const unlinked = math.MinInt32

func newChains(n, entries int) *chains {
	c := &chains{head: make([]int32, n), next: make([]int32, entries), back: make([]int32, entries)}
	for i := range c.head {
		c.head[i] = -1
	}
	for i := range c.back {
		c.back[i] = unlinked
	}
	return c
}

// link puts an entry behind another, or behind the head of a chain.
func (c *chains) link(before, e int32) {
	after := &c.next[max(before, 0)]
	if before < 0 {
		after = &c.head[-1-before]
	}
	if *after >= 0 {
		c.back[*after] = e
	}
	c.next[e], c.back[e], *after = *after, before, e
}

// toFront puts an entry at the head of its chain, wherever it was.
func (c *chains) toFront(chain, e int32) {
	if c.back[e] != unlinked {
		c.cut(e)
	}
	c.link(-1-chain, e)
}

// cut takes an entry out of its chain.
func (c *chains) cut(e int32) {
	if before := c.back[e]; before >= 0 {
		c.next[before] = c.next[e]
	} else {
		c.head[-1-before] = c.next[e]
	}
	if after := c.next[e]; after >= 0 {
		c.back[after] = c.back[e]
	}
	c.back[e] = unlinked
}
