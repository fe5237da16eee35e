// SPDX-License-Identifier: Apache-2.0

// Package foresight has the memory of jobs come before they are served. Where a policy shares fairly among thousands of
// waiting jobs, each task that starts is another job's, of which nothing is near the processor: to wait for it, line by
// line, takes longer than everything that is done. Which jobs will be served is known some tasks before, and so is where:
// on the node of the next task that ends. In large clusters the attempts and the nodes are far away as well, whoever is served.
package foresight

import (
	"math"

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

// vast is from how many nodes on it pays to ask for what ends next. Of 1,000 nodes what runs has a place in a cache of 1 MB.
const vast = 4000

// Sight looks ahead. Nothing but time depends on what it sees.
type Sight struct {
	Crowd   int32 // from how many jobs that want room on it looks at jobs; New sets what pays
	Vast    bool  // it looks at nodes and at what runs on them; New sets this as well
	crowded bool
	seer    policy.Foreseer
	policy  ahead.Keeper
	cluster *cluster.State
	blocks  *hdfs.Store
	exec    *exec.Executor
	records record.Keeper // nil if the recorder keeps nothing about jobs
	seats   []keyed.Seat
	batch   ahead.Batch // of what one look asks for
}

// New returns a sight of what a policy foresees, which asks that many jobs at an offer; the keeper keeps what it knows of them. If it
// foresees nothing, f is nil. The result is nil where no look ahead pays.
func New(f policy.Foreseer, asked int, keeper ahead.Keeper, state *cluster.State, blocks *hdfs.Store, executor *exec.Executor, recorder record.Recorder) *Sight {
	s := &Sight{Crowd: crowd, Vast: len(state.Nodes) >= vast, seer: f, policy: keeper, cluster: state, blocks: blocks, exec: executor, seats: make([]keyed.Seat, asked+1)}
	s.records, _ = recorder.(record.Keeper)
	if f == nil {
		s.Crowd = math.MaxInt32
		if !s.Vast {
			return nil
		}
	}
	return s
}

// Pays reports whether a look ahead pays while that many jobs want room.
func (s *Sight) Pays(wanting int32) bool {
	s.crowded = wanting >= s.Crowd
	return s.crowded || s.Vast
}

// Look is called where it pays, when an attempt is about to end, with the attempt that ends after it and the slot of its job. That
// attempt and its job have not been looked at for long, so what their end looks at is asked for.
//
// The jobs that are asked when the first one ends are asked on its node: what lies there of their blocks is asked for. For the job
// behind them, which has not been looked at for long either, it is asked for all that is kept about it. To ask at once for what a job
// keeps and for where that leads would mean to wait.
func (s *Sight) Look(ends, next exec.ID, own int32) {
	batch := &s.batch
	if s.Vast {
		ahead.Item(batch, s.cluster.Nodes, int(s.exec.At(ends).Node))
	}
	s.exec.AheadOf(batch, next)
	if s.crowded {
		ahead.Line(batch, s.cluster.At(own))
		s.policy.Ahead(own)
		s.lookOn(s.exec.At(ends))
		if s.records != nil {
			s.records.Ahead(batch, s.exec.At(next).Task.Job)
		}
	}
	batch.Ask()
}

// lookOn is Look for who is asked when an attempt ends.
func (s *Sight) lookOn(a *exec.Attempt) {
	jobs := s.seer.Foresee(s.cluster.Topology.Model.Pool(a.Task.Kind), s.seats)
	last := len(jobs) - 1
	if last < 1 {
		return
	}
	batch := &s.batch
	s.blocks.AheadOn(batch, a.Node, jobs[:last])
	if last == 1 { // the only one that is asked takes what lies in the rack if there is nothing on the node
		s.blocks.AheadIn(batch, a.Node, model.JobID(jobs[0].Tie))
	}
	s.cluster.At(jobs[last-1].ID).Ahead(batch)
	slot, id := jobs[last].ID, model.JobID(jobs[last].Tie)
	ahead.Lines(batch, s.cluster.At(slot))
	s.blocks.Ahead(batch, id)
	s.exec.Ahead(batch, slot)
	s.policy.Ahead(slot)
	if s.records != nil {
		s.records.Ahead(batch, id)
	}
}
