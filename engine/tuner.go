// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"strconv"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// startTuner builds the tuner and asks it for the share that stands in the configuration before the first
// job comes.
func (s *sim) startTuner() error {
	y := s.yarn
	choice := &y.rules.Tuner
	if choice.Name == "" {
		return nil
	}
	tuner, err := choice.New(s.in.Seed)
	if err != nil {
		return fmt.Errorf("tuner %s: %w", choice.Name, err)
	}
	y.loop = &tune.Loop{Tuner: tuner, Actuator: (*actuator)(s), Recorder: s.in.Tuning}
	s.stepTuner(0)
	s.queue.Cancel(y.reload)
	y.share = y.written
	return nil
}

// stepTuner shows the tuner the cluster and does what it says. It is called no more once every job has
// left.
func (s *sim) stepTuner(now model.Time) {
	y := s.yarn
	if s.result.Ended == len(s.in.Jobs) && y.masters == 0 {
		return
	}
	s.observe(now)
	advice := y.loop.Step(&y.seen)
	if advice.Done || advice.Next == model.Forever {
		return
	}
	s.queue.Push(max(advice.Next, now+model.Millisecond), event{kind: tunerStep})
}

// observe fills what the resource manager's REST interface and the hosts would show now.
func (s *sim) observe(now model.Time) {
	y, o := s.yarn, &s.yarn.seen
	*o = tune.Observation{Time: now, Pending: tune.Got(y.waiting), Running: tune.Got(y.masters), Share: tune.Got(y.share),
		AM: tune.Got(megabytes(int64(y.am[0]))), Memory: tune.Got(megabytes(s.state.Total[0])), Available: tune.Got(megabytes(s.state.Free()[0])),
		Apps: o.Apps[:0], AppsKnown: true}
	if len(s.in.Jobs) > 0 {
		o.Container = tune.Got(megabytes(int64(s.in.Jobs[0].Need[model.Map][0])))
	}
	if s.phys != nil && s.phys.full {
		h := s.hostLoad(now)
		o.Idle = tune.Got(100 * (1 - h.User - h.System - h.Wait))
		o.Disk = tune.Got(100 * s.diskLoad())
	}
	s.readProgress()
	for _, id := range y.order {
		o.Apps = append(o.Apps, s.showApp(id))
	}
}

// diskLoad returns how much of its throughput the busiest disk gives now. The solver is up to date.
func (s *sim) diskLoad() (load float64) {
	p := s.phys
	for h := range p.clock {
		if used, capacity := p.solver.Load(p.disk + fluid.Resource(h)); capacity > 0 {
			load = max(load, min(used/capacity, 1))
		}
	}
	return load
}

func megabytes(n int64) model.Bytes { return model.Bytes(n) * model.MiB }

func (s *sim) showApp(id model.JobID) tune.App {
	a, j := &s.yarn.apps[id], s.state.Job(id)
	out := tune.App{ID: "application_" + strconv.Itoa(int(id)+1), State: a.state, Progress: tune.Got(100 * s.progress(id))}
	memory, containers := int64(0), 0
	if a.node != model.None && !a.gone {
		memory, containers = int64(s.yarn.am[0]), 1
	}
	if j != nil && j.Phase == cluster.Admitted {
		memory += j.Used()[0]
		containers += int(j.Running[model.Map] + j.Running[model.Reduce])
	}
	out.Memory, out.Containers = tune.Got(megabytes(memory)), tune.Got(containers)
	return out
}

// actuator is the cluster's side of a tuner: the scheduler's configuration file. The scheduler looks at it
// every so often and reads it if it was changed long enough ago; until then the old share acts.
type actuator sim

var _ tune.Actuator = (*actuator)(nil)

// Apply implements tune.Actuator. The Capacity Scheduler refuses what is no share; the Fair Scheduler reads
// any number.
func (a *actuator) Apply(share float64) error {
	s := (*sim)(a)
	y := s.yarn
	if y.rules.Formula == Capacity && !(share >= 0 && share <= 1) {
		return &tune.Refused{Share: share, Reason: "the Capacity Scheduler takes shares from 0 to 1"}
	}
	now := y.seen.Time
	y.written, y.changed = share, now
	s.queue.Cancel(y.reload)
	y.reload = s.queue.Push(y.nextLook(now+y.rules.ReloadWait), event{kind: reloadShare})
	return nil
}

// nextLook returns when the scheduler first looks at its configuration from a time on.
func (y *yarn) nextLook(from model.Time) model.Time {
	every := y.rules.ReloadEvery
	if every == 0 {
		return from
	}
	n := (from - y.looks + every - 1) / every
	return y.looks + max(n, 0)*every
}

// ReadBack implements tune.Actuator.
func (a *actuator) ReadBack() tune.Reading[float64] { return tune.Got(a.yarn.written) }

// Latency implements tune.Actuator.
func (a *actuator) Latency() tune.Reading[model.Time] {
	return tune.Got(a.yarn.rules.ReloadWait + a.yarn.rules.ReloadEvery)
}

// reloadShare makes the written share act.
func (s *sim) reloadShare(now model.Time) {
	s.yarn.share = s.yarn.written
	s.wakeAll(now)
}
