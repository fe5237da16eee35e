// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// after makes a job be submitted some seconds after another has ended.
func after(id model.JobID, think float64, j model.Job) model.Job {
	j.After, j.Submit = id, model.Seconds(think)
	return j
}

// Jobs 1 and 2 wait for job 0, which ends at 1 s; job 3 waits for job 2, which is submitted at 4 s.
func TestHeirs(t *testing.T) {
	one := tasks(times(1, 1), nil)
	s := newStage(t, slots, one, after(0, 5, one), after(0, 3, one), after(2, 0, one))
	s.policy.pick = s.eager
	s.play(20)
	s.expect("submitted", s.events(record.JobSubmitted), "job-submitted 0 at 0", "job-submitted 2 at 4", "job-submitted 3 at 5", "job-submitted 1 at 6")
	if s.result.Ended != 4 || len(s.life.heirs) != 0 {
		t.Errorf("%d jobs ended, %v still wait", s.result.Ended, s.life.heirs)
	}
}

// A job without tasks ends when it is admitted; one without maps may start its reduces at once.
func TestJobsWithoutMaps(t *testing.T) {
	s := newStage(t, slots, tasks(nil, nil), tasks(nil, times(1, 2)))
	s.policy.pick = s.eager
	s.play(10)
	s.expect("recorded", s.events(record.JobAdmitted, record.TasksEligible, record.JobEnded), "job-admitted 0 at 0", "job-ended 0 at 0",
		"job-admitted 1 at 0", "tasks-eligible 1 at 0", "job-ended 1 at 2")
}

// gate is a policy that refuses jobs of 9 maps, and admits one job at a time.
type gate struct {
	*script
	waiting []*cluster.Job
	inside  int
}

var _ policy.Refuser = (*gate)(nil)
var _ policy.JobObserver = (*gate)(nil)

func (g *gate) Refuses(_ model.Time, j *cluster.Job) (model.Limit, bool) {
	return model.LimitInit, j.Total[model.Map] == 9
}

func (g *gate) JobSubmitted(_ model.Time, j *cluster.Job) { g.waiting = append(g.waiting, j) }

func (g *gate) NextAdmitted(model.Time) (admitted, held *cluster.Job, limit model.Limit) {
	switch {
	case len(g.waiting) == 0:
		return nil, nil, 0
	case g.inside > 0:
		return nil, g.waiting[0], model.LimitInit
	}
	admitted, g.waiting = g.waiting[0], g.waiting[1:]
	return admitted, nil, 0
}

func (g *gate) JobAdmitted(model.Time, *cluster.Job) { g.inside++ }
func (g *gate) JobEnded(model.Time, *cluster.Job)    { g.inside-- }

func gated(s set) set {
	s.around = func(p *script) policy.Policy { return &gate{script: p} }
	return s
}

// A refused job counts as ended, leaves no trace in the cluster, and those that waited for it come.
func TestRefusal(t *testing.T) {
	s := newStage(t, gated(slots), tasks(times(9, 1), nil), after(0, 2, tasks(times(1, 1), nil)))
	s.policy.pick = s.eager
	s.play(0)
	if s.state.Job(0) != nil || s.state.Active != 0 || s.result.Ended != 1 || s.floor.wanting != [model.Kinds]int32{} {
		t.Errorf("job 0 is there: %t; %d active, %d ended, %v wanted", s.state.Job(0) != nil, s.state.Active, s.result.Ended, s.floor.wanting)
	}
	s.play(10)
	s.expect("recorded", s.events(record.JobRefused, record.JobAdmitted, record.JobEnded), "job-refused 0 initialisation at 0", "job-admitted 1 at 2", "job-ended 1 at 3")
}

// The second job is held back until the first has ended; the third until the second has.
func TestAdmission(t *testing.T) {
	one := tasks(times(1, 2), nil)
	s := newStage(t, gated(slots), one, one, one)
	s.policy.pick = s.eager
	s.play(1)
	if s.state.Active != 1 || s.floor.wanting[0] != 0 {
		t.Errorf("%d active, %d want room", s.state.Active, s.floor.wanting[0])
	}
	s.play(10)
	s.expect("recorded", s.events(record.JobAdmitted, record.JobBlocked, record.JobEnded), "job-admitted 0 at 0", "job-blocked 1 initialisation at 0", "job-blocked 2 initialisation at 0",
		"job-ended 0 at 2", "job-admitted 1 at 2", "job-ended 1 at 4", "job-admitted 2 at 4", "job-ended 2 at 6")
}

// metronome is a policy whose clock ticks when it wants.
type metronome struct {
	*script
	next  func(model.Time) model.Time
	ticks []model.Time
}

func (m *metronome) Tick(now model.Time) model.Time {
	m.ticks = append(m.ticks, now/model.Second)
	return m.next(now)
}

// The clock ticks at 0 s, then as it asked: every 4 s until 8 s. Then it stands still, until a job is submitted at
// 11 s, and again until that job has ended at 12 s.
func TestTicks(t *testing.T) {
	m := &metronome{next: func(now model.Time) model.Time {
		if now >= 8*model.Second {
			return model.Forever
		}
		return now + 4*model.Second
	}}
	job := tasks(times(1, 1), nil)
	job.Submit = 11 * model.Second
	s := newStage(t, set{model: model.Slots, nodes: 1, room: model.Room{1, 1}, around: func(p *script) policy.Policy { m.script = p; return m }}, job)
	s.policy.pick = s.eager
	s.play(20)
	if !slices.Equal(m.ticks, []model.Time{0, 4, 8, 11, 12}) {
		t.Errorf("ticked at %v", m.ticks)
	}
	if s.life.tickAt != model.Forever || s.queue.Len() != 0 {
		t.Errorf("the next tick is planned for %v", s.life.tickAt)
	}
}

// A clock is planned again whenever it has changed its mind: there is one event, or none while it stands still.
func TestPlanTick(t *testing.T) {
	m := &metronome{}
	at := 50 * model.Second
	m.next = func(model.Time) model.Time { return at }
	s := newStage(t, set{model: model.Slots, nodes: 1, room: model.Room{1, 1}, around: func(p *script) policy.Policy { m.script = p; return m }})
	for _, c := range []struct {
		now, next model.Time // of a tick that the driver was told of otherwise
		events    int
	}{{0, 50 * model.Second, 1}, {50 * model.Second, 70 * model.Second, 1}, {70 * model.Second, model.Forever, 0}} {
		at = c.next
		s.driver.Tick(c.now)
		s.life.planTick()
		s.life.planTick()
		if s.queue.Pending() != c.events || s.life.tickAt != c.next {
			t.Errorf("%d ticks planned, the next at %v; want %d, at %v", s.queue.Pending(), s.life.tickAt, c.events, c.next)
		}
	}
}

// A tick offers free nodes again: what a policy declines now it may take later.
func TestTickOffersNodes(t *testing.T) {
	m := &metronome{next: func(now model.Time) model.Time { return now + 10*model.Second }}
	s := newStage(t, set{model: model.Slots, nodes: 2, room: model.Room{1, 1}, around: func(p *script) policy.Policy { m.script = p; return m }}, tasks(times(1, 1), nil))
	s.play(9)
	s.asked()
	s.play(10)
	if got := s.asked(); len(got) != 2 {
		t.Errorf("offered nodes %v at the tick, want both", got)
	}
}
