// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/metrics/fold"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Starvation says whether the unfinished tasks of a job lack room: its maps while it is Mapping, its reduces while it is
// Reducing.
type Starvation uint8

// The degrees of starvation.
const (
	NotStarved Starvation = iota
	PartlyStarved
	WhollyStarved // no task runs
)

// Span is a time in which a job's state did not change.
type Span struct {
	From, To model.Time
	Phase    Phase
	Starved  Starvation
	Held     bool        // something held the job or some of its tasks back
	Limit    model.Limit // what did, if Held
	Running  int32       // tasks of both kinds, at the end of the span
	Pending  int32
}

// Use is what another job held of the room.
type Use struct {
	Job   model.JobID
	Share float64 // of what all other jobs held
}

// Timeline follows one job through a run: the spans of its life, and who used the room until its first task started.
type Timeline struct {
	job   model.JobID
	jobs  []model.Job
	life  life
	last  model.Time // the end of the spans so far
	spans []Span
	holds []hold // by job

	topology *model.Topology // nil where free room is given at once
	room     *fold.Room
	mark     fold.Mark // at last
	named    bool      // waits for heartbeats have a limit of their own
}

// hold is the number of containers of a job over time.
type hold struct {
	count int64
	since model.Time
	sum   float64 // containers times nanoseconds
}

var _ record.Recorder = (*Timeline)(nil)

// NewTimeline returns a recorder that follows the job of this number among the jobs of a run.
func NewTimeline(jobs []model.Job, job model.JobID) *Timeline {
	return &Timeline{job: job, jobs: jobs, holds: make([]hold, len(jobs))}
}

// Heartbeats makes the time-line tell the wait for a node's heartbeat from the wait for room, on a cluster whose nodes ask
// for work at intervals; named is as for a collector. It is called before the run.
func (t *Timeline) Heartbeats(topology *model.Topology, named bool) {
	room := fold.NewRoom(topology)
	t.topology, t.room, t.named = topology, &room, named
	t.room.Watch(len(t.jobs))
}

// follow takes in what an event says about room.
func (t *Timeline) follow(e *record.Event) {
	switch pool := t.topology.Model.Pool(e.Task.Kind); {
	case e.Task.Job == model.None:
		t.room.NoJob(e, t.topology)
	case e.Kind == record.TaskStarted:
		t.room.Taken(e, pool)
	case e.Kind == record.TaskEnded:
		t.room.Given(e.Time, pool)
	case e.Kind == record.ChoreStarted:
		t.room.Held(e.Time, pool, 1)
	case e.Kind == record.ChoreEnded:
		t.room.Held(e.Time, pool, -1)
	case e.Kind != record.AMEnded:
		t.room.Record(e, &t.jobs[e.Task.Job])
	}
}

// Record implements record.Recorder.
func (t *Timeline) Record(e *record.Event) {
	if t.room != nil {
		defer t.follow(e)
	}
	waiting := t.life.phase < Mapping
	if by := e.Taken(); by != 0 && waiting {
		t.holds[e.Task.Job].change(e.Time, by)
	}
	if e.Task.Job != t.job || e.Kind == record.AMEnded || e.Kind == record.ChoreStarted || e.Kind == record.ChoreEnded {
		return // the job has ended before its master, and lives the same whether its set-up task waits or runs
	}
	if e.Kind == record.JobSubmitted {
		t.last = e.Time
		if t.room != nil {
			t.mark = t.room.Mark(e.Time)
		}
		for i := range t.holds {
			t.holds[i].since, t.holds[i].sum = e.Time, 0
		}
	}
	t.close(e.Time)
	t.life.step(e, &t.jobs[t.job])
	if waiting && t.life.phase >= Mapping {
		for i := range t.holds {
			t.holds[i].change(e.Time, 0)
		}
	}
}

func (h *hold) change(now model.Time, by int64) {
	h.sum += float64(h.count) * float64(now-h.since)
	h.since = now
	h.count += by
}

// close ends the span that began with the last event and joins it to an equal one before it.
func (t *Timeline) close(now model.Time) {
	if now == t.last {
		return
	}
	s := t.now()
	s.From, s.To = t.last, now
	if t.room != nil {
		t.tellBeats(&s)
	}
	t.last = now
	if n := len(t.spans); n > 0 {
		before := t.spans[n-1]
		if before.Phase == s.Phase && before.Starved == s.Starved && before.Held == s.Held && before.Limit == s.Limit {
			s.From = before.From
			t.spans = t.spans[:n-1]
		}
	}
	t.spans = append(t.spans, s)
}

// tellBeats names a span after what was waited for during most of it: room, or the heartbeat of a node that has some.
func (t *Timeline) tellBeats(s *Span) {
	m, mark := t.topology.Model, t.room.Mark(s.To)
	if s.Held && t.life.waitsForNodes(t.named) {
		s.Limit = model.LimitRoom
		if mark.Share(&t.mark, s.To-s.From, t.life.phase >= Mapping, m.Pool(t.life.wants())) > 0.5 {
			s.Limit = model.LimitHeartbeat
		}
	}
	t.mark = mark
}

// now returns the state that the job is in, without its times.
func (t *Timeline) now() Span {
	l := &t.life
	s := Span{Phase: l.phase, Running: l.running(model.Map) + l.running(model.Reduce), Pending: l.pending[model.Map] + l.pending[model.Reduce]}
	if s.Phase == Mapping || s.Phase == Reducing {
		kind := model.Map
		if s.Phase == Reducing {
			kind = model.Reduce
		}
		if l.pending[kind] > 0 {
			s.Starved = PartlyStarved
			if l.running(kind) == 0 {
				s.Starved = WhollyStarved
			}
		}
	}
	if s.Held = s.Phase == Submitted || s.Phase == Admitted || s.Starved != NotStarved; s.Held {
		s.Limit = l.limit
	}
	return s
}

// Spans returns the life of the job from its submission to its end, in order and without gaps.
func (t *Timeline) Spans() []Span { return t.spans }

// Others returns the jobs that used room from the submission of the job to the start of its first task, those that used
// most of it first.
func (t *Timeline) Others() (uses []Use) {
	total := 0.0
	for i := range t.holds {
		if model.JobID(i) != t.job {
			total += t.holds[i].sum
		}
	}
	for i := range t.holds {
		if sum := t.holds[i].sum; sum > 0 && model.JobID(i) != t.job {
			uses = append(uses, Use{model.JobID(i), sum / total})
		}
	}
	slices.SortStableFunc(uses, func(a, b Use) int { return cmp.Compare(b.Share, a.Share) })
	return uses
}
