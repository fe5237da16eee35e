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
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// crowd is from how many jobs that want room on it pays to look ahead. What is looked at of fewer of them has a place in a
// cache of 2 MB, and to ask for it takes about as long as two pushes and pops on a heap.
const crowd = 3000

// Sight looks ahead. Nothing but time depends on what it sees.
type Sight struct {
	Crowd    int32 // from how many jobs that want room on it looks; New sets what pays
	policy   policy.Foreseer
	cluster  *cluster.State
	blocks   *hdfs.Store
	exec     *exec.Executor
	recorder record.Keeper  // nil if it keeps nothing about jobs
	keepers  []ahead.Keeper // all others that look at what they keep about a job when a task of it starts
	seats    []keyed.Seat
}

// New returns a sight of what the policy foresees, of whose jobs that many are asked at an offer.
func New(f policy.Foreseer, asked int, state *cluster.State, blocks *hdfs.Store, executor *exec.Executor, recorder record.Recorder, others ...ahead.Keeper) *Sight {
	s := &Sight{Crowd: crowd, policy: f, cluster: state, blocks: blocks, exec: executor, keepers: append(others, executor), seats: make([]keyed.Seat, asked+1)}
	s.recorder, _ = recorder.(record.Keeper)
	return s
}

// Look is called when an attempt is about to end, with the attempt that ends after it. The jobs that are asked then are asked on
// its node: what lies there of their blocks is asked for. For the one behind them, which has not been looked at for long, it is
// asked for all that is kept about it. To ask at once for what a job keeps and for where that leads would mean to wait.
func (s *Sight) Look(ends, next exec.ID) {
	a := s.exec.At(ends)
	if s.recorder != nil { // which has not looked for long at the job of an attempt that ends
		s.recorder.Ahead(s.exec.At(next).Task.Job)
	}
	jobs := s.policy.Foresee(s.cluster.Topology.Model.Pool(a.Task.Kind), s.seats)
	last := len(jobs) - 1
	if last < 1 {
		return
	}
	s.blocks.AheadOn(a.Node, jobs[:last])
	if last == 1 { // the only one that is asked takes what lies in the rack if there is nothing on the node
		s.blocks.AheadIn(a.Node, model.JobID(jobs[0].Tie))
	}
	s.cluster.At(jobs[last-1].ID).Ahead()
	slot, id := jobs[last].ID, model.JobID(jobs[last].Tie)
	ahead.Lines(s.cluster.At(slot))
	s.blocks.Ahead(id)
	if s.recorder != nil {
		s.recorder.Ahead(id)
	}
	for _, k := range s.keepers {
		k.Ahead(slot)
	}
}
