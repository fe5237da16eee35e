// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/model"
)

// A look-up on a node goes from the index to the beginning of the node's list or set and from there to its first map: three
// places in memory, each of which says where the next one is. So it is asked for them in three steps, some time apart.

// Ahead implements ahead.Keeper: it asks for what look-ups need of the job's index, the first step.
func (s *Store) Ahead(_ int32, id model.JobID) { ahead.Lines(s.known(id), 2) }

// AheadLists asks for where the lists or sets of a node and of its rack begin, the second step.
func (s *Store) AheadLists(id model.JobID, n model.NodeID) {
	ix := s.by(id, n)
	if ix == nil {
		return
	}
	if ix.inSets {
		ix.sets.aheadFirst(int32(n))
	} else {
		ahead.Of(&ix.byNode[n])
	}
	switch {
	case !ix.racked:
	case len(ix.byRack) > 0:
		ahead.Of(&ix.byRack[s.rackOf[n]])
	default:
		ix.sets.aheadFirst(ix.rackSet(s.rackOf[n]))
	}
}

// AheadMaps asks for the maps with which the lists or sets of a node and of its rack begin, the third step.
func (s *Store) AheadMaps(id model.JobID, n model.NodeID) {
	ix := s.by(id, n)
	if ix == nil {
		return
	}
	if ix.inSets {
		ix.sets.ahead(int32(n))
	} else {
		ix.byNode.ahead(int32(n))
	}
	switch {
	case !ix.racked:
	case len(ix.byRack) > 0:
		ix.byRack.ahead(int32(s.rackOf[n]))
	default:
		ix.sets.ahead(ix.rackSet(s.rackOf[n]))
	}
}

// known returns the index of a job, nil if it has not been made.
func (s *Store) known(id model.JobID) *Index {
	if int(id) < len(s.indexes) {
		return s.indexes[id]
	}
	return nil
}

// by returns the index of a job if it has been made and has a list or set of the node, else nil.
func (s *Store) by(id model.JobID, n model.NodeID) *Index {
	if ix := s.known(id); ix != nil && ix.shift == 0 && int32(n) < ix.count {
		return ix
	}
	return nil
}

// ahead asks for the first number of a list.
func (l lists) ahead(list int32) {
	if at := l[list]; at >= 0 {
		ahead.Of(&l[at])
	}
}

// aheadFirst asks for where a set says which word comes first or, if it is short, for its words.
func (s *sets) aheadFirst(set int32) {
	ahead.Of(&s.words[(set+1)*s.size-1])
}

// ahead asks for the word of a set in which its first pending block stands. A short set has come already.
func (s *sets) ahead(set int32) {
	if words := s.of(set); len(words) > short {
		ahead.Of(&words[words[len(words)-1]])
	}
}
