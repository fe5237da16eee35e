// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// lengths sums up the ended tasks of one kind of a job, for speculation.
type lengths struct {
	sum   model.Time
	count int32
}

// speculate looks for a task of the job that seems to straggle and asks for a second attempt, if the job has
// nothing else to start. It looks again after the interval, until the job ends.
func (s *sim) speculate(now model.Time, id model.JobID) {
	j := s.state.Job(id)
	if j == nil || j.Phase != cluster.Admitted {
		return
	}
	rules := &s.in.Config.Faults.Speculation
	s.queue.Push(now+rules.Interval, event{kind: speculation, job: id})
	for k := range model.Kind(model.Kinds) {
		most := max(1, int32(float64(rules.Share)*float64(j.Total[k])))
		ended := s.jobs[id].ended[k]
		if j.Running[k] == 0 || j.Pending(k) > 0 || j.Doubled[k] >= most || ended.count == 0 {
			continue
		}
		mean := float64(ended.sum) / float64(ended.count)
		if r, found := s.slowest(now, j, k, max(rules.After, model.Time(rules.Slower*mean))); found {
			s.double(now, j, r.task)
		}
	}
}

// slowest finds the attempt of a task without a second one that has worked longest, and more than so
// long.
func (s *sim) slowest(now model.Time, j *cluster.Job, k model.Kind, than model.Time) (slow runner, found bool) {
	for _, r := range s.runners(now, func(t model.Task, _ model.NodeID) bool { return t.Job == j.ID && t.Kind == k }) {
		if _, doubled := s.jobs[j.ID].seconds[r.task]; !doubled && r.worked > than {
			slow, found, than = r, true, r.worked
		}
	}
	return slow, found
}

// double makes a running task pending for a second attempt.
func (s *sim) double(now model.Time, j *cluster.Job, t model.Task) {
	run := &s.jobs[j.ID]
	if run.seconds == nil {
		run.seconds = map[model.Task]bool{}
	}
	run.seconds[t] = false
	run.again(t, run.attempts[t])
	s.state.Double(t)
	s.reopen(t)
	s.record(now, record.TaskDoubled, t, model.None, 0)
	s.updateWants(now, j, t.Kind)
	s.wakeAll(now)
}

// dropOther ends the other attempt of a task that has just ended, and offers its room.
func (s *sim) dropOther(now model.Time, j *cluster.Job, t model.Task) {
	run := &s.jobs[j.ID]
	started := run.seconds[t]
	delete(run.seconds, t)
	if !started {
		s.state.Single(t)
		s.event.Length, s.event.Stage = 0, record.Waiting
		s.record(now, record.TaskDropped, t, model.None, 0)
		return
	}
	for _, r := range s.runners(now, func(other model.Task, _ model.NodeID) bool { return other == t }) {
		s.stop(now, &r)
		s.state.Drop(t, r.node)
		s.record(now, record.TaskDropped, t, r.node, r.number)
		s.driver.Killed(now, j, t, r.node)
		s.idled = append(s.idled, r.node)
	}
}
