// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"math"
	"math/bits"

	"github.com/yardmaster/yardmaster/model"
)

// Index answers where a job's blocks lie. Replica r of block b is entry e = b*replication + r. The entries
// of a node form a chain; chains of several nodes may share a head when the job is small. Entries
// of the node whose map was started are unlinked when a look-up meets them, so a look-up is O(1)
// amortised.
//
// The sets of started maps that look-ups take are those of cluster.Job.Started. A map that becomes
// pending again (killed) must be put back with Restore.
type Index struct {
	replicas int32
	divide   uint64 // ceil(2^32 / replicas): turns division into a multiplication
	racks    int
	rackOf   []model.RackID // by node
	nodes    []model.NodeID // node of each entry
	next     []int32        // next entry of the chain, -1 at the end
	head     []int32        // first entry by node, or by hash of the node
	shift    uint           // 0: head is indexed by node; else by hash(node)>>shift
	back     []int32        // what stands before each entry, kept from the first Restore on; nil before
	rackNext []int32        // chains by rack, built when first asked for; nil before
	rackHead []int32
	rackBack []int32 // like back
	restored *int64  // counts Restore, for the store
}

const hashFactor = 0x9e3779b1

func (ix *Index) slot(n model.NodeID) uint32 {
	if ix.shift == 0 {
		return uint32(n)
	}
	return uint32(n) * hashFactor >> ix.shift
}

// thread builds the chains by node, in ascending order of block.
func (ix *Index) thread(nodes int) {
	size := nodes
	if entries := len(ix.nodes); entries < nodes {
		log := max(bits.Len(uint(entries)), 1)
		size, ix.shift = 1<<log, uint(32-log)
	}
	ix.head = filled(size)
	next := make([]int32, len(ix.nodes))
	for e := len(next) - 1; e >= 0; e-- {
		h := &ix.head[ix.slot(ix.nodes[e])]
		next[e], *h = *h, int32(e)
	}
	ix.next = next
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// block returns e / replicas, exactly for the at most 2^28 entries of a job.
func (ix *Index) block(e int32) int32 { return int32(uint64(e) * ix.divide >> 32) }

// Block returns the nodes that hold a block. The caller does not change it.
func (ix *Index) Block(block int32) []model.NodeID {
	return ix.nodes[block*ix.replicas:][:ix.replicas]
}

// OnNode returns a pending map whose block lies on the node, or model.None. A node that came after the
// blocks were placed holds none.
func (ix *Index) OnNode(n model.NodeID, started []uint64) int32 {
	slot := int(ix.slot(n))
	if slot >= len(ix.head) {
		return model.None
	}
	if ix.shift == 0 && ix.back == nil {
		return ix.first(&ix.head[slot], ix.next, started)
	}
	link := &ix.head[slot]
	for e := *link; e >= 0; e = *link {
		if ix.nodes[e] != n { // another node of a shared head
			link = &ix.next[e]
			continue
		}
		if b := ix.block(e); started[b>>6]>>(b&63)&1 == 0 {
			return b
		}
		if ix.back != nil {
			cut(ix.head, ix.next, ix.back, e)
			continue
		}
		*link = ix.next[e]
	}
	return model.None
}

// first drops the started maps at the head of a chain that nobody shares, and returns the block of the map that is
// now first.
func (ix *Index) first(head *int32, next []int32, started []uint64) int32 {
	for e := *head; e >= 0; e = next[e] {
		if b := ix.block(e); started[b>>6]>>(b&63)&1 == 0 {
			*head = e
			return b
		}
	}
	*head = -1
	return model.None
}

// InRack returns a pending map whose block lies in the rack, or model.None.
func (ix *Index) InRack(rack model.RackID, started []uint64) int32 {
	if ix.rackHead == nil {
		ix.threadRacks()
	}
	if ix.rackBack == nil {
		return ix.first(&ix.rackHead[rack], ix.rackNext, started)
	}
	for e := ix.rackHead[rack]; e >= 0; e = ix.rackHead[rack] {
		b := ix.block(e)
		if started[b>>6]>>(b&63)&1 == 0 {
			return b
		}
		cut(ix.rackHead, ix.rackNext, ix.rackBack, e)
	}
	return model.None
}

func (ix *Index) threadRacks() {
	ix.rackHead = filled(ix.racks)
	next := make([]int32, len(ix.nodes))
	for e := len(next) - 1; e >= 0; e-- {
		h := &ix.rackHead[ix.rackOf[ix.nodes[e]]]
		next[e], *h = *h, int32(e)
	}
	ix.rackNext = next
}

// Restore makes a map findable again that was killed or whose output was lost: first of all in its chains.
// It costs O(replicas).
func (ix *Index) Restore(block int32) {
	*ix.restored++
	if ix.back == nil {
		ix.back = backLinks(ix.head, ix.next)
	}
	if ix.rackHead != nil && ix.rackBack == nil {
		ix.rackBack = backLinks(ix.rackHead, ix.rackNext)
	}
	for e := block * ix.replicas; e < (block+1)*ix.replicas; e++ {
		toFront(ix.head, ix.next, ix.back, int32(ix.slot(ix.nodes[e])), e)
		if ix.rackHead != nil {
			toFront(ix.rackHead, ix.rackNext, ix.rackBack, int32(ix.rackOf[ix.nodes[e]]), e)
		}
	}
}

// What stands before an entry in its chain: another entry, the head (-1 minus its number), or nothing,
// because a look-up has unlinked it.
const unlinked = math.MinInt32

// backLinks returns what stands before each entry.
func backLinks(head, next []int32) []int32 {
	back := make([]int32, len(next))
	for i := range back {
		back[i] = unlinked
	}
	for h, e := range head {
		before := int32(-1 - h)
		for ; e >= 0; e = next[e] {
			back[e], before = before, e
		}
	}
	return back
}

// toFront puts an entry at the head of its chain, wherever it was.
func toFront(head, next, back []int32, h, e int32) {
	if back[e] != unlinked {
		cut(head, next, back, e)
	}
	first := head[h]
	next[e], back[e], head[h] = first, -1-h, e
	if first >= 0 {
		back[first] = e
	}
}

// cut takes an entry out of its chain.
func cut(head, next, back []int32, e int32) {
	if before := back[e]; before >= 0 {
		next[before] = next[e]
	} else {
		head[-1-before] = next[e]
	}
	if after := next[e]; after >= 0 {
		back[after] = back[e]
	}
	back[e] = unlinked
}

// Locality returns how far the block is from the node.
func (ix *Index) Locality(block int32, n model.NodeID) model.Locality {
	holders := ix.Block(block)
	for _, holder := range holders {
		if holder == n {
			return model.NodeLocal
		}
	}
	rack := ix.rackOf[n]
	for _, holder := range holders {
		if ix.rackOf[holder] == rack {
			return model.RackLocal
		}
	}
	return model.Remote
}

// Holders returns the nodes of all replicas of all blocks, block by block. The caller does not
// change it.
func (ix *Index) Holders() []model.NodeID { return ix.nodes }
