// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"math"
	"math/bits"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Index answers where a job's blocks lie. Replica r of block b is entry e = b*replication + r. Each node and each rack has
// a set of the blocks that it holds where that takes little memory, else a list of them, and several nodes may share a
// list when the job is small. Started maps at the head are passed once, so a look-up is O(1) amortised.
//
// The sets of started maps that look-ups take are those of cluster.Job.Started. A map that becomes
// pending again (killed) must be put back with Restore.
type Index struct {
	// What most look-ups need, in one line of memory.
	sets  sets   // of nodes, then of racks
	maybe maybe  // on which nodes something may be pending
	count int32  // of these sets or lists
	bare  uint16 // one more than a node on which nothing is pending, and in its rack neither; 0 if none is known
	shift uint8  // 0: lists are those of nodes; else of hash(node)>>shift
	is    ways
	store *Store

	// What some need, in another one.
	byNode   lists  // unless nodes have sets
	divide   uint64 // ceil(2^32 / replicas): turns division into a multiplication
	replicas int32
	maps     int32
	again    *Default // places a block again when its nodes are asked for: those of a waiting job take much memory
	draws    rng.Key  // of the job's file
	misses   uint16   // look-ups on nodes that maybe had not ruled out, since pending maps were counted
	narrowed uint8    // how many maps were pending when maybe was found out again last, 0 before

	nodes      []model.NodeID // node of each entry, unless again
	byRack     lists          // unless racks have sets
	nodeChains *chains        // from the first Restore on
	rackChains *chains        // from the first Restore on that finds racks known
}

// ways are how an index knows where blocks lie.
type ways uint8

const (
	inSets      ways = 1 << iota // nodes have sets
	chained                      // chains are in the place of the lists or sets by node
	racksKnown                   // it is known what lies in racks
	racksListed                  // in lists, not in sets
)

// all reports whether these are among them.
func (w ways) all(of ways) bool { return w&of == of }

const hashFactor = 0x9e3779b1

func (ix *Index) slot(n model.NodeID) uint32 {
	if ix.shift == 0 {
		return uint32(n)
	}
	return uint32(n) * hashFactor >> ix.shift
}

// sort makes the sets or lists by node, of the node of each entry.
func (ix *Index) sort(of []model.NodeID) {
	ix.maybe.begin(of)
	nodes := len(ix.store.rackOf)
	ix.count = int32(nodes)
	switch {
	case ix.shared():
		log := max(bits.Len(uint(len(of))), 1)
		ix.shift, ix.count = uint8(32-log), 1<<log
		slots := ix.store.scratch[:0]
		for _, n := range of {
			slots = append(slots, int32(ix.slot(n)))
		}
		ix.byNode = sorted(ix.byNode, slots, 1<<log, 1)
		ix.store.scratch = slots
	case ix.setsPay(nodes):
		ix.is |= inSets
		ix.sets.begin(nodes+ix.store.racks, ix.maps)
		ix.sets.addAll(of, ix.replicas)
	default:
		ix.byNode = sorted(ix.byNode, of, nodes, ix.replicas)
	}
}

// setsPay reports whether that many sets take at most about twice the memory of lists.
func (ix *Index) setsPay(n int) bool { return n*setWords(ix.maps) <= n+int(ix.entries()) }

// shared reports whether nodes share lists: there are few entries, and sets would take more than twice the memory of the lists and
// of the nodes that have to be kept with them.
func (ix *Index) shared() bool {
	nodes, entries := len(ix.store.rackOf), int(ix.entries())
	return entries < nodes && (!ix.setsPay(nodes) || nodes*setWords(ix.maps) > 3*entries)
}

// findRacks makes the sets or lists by rack, at least of the maps that are pending.
func (ix *Index) findRacks(started []uint64) {
	s := ix.store
	switch {
	case ix.is.all(inSets):
		ix.sets.join(s.rackOf)
	case !ix.setsPay(s.racks):
		ix.sortRacks(started)
	case ix.again != nil && !ix.is.all(chained): // what stands in lists need not be placed again
		ix.sets.begin(s.racks, ix.maps)
		if ix.sets.leave(s.racks) { // most jobs ask for few racks
			break
		}
		for n, rack := range s.rackOf {
			ix.byNode.each(int32(n), func(block int32) { ix.sets.add(int32(rack), block) })
		}
	default:
		ix.sets.begin(s.racks, ix.maps)
		of := ix.Holders()
		for b := range ix.maps {
			for _, n := range of[b*ix.replicas:][:ix.replicas] {
				ix.sets.add(int32(s.rackOf[n]), b)
			}
		}
	}
	ix.is |= racksKnown
}

// findRack makes the set of a rack that was left, of the lists of its nodes.
func (ix *Index) findRack(rack model.RackID) {
	ix.sets.of(int32(rack))[0] = 0
	for n, r := range ix.store.rackOf {
		if r == rack {
			ix.byNode.each(int32(n), func(block int32) { ix.sets.add(int32(rack), block) })
		}
	}
}

// sortRacks makes the lists by rack, of the maps that are pending: by the time that anybody asks, most have started.
func (ix *Index) sortRacks(started []uint64) {
	s, of := ix.store, ix.Holders()
	racks, blocks := s.scratch[:0], s.pending[:0]
	for b := range ix.maps {
		if !pending(b, started) {
			continue
		}
		for _, n := range of[b*ix.replicas:][:ix.replicas] {
			racks = append(racks, int32(s.rackOf[n]))
		}
		blocks = append(blocks, b)
	}
	ix.is |= racksListed
	ix.byRack = sorted(ix.byRack, racks, s.racks, ix.replicas)
	ix.byRack.rename(s.racks, blocks)
	s.scratch, s.pending = racks, blocks
}

// entries returns how many replicas all blocks have.
func (ix *Index) entries() int32 { return ix.maps * ix.replicas }

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
	if !ix.maybe.on(n) {
		return ix.store.missOn(ix, n)
	}
	slot := int32(ix.slot(n))
	if slot >= ix.count {
		return model.None
	}
	var block int32
	switch {
	case ix.is.all(chained) && ix.shift == 0:
		block = ix.inChain(ix.nodeChains, slot, model.None, started)
	case ix.is.all(chained):
		block = ix.inChain(ix.nodeChains, slot, n, started)
	case ix.is.all(inSets):
		block = ix.sets.pending(slot, started)
	case ix.shift == 0: // the node has the list for itself
		block = ix.byNode.pending(slot, started)
	default:
		block = ix.inShared(slot, n, started)
	}
	if block < 0 {
		ix.nothingOn(n, started)
		return ix.store.missOn(ix, n)
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

// missOn notes that a look-up has found nothing on a node.
func (s *Store) missOn(ix *Index, n model.NodeID) int32 {
	s.missed = missed{ix, n, unasked}
	if int32(n)+1 == int32(ix.bare) {
		s.missed.block = model.None
	}
	return model.None
}

// InRack returns a pending map whose block lies in the rack, or model.None.
func (ix *Index) InRack(rack model.RackID, started []uint64) int32 {
	m := &ix.store.missed
	asked := m.index == ix && int(m.node) < len(ix.store.rackOf) && ix.store.rackOf[m.node] == rack
	if asked && m.block == model.None {
		return model.None
	}
	if !ix.is.all(racksKnown) {
		ix.findRacks(started)
	}
	var block int32
	switch {
	case ix.is.all(chained) && ix.rackChains != nil:
		block = ix.inChain(ix.rackChains, int32(rack), model.None, started)
	case ix.is.all(racksListed):
		block = ix.byRack.pending(int32(rack), started)
	default:
		set := ix.rackSet(rack)
		if ix.sets.left(set) {
			ix.findRack(rack)
		}
		block = ix.sets.pending(set, started)
	}
	if asked {
		if m.block = block; block < 0 && m.node < math.MaxUint16 {
			ix.bare = uint16(m.node + 1)
		}
	}
	return block
}

// rackSet returns the number of the set that a rack has.
func (ix *Index) rackSet(rack model.RackID) int32 {
	if ix.is.all(inSets) {
		return ix.count + int32(rack)
	}
	return int32(rack)
}

// inShared returns the first pending map of a node in a list that others may share.
func (ix *Index) inShared(list int32, n model.NodeID, started []uint64) int32 {
	first := &ix.byNode[list]
	if *first < 0 {
		return model.None
	}
	passing := true
	for _, e := range ix.byNode[*first:] {
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
	ix.store.missed, ix.bare = missed{}, 0
	ix.narrowed = 0
	ix.maybe.all()
	if !ix.is.all(chained) {
		ix.nodeChains = ix.chain(ix.count, func(n model.NodeID) int32 { return int32(ix.slot(n)) })
		ix.is |= chained
	}
	if ix.rackChains == nil && ix.is.all(racksKnown) {
		ix.rackChains = ix.chain(int32(ix.store.racks), func(n model.NodeID) int32 { return int32(ix.store.rackOf[n]) })
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

// chain returns chains of all entries, of being the chain of those on a node.
func (ix *Index) chain(n int32, of func(model.NodeID) int32) *chains {
	holders := ix.Holders()
	c := newChains(int(n), len(holders))
	for e := len(holders) - 1; e >= 0; e-- {
		c.link(-1-of(holders[e]), int32(e))
	}
	return c
}

// Starts returns how far the block is from the node on which its map, pending up to now, starts: mostly the map is the answer
// to the last look-up there, from which it is known.
func (ix *Index) Starts(block int32, n model.NodeID) model.Locality {
	if ix.shift == 0 && !ix.is.all(chained) && int32(n) < ix.count {
		if ix.is.all(inSets) && ix.sets.has(int32(n), block) || !ix.is.all(inSets) && ix.byNode.isFirst(int32(n), block) {
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
func (ix *Index) Everywhere() bool {
	return ix.replicas > 0 && int(ix.entries()) >= len(ix.store.rackOf)
}

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
	ix.again.placeAll(s.placed, int(ix.replicas), ix.draws)
	return s.placed
}
