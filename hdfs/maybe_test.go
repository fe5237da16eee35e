// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Once a few maps are left and some look-ups have found nothing, only nodes that hold their blocks, and those that share a bit with
// them, are looked at. A map that becomes pending again is found wherever it lies.
func TestFewAreLookedForWhereTheyLie(t *testing.T) {
	for _, racks := range [][]int{{10, 10, 10}, {100, 100}, slices.Repeat([]int{20}, 20)} {
		top := racked(racks...)
		ix := NewStore(top, 3, nil, 3).Index(0, 200)
		started := make([]uint64, 4)
		for b := range int32(200) {
			started[b>>6] |= 1 << (b & 63)
		}
		for _, left := range [][]int32{{7, 70, 150}, {70}} {
			for _, b := range []int32{7, 70, 150} {
				started[b>>6] |= 1 << (b & 63)
			}
			var holders maybe
			for _, b := range left {
				started[b>>6] &^= 1 << (b & 63)
				for _, n := range ix.Block(b) {
					holders.add(n)
				}
			}
			for range 2 {
				for n := range top.Nodes {
					ix.OnNode(model.NodeID(n), started)
				}
			}
			if ix.maybe != holders {
				t.Errorf("%d nodes, maps %v: something may be pending on %x, want %x", len(top.Nodes), left, ix.maybe, holders)
			}
		}
		started[0] &^= 1 << 9
		ix.Restore(9)
		for _, n := range ix.Block(9) {
			if got := ix.OnNode(n, started); got != 9 && got != 70 {
				t.Errorf("%d nodes: on node %d map %d is found, want 9, which was put back", len(top.Nodes), n, got)
			}
		}
	}
}

// The bits of a word are those of blocks that there are.
func TestBlocksOfAWord(t *testing.T) {
	for _, c := range []struct {
		at     int
		blocks int32
		want   uint64
	}{{0, 1, 1}, {0, 63, 1<<63 - 1}, {0, 64, 1<<64 - 1}, {1, 64, 0}, {1, 65, 1}, {2, 64, 0}} {
		if got := blocksOf(c.at, c.blocks); got != c.want {
			t.Errorf("word %d of %d blocks: %x, want %x", c.at, c.blocks, got, c.want)
		}
	}
}
