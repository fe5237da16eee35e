// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"container/list"

	"github.com/yardmaster/yardmaster/model"
)

// PageCache is the memory of one host that keeps blocks which were read, the least recently read
// leaving first. A block counts as kept from the moment its first reader begins: a second reader that
// follows close behind finds the pages that the first has just read.
type PageCache struct {
	capacity model.Bytes
	used     model.Bytes
	order    list.List // of cachedBlock, most recent first
	entries  map[Block]*list.Element
}

type cachedBlock struct {
	key  Block
	size model.Bytes
}

// Touch notes that a block is read and reports whether it was kept.
func (c *PageCache) Touch(key Block, bytes float64) bool {
	if e, ok := c.entries[key]; ok {
		c.order.MoveToFront(e)
		return true
	}
	size := model.Bytes(bytes)
	if size > c.capacity {
		return false
	}
	if c.entries == nil {
		c.entries = map[Block]*list.Element{}
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

// PageCaches returns the page caches of a topology's hosts, nil if no class has one.
func PageCaches(t *model.Topology) (caches []PageCache) {
	for _, n := range t.Nodes {
		if size := t.Classes[n.Class].Hardware.PageCache; size > 0 {
			if caches == nil {
				caches = make([]PageCache, t.Hosts)
			}
			caches[n.Host].capacity = size
		}
	}
	return caches
}
