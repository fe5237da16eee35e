// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// Progress is what the MapReduce application master reports of a job: 5 % for its set-up, 45 % each for
// maps and reduces (90 % if it has only one kind), and 5 % for a clean-up that it never reports of a job
// that succeeds, so that it stands at 95 % until the job has ended. A map is two thirds reading and one
// third sorting, a reduce a third each copying, sorting and reducing. Reports of tasks come every few
// seconds in Hadoop; here they are fresh. Without shared resources only tasks that have ended count.

// partial is the sum of the progress of a job's running tasks, by kind.
type partial [model.Kinds]float64

// readProgress adds up the progress of all running tasks.
func (s *sim) readProgress() {
	y, p := s.yarn, s.phys
	if y.partial == nil {
		y.partial = make([]partial, len(s.in.Jobs))
	}
	clear(y.partial)
	if p == nil {
		return
	}
	for i := range p.attempts {
		if a := &p.attempts[i]; a.step != stepNone && a.step != stepFlush {
			y.partial[a.task.Job][a.task.Kind] += s.attemptProgress(a)
		}
	}
}

// attemptProgress returns how far an attempt has come.
func (s *sim) attemptProgress(a *attempt) float64 {
	done := 0.0
	if left, ok := s.phys.solver.Left(a.handle); ok && a.work > 0 {
		done = 1 - left/a.work
	}
	if a.task.Kind == model.Map {
		switch a.step {
		case stepRead, stepCompute, stepSpill:
			return done * 2 / 3
		case stepMerge, stepWrite:
			return (2 + done) / 3
		}
		return 0
	}
	switch a.step {
	case stepFetch:
		return s.copied(a) / 3
	case stepMerge:
		return (1 + done) / 3
	case stepFinal, stepCompute:
		if s.in.Config.Tasks.StreamOutput {
			return (2 + done) / 3
		}
		return (2 + done/2) / 3
	case stepWrite:
		return (2.5 + done/2) / 3
	}
	return 0
}

// copied returns the share of the maps whose output a reduce has fetched.
func (s *sim) copied(a *attempt) float64 {
	maps := s.in.Jobs[a.task.Job].Maps
	if a.group == model.None || maps == 0 {
		return 0
	}
	g := &s.phys.groups[a.group]
	n := 0.0
	for i := range g.fetches {
		f := &g.fetches[i]
		n += float64(f.taken)
		if left, ok := s.phys.solver.Left(f.handle); ok && f.work > 0 {
			n -= float64(f.flying) * left / f.work
		}
	}
	return min(n/float64(maps), 1)
}

// progress returns what the resource manager shows of a job, from 0 to 1. readProgress comes before it.
func (s *sim) progress(id model.JobID) float64 {
	j, a := s.state.Job(id), &s.yarn.apps[id]
	switch {
	case a.state == tune.Finished:
		return 1
	case j == nil || j.Phase != cluster.Admitted:
		return 0
	}
	share := [model.Kinds]float64{0.45, 0.45}
	if j.Total[model.Reduce] == 0 {
		share = [model.Kinds]float64{0.9, 0}
	} else if j.Total[model.Map] == 0 {
		share = [model.Kinds]float64{0, 0.9}
	}
	sum := 0.05
	for k, total := range j.Total {
		if total > 0 {
			sum += share[k] * min((float64(j.Done[k])+s.yarn.partial[id][k])/float64(total), 1)
		}
	}
	return sum
}

// endApp takes a job out that has ended: its master unregisters.
func (s *sim) endApp(now model.Time, id model.JobID) {
	y := s.yarn
	y.apps[id].state = tune.Finished
	s.queue.Push(now+y.rules.AMStay, event{kind: masterEnds, job: id})
}
