// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/model"
)

// A look-up on a node goes from the index to the node's list or set: the index says where that is, so it is asked for some time
// before.

// Ahead asks for what look-ups need of the job's index.
func (s *Store) Ahead(id model.JobID) { ahead.Lines(s.known(id), 2) }

// AheadOn asks for what lies on a node of the blocks of a job whose index is at hand.
func (s *Store) AheadOn(n model.NodeID, id model.JobID) {
	ix := s.known(id)
	if ix == nil || ix.shift != 0 || int32(n) >= ix.count {
		return
	}
	if ix.is.all(inSets) {
		ahead.Of(&ix.sets.of(int32(n))[0])
	} else {
		ahead.Of(&ix.byNode[n])
	}
}

// AheadIn asks for what lies in the rack of a node of the blocks of a job whose index is at hand.
func (s *Store) AheadIn(n model.NodeID, id model.JobID) {
	ix := s.known(id)
	if ix != nil && ix.is.all(inSets|racksKnown) && int32(n) < ix.count {
		ahead.Of(&ix.sets.of(ix.rackSet(s.rackOf[n]))[0])
	}
}

// known returns the index of a job, nil if it has not been made.
func (s *Store) known(id model.JobID) *Index {
	if int(id) < len(s.indexes) {
		return s.indexes[id]
	}
	return nil
}
