// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Beats tells the wait for a heartbeat from the wait for room: for how long there was room that those who waited could
// have used, had its node asked for work. Where more waits than there is room for, the room counts for its share of them.
// Under YARN's resource manager it is what RoomChanged says.
type Beats struct {
	model model.RoomModel
	sums  Mark
	first []bool // jobs that are admitted and have no container yet
	jobs  int64  // their number

	yarn struct {
		some bool // some node has room
		last model.Time
	}
}

// Mark is how long there had been room at a moment, in nanoseconds: for jobs without a container, and for the tasks of
// others, by pool.
type Mark struct{ First, More [model.Kinds]float64 }

// Watch makes the room tell waits apart, of that many jobs. It is called before the run.
func (r *Room) Watch(jobs int) {
	r.beats = &Beats{model: r.model, first: make([]bool, jobs)}
	r.beats.yarn.some = true
}

// Watched reports whether waits are told apart.
func (r *Room) Watched() bool { return r.beats != nil }

// Mark returns how long there has been room.
func (r *Room) Mark(now model.Time) Mark {
	if r.model == model.Yarn {
		r.beats.pass(now)
	} else {
		r.advance(now)
	}
	return r.beats.sums
}

// Share returns which share of the time since an earlier mark a job that waited, in this phase for tasks of this kind,
// could have used room.
func (m *Mark) Share(since *Mark, span model.Time, hasContainer bool, pool int) float64 {
	open := m.First[pool] - since.First[pool]
	if hasContainer {
		open = m.More[pool] - since.More[pool]
	}
	return min(max(open/float64(span), 0), 1)
}

// pass sums up to now under YARN's resource manager.
func (b *Beats) pass(now model.Time) {
	if b.yarn.some {
		b.sums.First[0] += float64(now - b.yarn.last)
		b.sums.More[0] += float64(now - b.yarn.last)
	}
	b.yarn.last = now
}

// advance sums a span up in which this was free and waited.
func (b *Beats) advance(span model.Time, free, waiting *[model.Kinds]int64) {
	for p := range free {
		open := free[p]
		if open <= 0 {
			continue
		}
		b.sums.First[p] += float64(span) * min(1, float64(open)/float64(max(b.jobs, 1)))
		b.sums.More[p] += float64(span) * min(1, float64(open)/float64(max(waiting[p], 1)))
	}
}

// job takes in an event of a job.
func (b *Beats) job(e *record.Event, spec *model.Job) {
	id := e.Task.Job
	switch e.Kind {
	case record.JobAdmitted:
		if spec.Maps+spec.Reduces > 0 {
			b.first[id] = true
			b.jobs++
		}
	case record.TaskStarted, record.JobEnded:
		if b.first[id] {
			b.first[id] = false
			b.jobs--
		}
	}
}

// NoJob takes in an event of no job.
func (r *Room) NoJob(e *record.Event, t *model.Topology) {
	sign := int64(-1)
	switch e.Kind {
	case record.RoomChanged:
		if r.beats != nil {
			r.beats.pass(e.Time)
			r.beats.yarn.some = e.Count > 0
		}
		return
	case record.NodeReturned:
		sign = 1
	case record.NodeLost:
	default:
		return
	}
	if r.model != model.Yarn {
		r.advance(e.Time)
		for p := range r.pools {
			r.free[p] += sign * int64(t.Classes[t.Nodes[e.Node].Class].Room[p])
		}
	}
}
