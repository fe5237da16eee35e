// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// The looks that whoever drives takes at the work under way.

// Counts returns how many activities were begun and how often rates were refreshed on the tick.
func (e *Executor) Counts() (activities, refreshes int64) {
	if e.shared == nil {
		return 0, 0
	}
	return e.shared.activities, e.shared.refreshes
}

// Waiting returns the reduces of a job that hold room while maps run, in order of their starts. It is
// valid until the next call of the executor.
func (e *Executor) Waiting(j *cluster.Job) []ID {
	if j.Slot >= e.jobs.Len() || e.of(j).job != j {
		return nil // it has not entered
	}
	return e.of(j).waiting
}

// Computing returns how many reduces of a job have all their data.
func (e *Executor) Computing(j *cluster.Job) int32 { return e.of(j).computing }

// At returns a running attempt, valid until the next call of the executor.
func (e *Executor) At(id ID) *Attempt { return e.at(id) }

// OnNode returns the attempts on a node in order of task and number. The site asked for lists.
func (e *Executor) OnNode(node model.NodeID) []ID { return e.attempts.OnNode(node) }

// OfJob returns the attempts of a job that keep accepts, in order of task and number. The site
// asked for lists.
func (e *Executor) OfJob(j *cluster.Job, keep func(*Attempt) bool) []ID {
	return e.attempts.OfJob(e.of(j).first, keep)
}

// Running lists all attempts, for checks.
func (e *Executor) Running() (list []cluster.Attempt) {
	e.attempts.All(func(_ ID, a *Attempt) { list = append(list, cluster.Attempt{Task: a.Task, Node: a.Node}) })
	return list
}

// Check verifies that no resource is above its capacity, and what circuits promise.
func (e *Executor) Check(now model.Time) error {
	if e.shared == nil {
		return nil
	}
	if o := e.shared.shuffles.optics; o != nil {
		if err := o.circuits.Check(now); err != nil {
			return err
		}
	}
	return e.shared.check(now)
}

// Stalled returns an error that names activities which can never end, nil if there are none.
func (e *Executor) Stalled() error {
	if e.shared == nil {
		return nil
	}
	return e.shared.solver.Stalled()
}
