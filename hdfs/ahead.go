// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/model"
)

// A look-up on a node goes from the index to the beginning of the node's list and from there to its first map: three places
// in memory, each of which says where the next one is. So it is asked for them in three steps, some time apart.

// Ahead implements ahead.Keeper: it asks for what look-ups need of the job's index, the first step.
func (s *Store) Ahead(_ int32, id model.JobID) { ahead.Lines(s.known(id), 2) }

// AheadLists asks where the lists of a node and of its rack begin, the second step.
func (s *Store) AheadLists(id model.JobID, n model.NodeID) {
	if ix := s.known(id); ix != nil && ix.shift == 0 && int(n) < len(s.rackOf) && int(n) < len(ix.byNode.first) {
		ahead.Of(&ix.byNode.first[n])
		if ix.racked {
			ahead.Of(&ix.byRack.first[s.rackOf[n]])
		}
	}
}

// AheadMaps asks for the maps with which the lists of a node and of its rack begin, the third step.
func (s *Store) AheadMaps(id model.JobID, n model.NodeID) {
	if ix := s.known(id); ix != nil && ix.shift == 0 && int(n) < len(s.rackOf) && int(n) < len(ix.byNode.first) {
		ix.byNode.ahead(int32(n))
		if ix.racked {
			ix.byRack.ahead(int32(s.rackOf[n]))
		}
	}
}

// known returns the index of a job, nil if it has not been made.
func (s *Store) known(id model.JobID) *Index {
	if int(id) < len(s.indexes) {
		return s.indexes[id]
	}
	return nil
}

// ahead asks for the first entry of a list.
func (l *lists) ahead(list int32) {
	if at := l.first[list]; at >= 0 {
		ahead.Of(&l.entries[at])
	}
}
