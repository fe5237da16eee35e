// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Levels is the order of policies with several waiting queues (slowdown-2015 §IV-A): jobs of a
// higher queue (a lower number) come first, and each queue is first come, first served by the time
// at which jobs joined it. Without parts all queues share the cluster; with parts queue k is served
// from part k alone, and an iteration goes through the queues that the offer can serve.
//
// The policy puts every job into a queue with Join before it wants room, and may move it later.
type Levels struct {
	parts *Parts // nil: one part for all queues
	jobs  *policy.PerJob[queued]
	joins int64
	lanes [model.Kinds][]JobHeap // by pool: one heap for all queues, or one per queue

	moved *cluster.Job // has changed its part since the last offer while it wanted room

	offer *policy.Offer // with parts made of nodes: that is answered, or was last

	lane, end int  // of the iteration
	quota     bool // of the iteration: skip lanes whose part is full
}

var (
	_ Order = (*Levels)(nil)
	_ Aimer = (*Levels)(nil)
)

// queued is where a job stands.
type queued struct {
	level  int32
	turn   int64             // when it joined its queue, counted in joins
	joined model.Time        // under Feedback: the service that it had received then
	blamed [model.Kinds]bool // by pool: the policy has said that its part holds it back
}

// NewLevels returns the order for the environment; parts may be nil.
func NewLevels(env *policy.Env, parts *Parts) *Levels {
	l := &Levels{parts: parts, jobs: policy.NewPerJob[queued](env)}
	lanes := 1
	if parts != nil {
		lanes = parts.Len()
		parts.levels = l
	}
	for p := range l.lanes {
		l.lanes[p] = make([]JobHeap, lanes)
		for i := range l.lanes[p] {
			l.lanes[p][i].Cluster = env.Cluster
		}
	}
	return l
}

// Level returns the queue of the job, counted from 0.
func (l *Levels) Level(j *cluster.Job) int { return int(l.jobs.Of(j).level) }

// Join appends the job to a queue, which it leaves its old one for.
func (l *Levels) Join(j *cluster.Job, level int) {
	var wants [model.Kinds]bool
	for p := range l.lanes {
		h := l.heap(p, j)
		if wants[p] = h.Has(j); wants[p] {
			h.Remove(j)
		}
	}
	l.joins++
	q := l.jobs.Of(j)
	q.level, q.turn = int32(level), l.joins
	for p := range l.lanes {
		if wants[p] {
			l.heap(p, j).Set(j, l.key(j))
			l.moved = j
		}
	}
}

func (l *Levels) key(j *cluster.Job) keyed.Key {
	q := l.jobs.Of(j)
	return keyed.Key{Major: int64(q.level), Minor: q.turn}
}

func (l *Levels) heap(pool int, j *cluster.Job) *JobHeap {
	if l.parts == nil {
		return &l.lanes[pool][0]
	}
	return &l.lanes[pool][l.Level(j)]
}

// Wants implements policy.WantObserver.
func (l *Levels) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	if wants {
		l.heap(pool, j).Set(j, l.key(j))
		return
	}
	l.heap(pool, j).Remove(j)
	l.filled(now, pool, l.Level(j))
}

// Aim implements Aimer: the iteration will go through the queues that the offer can serve. A queue
// that has jobs, but no room in its part, while this room stays free, is held back by its part.
func (l *Levels) Aim(o *policy.Offer) policy.Scope {
	l.lane, l.end = l.reach(o)
	return l.aimed(o)
}

// aimed is Aim when the lanes are known.
func (l *Levels) aimed(o *policy.Offer) policy.Scope {
	l.quota = false
	if l.parts == nil || o == nil {
		return policy.Everywhere
	}
	l.parts.grow()
	if l.quota = l.parts.of == nil; !l.quota {
		l.offer = o
	}
	if l.moved != nil { // other room may serve it now
		if l.moved.Phase == cluster.Admitted {
			l.jobs.Of(l.moved).blamed[o.Pool] = true
			o.Blocked(l.moved, model.LimitPartition)
			o.Changed()
		}
		l.moved = nil
	}
	return l.elsewhere(o)
}

// reach returns the lanes from which the offer may be served; no offer may serve all.
func (l *Levels) reach(o *policy.Offer) (from, end int) {
	if l.parts == nil || l.parts.of == nil || o == nil {
		return 0, len(l.lanes[0])
	}
	part := l.parts.part(o.Node)
	return part, part + 1
}

// elsewhere returns Everywhere if no room outside the aim could serve a job that wants it, and names
// the jobs at the head of queues that only their part keeps from using the offer.
func (l *Levels) elsewhere(o *policy.Offer) policy.Scope {
	idle, lanes := true, l.lanes[o.Pool] // idle: nobody wants what is offered
	for lane := l.lane; lane < l.end; lane++ {
		if lanes[lane].Len() == 0 {
			continue
		}
		full := l.parts.Full(lane, o.Pool)
		if !l.quota && !full { // more of its part may serve it
			return policy.Here
		}
		idle = idle && l.quota && full
	}
	scope := policy.Everywhere
	for lane := range lanes {
		if lanes[lane].Len() == 0 {
			continue
		}
		full := l.parts.Full(lane, o.Pool)
		if !l.quota && !full {
			scope = policy.Here
		}
		if idle {
			l.blame(o, lanes[lane].Head(), !l.quota && full)
		} else if scope == policy.Here || l.quota { // no other lane changes that
			break
		}
	}
	return scope
}

// blame says that the part of its queue keeps the job from the room of the pool, once until it is served from it. A part made of nodes is full until one
// of them has room again, which is offered; of others, what ends anywhere may make room.
func (l *Levels) blame(o *policy.Offer, j *cluster.Job, full bool) {
	q := l.jobs.Of(j)
	if q.blamed[o.Pool] {
		return
	}
	q.blamed[o.Pool] = true
	if full {
		o.Confined(j)
	} else {
		o.Blocked(j, model.LimitPartition)
	}
}

// served is told when a task of the job has started in the part of a lane: its part no longer holds it back, unless the part is
// full now.
func (l *Levels) served(now model.Time, j *cluster.Job, pool, lane int) {
	l.jobs.Of(j).blamed[pool] = false
	l.filled(now, pool, lane)
}

// filled is told when a task of a queue has started, or a job wants no more: if the part is full, it goes on to hold back
// the first job of the queue while there is room in others that nobody wants.
func (l *Levels) filled(now model.Time, pool, lane int) {
	if l.offer == nil || l.offer.Now != now || l.offer.Pool != pool {
		return
	}
	h := &l.lanes[pool][lane]
	if h.Len() == 0 || !l.parts.Full(lane, pool) {
		return
	}
	if h.Cluster.Used[pool] < h.Cluster.Total[pool] && l.spare(pool) && Usable(l.parts.topology.Model, pool, &everything, h.Head()) {
		l.blame(l.offer, h.Head(), true)
	}
}

// everything is room in which any task fits.
var everything = model.Room{math.MaxInt32, math.MaxInt32}

// spare reports whether some part has room of the pool, or would have if its nodes were not lost, and no job that wants it.
func (l *Levels) spare(pool int) bool {
	for lane := range l.lanes[pool] {
		if l.lanes[pool][lane].Len() == 0 && !l.parts.Full(lane, pool) {
			return true
		}
	}
	return false
}

// head returns the first job of the lane in the pool, or nil.
func (l *Levels) head(pool, lane int) *cluster.Job { return l.lanes[pool][lane].Head() }

// First implements Order.
func (l *Levels) First(pool int) *cluster.Job {
	for ; l.lane < l.end; l.lane++ {
		if l.quota && l.parts.Full(l.lane, pool) {
			continue
		}
		if j := l.lanes[pool][l.lane].First(); j != nil {
			return j
		}
	}
	return nil
}

// Next implements Order.
func (l *Levels) Next(pool int) *cluster.Job {
	if l.lane >= l.end {
		return nil
	}
	if j := l.lanes[pool][l.lane].Next(); j != nil {
		return j
	}
	l.lane++
	return l.First(pool)
}
