// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"math"
	"math/bits"

	"github.com/yardmaster/yardmaster/model"
)

// sets holds the blocks of an index in sets, one for each node and rack: a bit for each block. Nothing is sorted, a set lies in
// one piece, and whether a block is in it can be seen at once; but where there are many sets, most of their words are
// empty.
type sets struct {
	words []uint64 // of one set after the other; before those of a long set, the number of the first that may have a pending block
	size  int32    // of a set
	skip  int32    // words before the first with blocks: 1 in long sets
}

// short is up to how many words a set is looked through from its beginning.
const short = 4

// setWords is how many words a set takes for the blocks of that many maps.
func setWords(maps int32) int {
	n := int(maps+63) >> 6
	if n > short {
		n++
	}
	return n
}

// begin makes n empty sets for the blocks of that many maps.
func (s *sets) begin(n int, maps int32) {
	s.size, s.skip = int32(setWords(maps)), 0
	if s.size > short {
		s.skip = 1
	}
	s.words = room(s.words, n*int(s.size))
	clear(s.words)
}

// leave notes of the first n sets that they have not been made, and reports whether it could: sets have to be long for that.
func (s *sets) leave(n int) bool {
	if s.skip == 0 {
		return false
	}
	for set := range int32(n) {
		s.of(set)[0] = unmade
	}
	return true
}

// left reports whether a set has not been made.
func (s *sets) left(set int32) bool { return s.skip > 0 && s.words[set*s.size] == unmade }

// unmade is in the place of the number of the first word that may have a pending block.
const unmade = math.MaxUint64

// of returns the words of a set.
func (s *sets) of(set int32) []uint64 { return s.words[set*s.size:][:s.size] }

// add puts a block into a set.
func (s *sets) add(set, block int32) { s.words[set*s.size+s.skip+block>>6] |= 1 << (block & 63) }

// addAll puts each block into the sets of its nodes: of holds those of one block after the other, as many for each as it has
// replicas.
func (s *sets) addAll(of []model.NodeID, replicas int32) {
	words, size := s.words, int(s.size)
	for at, bit := int(s.skip), uint64(1); len(of) > 0; of = of[replicas:] {
		for _, n := range of[:replicas] {
			words[int(n)*size+at] |= bit
		}
		if bit <<= 1; bit == 0 {
			at, bit = at+1, 1
		}
	}
}

// has reports whether a block is in a set.
func (s *sets) has(set, block int32) bool {
	return s.words[set*s.size+s.skip+block>>6]>>(block&63)&1 != 0
}

// pending returns the first pending map of a set, or model.None.
func (s *sets) pending(set int32, started []uint64) int32 {
	words := s.of(set)
	if len(words) <= short {
		for at, word := range words {
			if left := word &^ started[at]; left != 0 {
				return int32(at)<<6 + int32(bits.TrailingZeros64(left))
			}
		}
		return model.None
	}
	first, words := &words[0], words[1:]
	for ; *first < uint64(len(words)); *first++ {
		if left := words[*first] &^ started[*first]; left != 0 {
			return int32(*first)<<6 + int32(bits.TrailingZeros64(left))
		}
	}
	return model.None
}

// join makes the sets of racks, which come behind those of nodes, of the sets of their nodes.
func (s *sets) join(rackOf []model.RackID) {
	words, size, skip := s.words, int(s.size), int(s.skip)
	for n, rack := range rackOf {
		from, to := n*size, (len(rackOf)+int(rack))*size
		for i := skip; i < size; i++ {
			words[to+i] |= words[from+i]
		}
	}
}
