// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Room follows how much room is free and how many tasks wait that may start, by pool. Under yarn, where tasks differ in
// what they need, it follows neither.
type Room struct {
	Idle [model.Dims]float64 // room that was free while tasks waited, times seconds

	model   model.RoomModel
	pools   int
	last    model.Time
	free    [model.Kinds]int64 // on nodes that are not lost
	waiting [model.Kinds]int64
	beats   *Beats // nil unless nodes have to be waited for
}

// NewRoom returns the room of a cluster on which nothing runs.
func NewRoom(t *model.Topology) Room {
	r := Room{model: t.Model, pools: t.Model.Pools()}
	total := t.Total()
	copy(r.free[:r.pools], total[:])
	return r
}

// advance sums up to now.
func (r *Room) advance(now model.Time) {
	if now != r.last {
		r.sum(now)
	}
}

// sum is advance to a later time.
func (r *Room) sum(now model.Time) {
	for p := range r.free {
		if unused := min(r.free[p], r.waiting[p]); unused > 0 {
			r.Idle[p] += float64(unused) * (now - r.last).Seconds()
		}
	}
	if r.beats != nil {
		r.beats.advance(now-r.last, &r.free, &r.waiting)
	}
	r.last = now
}

// Taken takes in the start of a task of a pool.
func (r *Room) Taken(e *record.Event, pool int) {
	if r.model != model.Yarn {
		r.advance(e.Time)
		r.waiting[pool]--
		r.free[pool]--
		if r.beats != nil {
			r.beats.job(e, nil)
		}
	}
}

// Given takes in the end of a task of a pool.
func (r *Room) Given(now model.Time, pool int) {
	if r.model != model.Yarn {
		r.advance(now)
		r.free[pool]++
	}
}

// Held takes in that something else than a task takes room of a pool (by = 1) or gives it back (by = -1).
func (r *Room) Held(now model.Time, pool int, by int64) {
	if r.model != model.Yarn {
		r.advance(now)
		r.free[pool] -= by
	}
}

// Record takes in any other event of a job.
func (r *Room) Record(e *record.Event, spec *model.Job) {
	if r.model == model.Yarn {
		return
	}
	r.advance(e.Time)
	if r.beats != nil {
		r.beats.job(e, spec)
	}
	p := r.model.Pool(e.Task.Kind)
	switch e.Kind {
	case record.JobAdmitted:
		r.waiting[r.model.Pool(model.Map)] += int64(spec.Maps)
	case record.TasksEligible:
		r.waiting[p] += int64(e.Count)
	case record.TaskDropped:
		if e.Node == model.None {
			r.waiting[p]--
		}
	case record.TaskKilled, record.TaskDoubled, record.TaskUndone:
		r.waiting[p]++
	}
	r.free[p] -= e.Taken()
}
