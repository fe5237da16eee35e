// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"math/bits"

	"github.com/yardmaster/yardmaster/model"
)

// maybe says on which nodes maps of a job may be pending: a job that waits for its data is asked on one node after the other,
// and where it has none, nothing else has to be looked at. Each node has a bit, in larger clusters together with others.
type maybe [maybeBits / 64]uint64

const maybeBits = 128

// few is from how many pending maps down it is found out again where they lie. They lie on few nodes then, and most that the job
// is asked on are others.
const few = 16

// on reports whether something may be pending on a node.
func (m *maybe) on(n model.NodeID) bool { return m.bit(n) != 0 }

// bit is 1 on these nodes, 0 on others.
func (m *maybe) bit(n model.NodeID) uint64 {
	return m[uint32(n)/64%(maybeBits/64)] >> (uint32(n) % 64) & 1
}

func (m *maybe) add(n model.NodeID)  { m[uint32(n)/64%(maybeBits/64)] |= 1 << (uint32(n) % 64) }
func (m *maybe) drop(n model.NodeID) { m[uint32(n)/64%(maybeBits/64)] &^= 1 << (uint32(n) % 64) }

// begin adds the nodes of all entries, or simply all nodes where the entries are many.
func (m *maybe) begin(of []model.NodeID) {
	if len(of) >= 2*maybeBits {
		m.all()
		return
	}
	*m = maybe{}
	for _, n := range of {
		m.add(n)
	}
}

// all adds all nodes.
func (m *maybe) all() {
	for i := range m {
		m[i] = ^uint64(0)
	}
}

// nothingOn notes that nothing is pending on a node, contrary to what seemed possible. Once few maps are pending, and again
// whenever they have become half as many, it finds out on which nodes; to count them costs O(1) for each call, amortised.
func (ix *Index) nothingOn(n model.NodeID, started []uint64) {
	if nodes := len(ix.store.rackOf); nodes <= maybeBits && int(n) < nodes { // it has a bit for itself
		ix.maybe.drop(n)
	}
	ix.misses++
	if int(ix.misses) < len(started) || ix.narrowed == 1 {
		return
	}
	ix.misses = 0
	left := ix.maps
	for _, word := range started {
		left -= int32(bits.OnesCount64(word))
	}
	if left > few || ix.narrowed > 0 && 2*left > int32(ix.narrowed) || left == 0 {
		return
	}
	ix.narrowed, ix.maybe = uint8(left), maybe{}
	var memory replicas
	for at := range started {
		for pending := ^started[at] & blocksOf(at, ix.maps); pending != 0; pending &= pending - 1 {
			for _, n := range ix.at(int32(at<<6+bits.TrailingZeros64(pending)), &memory) {
				ix.maybe.add(n)
			}
		}
	}
}

// blocksOf returns the bits that blocks have in a word of their set.
func blocksOf(at int, blocks int32) uint64 {
	if left := int(blocks) - at<<6; left < 64 {
		return 1<<max(left, 0) - 1
	}
	return ^uint64(0)
}
