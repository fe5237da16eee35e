// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"container/list"

	"github.com/yardmaster/yardmaster/model"
)

// blockKey names a block of a file.
type blockKey struct {
	file  model.JobID
	block int32
}

// pageCache is the memory of one host that keeps blocks which were read, the least recently read
// leaving first. A block counts as kept from the moment its first reader begins: a second reader that
// follows close behind finds the pages that the first has just read.
type pageCache struct {
	capacity model.Bytes
	used     model.Bytes
	order    list.List // of cachedBlock, most recent first
	entries  map[blockKey]*list.Element
}

type cachedBlock struct {
	key  blockKey
	size model.Bytes
}

// touch notes that a block is read and reports whether it was kept.
func (c *pageCache) touch(key blockKey, bytes float64) bool {
	if e, ok := c.entries[key]; ok {
		c.order.MoveToFront(e)
		return true
	}
	size := model.Bytes(bytes)
	if size > c.capacity {
		return false
	}
	if c.entries == nil {
		c.entries = map[blockKey]*list.Element{}
	}
	for c.used+size > c.capacity {
		last := c.order.Back()
		gone := c.order.Remove(last).(cachedBlock)
		delete(c.entries, gone.key)
		c.used -= gone.size
	}
	c.used += size
	c.entries[key] = c.order.PushFront(cachedBlock{key, size})
	return false
}

// newCaches returns the page caches of a topology's hosts, nil if no class has one.
func newCaches(t *model.Topology) (caches []pageCache) {
	for _, n := range t.Nodes {
		if size := t.Classes[n.Class].Hardware.PageCache; size > 0 {
			if caches == nil {
				caches = make([]pageCache, t.Hosts)
			}
			caches[n.Host].capacity = size
		}
	}
	return caches
}
