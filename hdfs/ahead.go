// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
)

// A look-up on a node goes from the index to the node's list or set: the index says where that is, so it is asked for some time
// before.

// Ahead adds what look-ups need of the job's index to what is asked for.
func (s *Store) Ahead(batch *ahead.Batch, id model.JobID) {
	ahead.Lines(batch, s.indexes.Near(int32(id)))
}

// AheadOn adds what lies on a node of the blocks of some jobs whose indexes are at hand. They are named by their ties.
func (s *Store) AheadOn(batch *ahead.Batch, n model.NodeID, jobs []keyed.Seat) {
	for i := range jobs {
		ix := s.indexes.Near(jobs[i].Tie)
		if ix == nil || ix.shift != 0 {
			continue
		}
		if ix.is.all(inSets) {
			ahead.Either(batch, ix.maybe.bit(n), ix.sets.words, int(n)*int(ix.sets.size), ix)
		} else {
			ahead.Either(batch, ix.maybe.bit(n), ix.byNode, int(n), ix)
		}
	}
}

// AheadIn adds what lies in the rack of a node of the blocks of a job whose index is at hand.
func (s *Store) AheadIn(batch *ahead.Batch, n model.NodeID, id model.JobID) {
	ix := s.known(id)
	if ix != nil && ix.is.all(inSets|racksKnown) && int32(n) < ix.count {
		ahead.Item(batch, ix.sets.words, int(ix.rackSet(s.rackOf[n]))*int(ix.sets.size))
	}
}

// known returns the index of a job, nil if it has not been made.
func (s *Store) known(id model.JobID) *Index {
	if ix := s.indexes.Near(int32(id)); ix != nil && ix.store != nil {
		return ix
	}
	return nil
}
