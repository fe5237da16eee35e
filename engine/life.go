// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// life takes jobs from submission to their end.
type life struct {
	*world
	floor   *floor
	crew    *crew
	manager manager                       // nil without application masters
	chores  *chores                       // nil if jobs have neither set-up nor clean-up tasks
	heirs   map[model.JobID][]model.JobID // jobs that are submitted when another has ended

	tickAt  model.Time // when the policy's clock ticks next, Forever if it stands still
	ticking des.Handle
}

// loadArrivals queues the jobs that have a submission time, and links the others to the job that
// they wait for.
func (l *life) loadArrivals() {
	jobs := l.in.Jobs
	arrivals := make([]des.Timed[event], 0, len(jobs))
	for i := range jobs {
		if j := &jobs[i]; j.After != model.None {
			l.heirs[j.After] = append(l.heirs[j.After], j.ID)
		} else {
			arrivals = append(arrivals, des.Timed[event]{Time: j.Submit, Payload: jobEvent(submit, j.ID)})
		}
	}
	l.queue.Load(arrivals)
}

// submit makes a job known to the cluster, and asks for its admission when its master has started, if it
// has one.
func (l *life) submit(now model.Time, id model.JobID) {
	j := l.addJob(now, &l.in.Jobs[id])
	l.floor.expect(j)
	l.recordJob(now, record.JobSubmitted, id)
	if l.manager != nil {
		l.manager.submitted(now, j)
		return
	}
	l.apply(now, j)
	if j.Phase == cluster.Submitted && j.Driven.Limit == model.LimitRoom { // nobody has looked at it yet
		j.Driven.Limit = model.LimitInit
		l.records.SendLimit(now, record.JobBlocked, j.ID, model.LimitInit)
	}
}

// apply tells the policy of a job, and lets in the jobs that it admits.
func (l *life) apply(now model.Time, j *cluster.Job) {
	if limit, refused := l.driver.Submit(now, j); refused {
		l.refuse(now, j, limit)
		return
	}
	l.planTick()
	l.admit(now)
}

// refuse turns a job away for good. Those that wait for its end need not wait.
func (l *life) refuse(now model.Time, j *cluster.Job, limit model.Limit) {
	j.Leave()
	l.records.SendLimit(now, record.JobRefused, j.ID, limit)
	l.gone(now, j)
}

// gone takes a job out that was refused or has ended, and submits those that waited for it after their
// think time.
func (l *life) gone(now model.Time, j *cluster.Job) {
	l.result.Ended++
	for _, heir := range l.heirs[j.ID] {
		l.queue.Push(now+l.in.Jobs[heir].Submit, jobEvent(submit, heir))
	}
	delete(l.heirs, j.ID)
	l.planTick()
	if l.manager != nil {
		l.manager.over(now, j.ID)
	}
	l.state.RemoveJob(j)
}

// admit lets in as many waiting jobs as the policy allows.
func (l *life) admit(now model.Time) {
	for {
		j, held, limit := l.driver.NextAdmitted(now)
		if j == nil {
			if held != nil {
				l.floor.offer.Now = now
				l.floor.blocked(held, limit)
			}
			return
		}
		l.enter(now, j)
	}
}

// enter lets a job be given room, after its set-up task if it has one, and offers it what is free.
func (l *life) enter(now model.Time, j *cluster.Job) {
	if l.chores.first(now, j, setUp) {
		return
	}
	r, c := l.run(j), &l.in.Config
	j.Admit()
	if j.Driven.Limit == model.LimitInit {
		j.Driven.Free()
	}
	l.state.Active++
	l.recordJob(now, record.JobAdmitted, j.ID)
	l.driver.Admitted(now, j)
	if j.Total[model.Reduce] > 0 {
		j.Driven.Notes |= slowed
	}
	if (c.Faults.Nodes() || l.driver.Restarter != nil) && j.Total[model.Reduce] > 0 {
		r.where = make([]model.NodeID, j.Total[model.Map])
		for i := range r.where {
			r.where[i] = model.None
		}
		j.Driven.Notes |= traced
	}
	if rules := &c.Faults.Speculation; rules.On {
		interval := rules.Interval
		if l.slow != nil {
			interval = l.slow.rules.Again
		}
		l.planLook(now+interval, j.ID)
	}
	l.exec.Enter(j, r.spec)
	if noted(j, slowed) && l.crew.mapsFirst(j) == 0 {
		l.crew.release(now, j)
	}
	if j.Complete() {
		l.end(now, j)
		return
	}
	l.crew.updateWants(now, j, model.Map)
	l.crew.updateWants(now, j, model.Reduce)
	l.floor.offerNear(now, j)
	l.floor.wakeAll(now)
}

// end takes a finished job out, after its clean-up task if it has one, starts those that waited for it, and lets others in.
func (l *life) end(now model.Time, j *cluster.Job) {
	l.crew.updateWants(now, j, model.Map)
	l.crew.updateWants(now, j, model.Reduce)
	if l.chores.first(now, j, cleanUp) {
		return
	}
	l.leave(now, j, record.JobEnded, l.in.Check > 0)
	l.gone(now, j)
	l.admit(now)
}

// leave takes a job out that was admitted and of which nothing runs.
func (l *life) leave(now model.Time, j *cluster.Job, how record.Kind, check bool) {
	j.Leave()
	l.state.Active--
	if err := l.exec.Leave(now, j, check); err != nil {
		l.fail(err)
	}
	l.recordJob(now, how, j.ID)
	l.driver.Left(now, j)
	l.floor.jobLeft()
	l.blocks.Release(j.ID)
	if l.sizes != nil {
		l.sizes.Forget(j.ID)
	}
}

// abandon takes a job out whose application has failed, its tasks being gone already.
func (l *life) abandon(now model.Time, j *cluster.Job) {
	if j.Phase == cluster.Admitted {
		l.leave(now, j, record.JobFailed, false)
	} else {
		j.Leave()
		l.recordJob(now, record.JobFailed, j.ID)
	}
	l.gone(now, j)
	l.admit(now)
}

// tick lets the policy's clock tick, and lets in the jobs that it admits.
func (l *life) tick(now model.Time) {
	l.tickAt = model.Forever
	l.driver.Tick(now)
	l.planTick()
	l.admit(now)
	l.floor.wakeAll(now)
}

// planTick makes sure that the policy's clock ticks when it wants to.
func (l *life) planTick() {
	next := l.driver.Next()
	if next == l.tickAt {
		return
	}
	l.queue.Cancel(l.ticking)
	if l.tickAt = next; next != model.Forever {
		l.ticking = l.queue.Push(next, event{kind: tick})
	}
}
