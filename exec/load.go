// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"errors"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// The looks that whoever drives takes at the work under way.

// Full reports whether hosts have disks and cores, so that there is a load to look at.
func (e *Executor) Full() bool { return e.shared != nil && e.shared.steps.full }

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
	if int(j.Slot) >= len(e.jobs) || e.of(j).job != j {
		return nil // it has not entered
	}
	return e.of(j).waiting
}

// Computing returns how many reduces of a job have all their data.
func (e *Executor) Computing(j *cluster.Job) int32 { return e.of(j).computing }

// At returns a running attempt, valid until the next call of the executor.
func (e *Executor) At(id ID) *Attempt { return e.at(id) }

// OnNode returns the attempts on a node in order of task and number. The site asked for lists.
func (e *Executor) OnNode(node model.NodeID) []ID { return e.onNode(node) }

// OfJob returns the attempts of a job that keep accepts, in order of task and number. The site
// asked for lists.
func (e *Executor) OfJob(j *cluster.Job, keep func(*Attempt) bool) []ID {
	return e.ofJob(e.of(j).first, keep)
}

// Running lists all attempts, for checks.
func (e *Executor) Running() (list []cluster.Attempt) {
	for i := range e.attempts {
		if a := &e.attempts[i]; a.taken {
			list = append(list, cluster.Attempt{Task: a.Task, Node: a.Node})
		}
	}
	return list
}

// Check verifies that no resource is above its capacity.
func (e *Executor) Check(now model.Time) error {
	if e.shared == nil {
		return nil
	}
	return e.shared.check(now)
}

// Stalled returns an error that names activities which can never end, nil if there are none.
func (e *Executor) Stalled() error {
	if e.shared == nil {
		return nil
	}
	if err := e.shared.solver.Stalled(); err != nil {
		return errors.New(err.Error())
	}
	return nil
}

// Stored returns what jobs have on the disks of all hosts, if the site asked for files.
func (e *Executor) Stored() model.Bytes { return model.Bytes(e.shared.files.stored) }

// CPU returns what the hardware threads of all hosts do now, as shares of them: work, and wait for a disk.
// A thread waits if it is idle and a task, or one of the kernel's own threads that write pages back
// (ioThreads for each busy disk), stands before a disk. The rest is idle, as vmstat counts it.
func (e *Executor) CPU(now model.Time, ioThreads float64) (work, wait float64) {
	p := e.shared
	p.sync(now)
	busy, all, waiting := 0.0, 0.0, 0.0
	for h := range p.hardware.clock {
		used, capacity := p.solver.Load(p.hardware.core(h))
		busy, all = busy+used, all+capacity
		if written, _ := p.solver.Load(p.hardware.disk(h)); written > 0 {
			waiting += ioThreads
		}
	}
	for i := range p.steps.list {
		w := &p.steps.list[i]
		fetches := w.step == stepFetch && w.group != none && p.shuffles.group(w.group).open > 0
		if (fetches || w.handle != 0) && w.step != stepFlush {
			waiting += 1 - p.steps.coreUse(w)
		}
	}
	return busy / all, max(0, min(waiting, all-busy)/all)
}

// coreUse returns how much of a core a work uses now.
func (s *steps) coreUse(w *work) float64 {
	rate, ok := s.solver.Rate(w.handle)
	if !ok {
		return 0
	}
	c, clock := &s.Config.Tasks, s.clock[s.host(w.node)]
	switch w.step {
	case stepBoot, stepCompute:
		return min(rate, 1)
	case stepMerge:
		return min(rate*c.MergeCycles/clock/2, 1)
	case stepRead, stepFinal:
		if c.Overlap {
			return min(rate*s.cycles(w)/clock, 1)
		}
	}
	return 0
}

// Disk returns how much of its throughput the busiest disk gives now. CPU has brought the solver to now.
func (e *Executor) Disk() (load float64) {
	p := e.shared
	for h := range p.hardware.clock {
		if used, capacity := p.solver.Load(p.hardware.disk(h)); capacity > 0 {
			load = max(load, min(used/capacity, 1))
		}
	}
	return load
}
