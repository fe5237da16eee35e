// SPDX-License-Identifier: Apache-2.0

// Package foresight has the memory of jobs come before they are served. Where a policy shares fairly among thousands of
// waiting jobs, each task that starts is another job's, of which nothing is near the processor: to wait for it, line by
// line, takes longer than everything that is done. Which jobs will be served is known some tasks before, and so is where:
// on the node of the next task that ends.
package foresight

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/policy"
)

// crowd is from how many jobs that want room on it pays to look ahead. What is looked at of fewer of them has a place in a
// cache of 2 MB, and to ask for it takes about as long as two pushes and pops on a heap.
const crowd = 3000

// Sight looks ahead. Nothing but time depends on what it sees.
type Sight struct {
	Crowd   int32 // from how many jobs that want room on it looks; New sets what pays
	policy  policy.Foreseer
	cluster *cluster.State
	blocks  *hdfs.Store
	exec    *exec.Executor
	keepers []ahead.Keeper // all others that look at what they keep about a job when a task of it starts, and when it ends
}

// New returns a sight of what the policy foresees.
func New(f policy.Foreseer, state *cluster.State, blocks *hdfs.Store, executor *exec.Executor, keepers []ahead.Keeper) *Sight {
	return &Sight{crowd, f, state, blocks, executor, keepers}
}

// Look is called when an attempt is about to end, with the attempt that ends after it. As each end makes room for one job, it
// goes one step ahead for each of those that are foreseen: for the last of them to what is kept about a job, for the one before
// it to the list in which its maps stand by node, and for the first to the maps themselves. To ask where nothing was asked for
// a step before would mean to wait.
func (s *Sight) Look(ends, next exec.ID) {
	a, b := s.exec.At(ends), s.exec.At(next)
	pool := s.pool(a)
	first, second, third := s.policy.Foresee(pool)
	if third.Slot < 0 {
		return
	}
	s.blocks.AheadMaps(first.ID, a.Node)
	if s.pool(b) == pool {
		s.blocks.AheadLists(second.ID, b.Node)
		s.cluster.At(second.Slot).Ahead()
	}
	ahead.Lines(s.cluster.At(third.Slot), 2)
	s.exec.Ahead(third.Slot, third.ID)
	s.blocks.Ahead(third.Slot, third.ID)
	for _, k := range s.keepers {
		k.Ahead(third.Slot, third.ID)
	}
}

// pool returns the pool of room to which an attempt gives back.
func (s *Sight) pool(a *exec.Attempt) int { return s.cluster.Topology.Model.Pool(a.Task.Kind) }
