// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// A cache of 100 bytes with blocks of 40: the third block drives out the least recently read one.
func TestPageCache(t *testing.T) {
	c := &PageCache{capacity: 100}
	for i, read := range []struct {
		block int32
		kept  bool
	}{
		{1, false}, {2, false}, {1, true}, // 2 is now the oldest
		{3, false},            // drives out 2
		{1, true}, {2, false}, // drives out 3
		{1, true}, {3, false}, {1, true},
	} {
		if got := c.Touch(Block{7, read.block}, 40); got != read.kept {
			t.Errorf("read %d, block %d: kept %t, want %t", i, read.block, got, read.kept)
		}
	}
	for range 2 {
		if c.Touch(Block{7, 9}, 101) || c.used != 80 {
			t.Error("a block larger than the cache was kept, or drove others out")
		}
	}
	if c.Touch(Block{8, 1}, 10) {
		t.Error("a block of one file was taken for that of another")
	}
}

// TestPageCacheTwin compares the cache with a plain list that is searched, most recent first.
func TestPageCacheTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &PageCache{capacity: model.Bytes(rapid.IntRange(0, 100).Draw(t, "capacity"))}
		size := func(b int32) int { return int(b)*7%40 + 1 }
		var twin []int32
		for range rapid.IntRange(1, 60).Draw(t, "reads") {
			b := rapid.Int32Range(0, 9).Draw(t, "block")
			at := slices.Index(twin, b)
			if got := c.Touch(Block{0, b}, float64(size(b))); got != (at >= 0) {
				t.Fatalf("block %d: kept %t, the twin has %v", b, got, twin)
			}
			if at >= 0 {
				twin = slices.Delete(twin, at, at+1)
			}
			if size(b) > int(c.capacity) {
				continue
			}
			twin = append([]int32{b}, twin...)
			sum := 0
			for i, kept := range twin {
				if sum += size(kept); sum > int(c.capacity) {
					twin = twin[:i]
					break
				}
			}
		}
	})
}

func TestCachesOfHosts(t *testing.T) {
	if PageCaches(racked(2)) != nil {
		t.Error("hosts without a page cache have one")
	}
	topology := racked(2)
	topology.Classes = append(topology.Classes, topology.Classes[0])
	topology.Classes[1].Hardware.PageCache = 5
	topology.Nodes[1].Class = 1
	if c := PageCaches(topology); len(c) != 2 || c[0].capacity != 0 || c[1].capacity != 5 {
		t.Errorf("caches %v", c)
	}
}
