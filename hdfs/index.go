// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"math/bits"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Index answers where a job's blocks lie. Replica r of block b is entry e = b*replication + r. The entries of a node
// form a list; several nodes may share one when the job is small. Maps at the head of a list that were started
// are passed once, so a look-up is O(1) amortised.
//
// The sets of started maps that look-ups take are those of cluster.Job.Started. A map that becomes
// pending again (killed) must be put back with Restore.
type Index struct {
	// What most look-ups need, in one line of memory.
	replicas int32
	shift    uint8  // 0: lists are those of nodes; else of hash(node)>>shift
	chained  bool   // chains are in the place of the lists by node
	racked   bool   // there are lists by rack
	divide   uint64 // ceil(2^32 / replicas): turns division into a multiplication
	byNode   lists

	// What is needed where a node has none, in another line.
	byRack lists // made when first asked for: see racked
	store  *Store
	again  *Default // places a block again when its nodes are asked for: those of a waiting job take much memory

	nodes      []model.NodeID // node of each entry, unless again
	nodeChains *chains        // from the first Restore on
	rackChains *chains        // from the first Restore on that finds lists by rack
	draws      rng.Key        // of the job's file
	_          [16]byte       // to the end of the third line
}

const hashFactor = 0x9e3779b1

func (ix *Index) slot(n model.NodeID) uint32 {
	if ix.shift == 0 {
		return uint32(n)
	}
	return uint32(n) * hashFactor >> ix.shift
}

// sort makes the lists by node, of the node of each entry.
func (ix *Index) sort(of []model.NodeID, nodes int) {
	entries := len(of)
	if entries >= nodes {
		sorted(&ix.byNode, of, nodes)
		return
	}
	log := max(bits.Len(uint(entries)), 1)
	ix.shift = uint8(32 - log)
	slots := ix.store.scratch[:0]
	for _, n := range of {
		slots = append(slots, int32(ix.slot(n)))
	}
	sorted(&ix.byNode, slots, 1<<log)
	ix.store.scratch = slots
}

// sortRacks makes the lists by rack, of the maps that are pending: by the time that anybody asks, most have started.
func (ix *Index) sortRacks(started []uint64) {
	s := ix.store
	of := ix.racks()
	racks, entries := room(s.scratch, len(of)), room(s.entries, len(of))
	n := 0
	for word, set := range started {
		for left := ^set; left != 0; left &= left - 1 {
			e := (int32(word)<<6 + int32(bits.TrailingZeros64(left))) * ix.replicas
			if e >= ix.entries() {
				break
			}
			for end := e + ix.replicas; e < end; e++ {
				racks[n], entries[n] = of[e], e
				n++
			}
		}
	}
	sorted(&ix.byRack, racks[:n], s.topology.Racks)
	ix.byRack.rename(entries[:n])
	ix.racked = true
	s.scratch, s.entries = racks, entries
}

// racks returns the rack of each entry, at least of those that may be pending. It is valid until the next call.
func (ix *Index) racks() []int32 {
	s := ix.store
	s.racks = room(s.racks, int(ix.entries()))
	if ix.again == nil || ix.chained {
		for e, n := range ix.Holders() {
			s.racks[e] = int32(s.rackOf[n])
		}
		return s.racks
	}
	for n, at := range ix.byNode.first { // what stands in their lists need not be placed again
		for ; at >= 0; at++ {
			e := ix.byNode.entries[at]
			s.racks[e>>1] = int32(s.rackOf[n]) // a node that came after the store was made has no list
			if e&1 != 0 {
				break
			}
		}
	}
	return s.racks
}

// entries returns how many replicas all blocks have.
func (ix *Index) entries() int32 { return int32(len(ix.byNode.entries)) }

// block returns e / replicas, exactly for the at most 2^28 entries of a job.
func (ix *Index) block(e int32) int32 { return int32(uint64(e) * ix.divide >> 32) }

// Block returns the nodes that hold a block. The caller does not change it; it is valid until the store is asked again
// for the nodes of any block.
func (ix *Index) Block(block int32) []model.NodeID { return ix.at(block, &ix.store.asked) }

// at is Block, in memory that the caller gives.
func (ix *Index) at(block int32, memory *replicas) []model.NodeID {
	if ix.again == nil {
		return ix.nodes[block*ix.replicas:][:ix.replicas]
	}
	if ix.store.placedOf == ix {
		return ix.store.placed[block*ix.replicas:][:ix.replicas]
	}
	nodes := memory[:ix.replicas]
	ix.replace(block, nodes)
	return nodes
}

// replace finds the nodes of a block as when it was placed.
func (ix *Index) replace(block int32, nodes []model.NodeID) {
	draw := ix.draws.Uint64(uint64(uint32(block)), 0)
	ix.again.Place(Block{}, nodes, &draw)
}

// pending reports whether the map of a block has not started.
func pending(block int32, started []uint64) bool { return started[block>>6]>>(block&63)&1 == 0 }

// OnNode returns a pending map whose block lies on the node, or model.None. A node that came after the
// blocks were placed holds none.
func (ix *Index) OnNode(n model.NodeID, started []uint64) int32 {
	slot := int32(ix.slot(n))
	if int(slot) >= len(ix.byNode.first) {
		return model.None
	}
	var block int32
	switch {
	case !ix.chained && ix.shift == 0: // the node has the list for itself
		block = ix.inList(&ix.byNode, slot, started)
	case !ix.chained:
		block = ix.inShared(slot, n, started)
	case ix.shift == 0:
		block = ix.inChain(ix.nodeChains, slot, model.None, started)
	default:
		block = ix.inChain(ix.nodeChains, slot, n, started)
	}
	if block < 0 {
		ix.store.missed = missed{ix, n, unasked}
	}
	return block
}

// missed is a look-up that found no pending map on a node, and what was then found in its rack. As no map has become pending
// since, whichever starts on the node is no nearer than that.
type missed struct {
	index *Index
	node  model.NodeID
	block int32 // model.None if there was none in the rack either, or unasked
}

const unasked = -2

// InRack returns a pending map whose block lies in the rack, or model.None.
func (ix *Index) InRack(rack model.RackID, started []uint64) int32 {
	if !ix.racked {
		ix.sortRacks(started)
	}
	var block int32
	if ix.chained && ix.rackChains != nil {
		block = ix.inChain(ix.rackChains, int32(rack), model.None, started)
	} else {
		block = ix.inList(&ix.byRack, int32(rack), started)
	}
	if m := &ix.store.missed; m.index == ix && int(m.node) < len(ix.store.rackOf) && ix.store.rackOf[m.node] == rack {
		m.block = block
	}
	return block
}

// inList returns the first pending map of a list that one node or rack has for itself.
func (ix *Index) inList(l *lists, list int32, started []uint64) int32 {
	first := &l.first[list]
	for at := *first; at >= 0; at++ {
		e := l.entries[at]
		if b := ix.block(e >> 1); pending(b, started) {
			*first = at
			return b
		}
		if e&1 != 0 {
			*first = model.None
			break
		}
	}
	return model.None
}

// inShared returns the first pending map of a node in a list that others may share.
func (ix *Index) inShared(list int32, n model.NodeID, started []uint64) int32 {
	first := &ix.byNode.first[list]
	if *first < 0 {
		return model.None
	}
	passing := true
	for _, e := range ix.byNode.entries[*first:] {
		switch b := ix.block(e >> 1); {
		case !pending(b, started):
			if passing {
				*first++
			}
		case ix.nodes[e>>1] == n:
			return b
		default:
			passing = false
		}
		if e&1 != 0 {
			break
		}
	}
	if passing {
		*first = model.None
	}
	return model.None
}

// inChain returns the first pending map of a node, or of any for None, in a chain, and takes started maps out that
// it meets.
func (ix *Index) inChain(c *chains, chain int32, n model.NodeID, started []uint64) int32 {
	for e := c.head[chain]; e >= 0; {
		after := c.next[e]
		if n == model.None || ix.nodes[e] == n {
			if b := ix.block(e); pending(b, started) {
				return b
			}
			c.cut(e)
		}
		e = after
	}
	return model.None
}

// Restore makes a map findable again that was killed or whose output was lost: first of all in its lists.
// It costs O(replicas), the first one for a job O(entries).
func (ix *Index) Restore(block int32) {
	ix.store.restored++
	ix.store.missed = missed{}
	if !ix.chained {
		ix.nodeChains, ix.chained = ix.byNode.chains(ix.entries()), true
	}
	if ix.rackChains == nil && ix.racked {
		ix.rackChains = ix.byRack.chains(ix.entries())
	}
	var memory replicas
	for i, n := range ix.at(block, &memory) {
		e := block*ix.replicas + int32(i)
		ix.nodeChains.toFront(int32(ix.slot(n)), e)
		if ix.rackChains != nil {
			ix.rackChains.toFront(int32(ix.store.rackOf[n]), e)
		}
	}
}

// Starts returns how far the block is from the node on which its map, pending up to now, starts: mostly the map is the answer
// to the last look-up there, from which it is known.
func (ix *Index) Starts(block int32, n model.NodeID) model.Locality {
	if ix.shift == 0 && !ix.chained && int(n) < len(ix.byNode.first) {
		if at := ix.byNode.first[n]; at >= 0 && ix.block(ix.byNode.entries[at]>>1) == block {
			return model.NodeLocal
		}
	}
	if m := &ix.store.missed; m.index == ix && m.node == n {
		switch m.block {
		case block:
			return model.RackLocal
		case model.None:
			return model.Remote
		}
	}
	return ix.Locality(block, n)
}

// Locality returns how far the block is from the node.
func (ix *Index) Locality(block int32, n model.NodeID) model.Locality {
	var memory replicas
	holders := ix.at(block, &memory)
	for _, holder := range holders {
		if holder == n {
			return model.NodeLocal
		}
	}
	rack := ix.store.topology.Nodes[n].Rack // a node may have come after the store was made
	for _, holder := range holders {
		if ix.store.rackOf[holder] == rack {
			return model.RackLocal
		}
	}
	return model.Remote
}

// Everywhere reports whether there are at least as many replicas as nodes: nearly every node holds one.
func (ix *Index) Everywhere() bool { return ix.shift == 0 && ix.replicas > 0 }

// Holders returns the nodes of all replicas of all blocks, block by block. The caller does not change it; it is valid
// until the store is asked for something else.
func (ix *Index) Holders() []model.NodeID {
	if ix.again == nil {
		return ix.nodes
	}
	if ix.store.placedOf == ix {
		return ix.store.placed
	}
	return ix.placeAll(int(ix.entries()))
}

// placeAll finds the nodes of all entries of an index whose blocks can be placed again, in memory of the store.
func (ix *Index) placeAll(entries int) []model.NodeID {
	s := ix.store
	s.placed, s.placedOf = room(s.placed, entries), ix
	for b := int32(0); int(b*ix.replicas) < entries; b++ {
		ix.replace(b, s.placed[b*ix.replicas:][:ix.replicas])
	}
	return s.placed
}
