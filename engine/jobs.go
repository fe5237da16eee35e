// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
)

// submit makes a job known to the cluster and asks for its admission.
func (s *sim) submit(now model.Time, id model.JobID) {
	j := s.state.AddJob(now, &s.in.Jobs[id])
	s.lowerLeast(j)
	s.record(now, record.JobSubmitted, model.Task{Job: id}, model.None, 0)
	if s.yarn != nil {
		s.requestMaster(now, j)
		return
	}
	s.apply(now, j)
}

// apply tells the policy of a job, and lets in whom it admits.
func (s *sim) apply(now model.Time, j *cluster.Job) {
	if limit, refused := s.driver.Submit(now, j); refused {
		s.refuse(now, j, limit)
		return
	}
	s.planTick()
	s.admit(now)
}

// refuse turns a job away for good. Those that wait for its end need not wait.
func (s *sim) refuse(now model.Time, j *cluster.Job, limit model.Limit) {
	j.Leave()
	s.result.Ended++
	s.event.Limit = limit
	s.record(now, record.JobRefused, model.Task{Job: j.ID}, model.None, 0)
	s.startHeirs(now, j)
	s.state.RemoveJob(j)
}

// startHeirs submits the jobs that waited for the end of j, after their think time.
func (s *sim) startHeirs(now model.Time, j *cluster.Job) {
	for _, heir := range s.jobs[j.ID].heirs {
		s.queue.Push(now+s.in.Jobs[heir].Submit, event{kind: submit, job: heir})
	}
	s.jobs[j.ID] = jobRun{}
}

// admit lets in as many waiting jobs as the policy allows.
func (s *sim) admit(now model.Time) {
	for {
		j, held, limit := s.driver.NextAdmitted(now)
		if j == nil {
			if held != nil {
				s.offer.Now = now
				s.blocked(held, limit)
			}
			return
		}
		s.enter(now, j)
	}
}

// enter lets a job be given room, and offers it what is free.
func (s *sim) enter(now model.Time, j *cluster.Job) {
	r := &s.jobs[j.ID]
	j.Admit()
	s.state.Active++
	s.record(now, record.JobAdmitted, model.Task{Job: j.ID}, model.None, 0)
	s.driver.Admitted(now, j)
	for k := range model.Kind(model.Kinds) {
		r.samplers[k] = rng.NewSampler(s.lengths[k], j.ID, s.in.Jobs[j.ID].Lengths(k))
	}
	r.slowed = j.Total[model.Reduce] > 0
	if s.in.Config.Faults.nodes() && j.Total[model.Reduce] > 0 {
		r.where = make([]model.NodeID, j.Total[model.Map])
		for i := range r.where {
			r.where[i] = model.None
		}
	}
	if rules := &s.in.Config.Faults.Speculation; rules.On {
		s.queue.Push(now+rules.Interval, event{kind: speculation, job: j.ID})
	}
	if s.phys != nil && j.Total[model.Reduce] > 0 {
		r.shuffle = s.newShuffle(&s.in.Jobs[j.ID])
	}
	if r.slowed && r.slowStart == 0 {
		s.release(now, j)
	}
	if j.Complete() {
		s.endJob(now, j)
		return
	}
	s.updateWants(now, j, model.Map)
	s.updateWants(now, j, model.Reduce)
	s.offerNear(now, j)
	s.wakeAll(now)
}

// endJob takes a finished job out, starts those that waited for it, and lets others in.
func (s *sim) endJob(now model.Time, j *cluster.Job) {
	s.updateWants(now, j, model.Map)
	s.updateWants(now, j, model.Reduce)
	j.Leave()
	s.state.Active--
	s.result.Ended++
	s.recordMoved(now, j.ID)
	if err := s.checkShuffle(now, j.ID); err != nil {
		s.failed = err
	}
	s.record(now, record.JobEnded, model.Task{Job: j.ID}, model.None, 0)
	s.driver.Left(now, j)
	s.blocks.Release(j.ID)
	s.startHeirs(now, j)
	s.planTick()
	if s.phys != nil && s.phys.files != nil {
		s.phys.files.drop(j.ID)
	}
	if s.yarn != nil {
		s.endApp(now, j.ID)
	}
	s.state.RemoveJob(j)
	s.admit(now)
}

// release lets the reduces of a job start: its slow start has passed.
func (s *sim) release(now model.Time, j *cluster.Job) {
	s.jobs[j.ID].slowed = false
	s.ramp(j)
	s.event.Count = j.Eligible[model.Reduce]
	s.record(now, record.TasksEligible, model.Task{Job: j.ID, Kind: model.Reduce}, model.None, 0)
}

// updateWants tells the policy when the job begins or ceases to want room of a pool, after the
// tasks of kind k have changed.
func (s *sim) updateWants(now model.Time, j *cluster.Job, k model.Kind) {
	r := &s.jobs[j.ID]
	if s.model == model.Slots {
		if w := j.Wants(k) > 0; w != r.wants[k] {
			s.setWants(now, j, r, int(k), w)
		}
		return
	}
	if w := j.Wants(model.Map) > 0 || j.Wants(model.Reduce) > 0; w != r.wants[0] {
		s.setWants(now, j, r, 0, w)
	}
}

func (s *sim) setWants(now model.Time, j *cluster.Job, r *jobRun, pool int, wants bool) {
	r.wants[pool] = wants
	if wants {
		s.wanting[pool]++
		s.beats.dry[pool] = false
	} else {
		s.wanting[pool]--
	}
	s.driver.Wants(now, j, pool, wants)
}

// blocked receives what a policy says about a job that it held back.
func (s *sim) blocked(j *cluster.Job, limit model.Limit) {
	if limit != model.LimitLocality {
		s.limited = true
	}
	if limit == model.LimitPartition { // a job that has changed its part may use room that nobody wanted
		s.beats.dry = [model.Kinds]bool{}
	}
	if s.limits[j.ID] == limit {
		return
	}
	s.limits[j.ID] = limit
	s.event.Limit = limit
	s.record(s.offer.Now, record.JobBlocked, model.Task{Job: j.ID}, model.None, 0)
}
