// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// speculator looks for tasks that straggle as the masters of Hadoop 3 do (DefaultSpeculator with
// LegacyTaskRuntimeEstimator). A task is estimated to take as long as its progress says, which is in proportion to its
// time here; it is tried again if that is longer than the mean and the standard deviation of those that have ended, and if a
// new attempt of mean length would end sooner.
type speculator struct {
	*world
	rules  *handover.Speculation
	faults *faults
	floor  *handover.Floor
	ends   []model.Time // by attempt: when it will end
}

// note notes when an attempt will end: where tasks are replayed, this is all that they wait for.
func (s *speculator) note(end model.Time, id exec.ID) {
	for int(id) >= len(s.ends) {
		s.ends = append(s.ends, 0)
	}
	s.ends[id] = end
}

// look looks at the tasks of a job, and plans the next look until the job has ended.
func (s *speculator) look(now model.Time, id model.JobID) {
	j := s.state.Job(id)
	if j == nil || j.Phase != cluster.Admitted {
		return
	}
	next := s.rules.Again
	for k := range model.Kind(model.Kinds) {
		if t, found := s.worst(now, j, k); found && s.floor.Double(now, t) {
			s.faults.double(now, j, t)
			next = s.rules.After
		}
	}
	s.planLook(now+next, id)
}

// worst returns the task of a kind whose second attempt would gain most.
func (s *speculator) worst(now model.Time, j *cluster.Job, k model.Kind) (worst model.Task, found bool) {
	r := s.run(j)
	ended := &r.ended[k]
	if !s.rules.Kinds[k] || j.Pending(k) > 0 || ended.Count == 0 || float64(ended.Count) < leastEnded*float64(j.Total[k]) {
		return worst, false
	}
	seconds := 0
	for t := range r.seconds {
		if t.Kind == k {
			seconds++
		}
	}
	most := max(float64(s.rules.Least), s.rules.OfAll*float64(j.Total[k]), s.rules.OfRunning*float64(int(j.Running[k])-seconds))
	if float64(seconds) >= most {
		return worst, false
	}
	mean, deviation := ended.Mean(), ended.Deviation()
	best := model.Time(0)
	for _, id := range s.exec.OfJob(j, func(a *exec.Attempt) bool { return a.Task.Kind == k }) {
		a := s.exec.At(id)
		worked := a.Worked(now)
		if _, doubled := r.seconds[a.Task]; doubled || worked == 0 {
			continue
		}
		end := s.ends[id]
		if float64(end-(now-worked)) <= mean+s.rules.Threshold*deviation {
			continue
		}
		if gain := end - (now + model.Time(mean)); gain > best && !handover.Doubled(s.floor, a.Task) {
			worst, found, best = a.Task, true, gain
		}
	}
	return worst, found
}

// leastEnded is the share of the tasks that must have ended before any is tried again.
const leastEnded = 0.05
