// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Inside is an order that serves some of the jobs of another order, which tells it of these. What the order does not listen
// to is not passed on.
type Inside struct {
	Order
	aimer   Aimer
	limiter Limiter
	passer  Passer
	jobs    policy.JobObserver
	tasks   policy.TaskObserver
	lengths policy.LengthObserver
	outputs policy.OutputObserver
	planner policy.Planner
	leaver  Leaver
}

// Leaver is an order inside another that finds out by itself what some of its jobs want, such as those of a plan.
type Leaver interface {
	// Leave is called with a job that another order serves from now on; no task of it has started. It reports whether the
	// job was one of those. Of any other the order hears, as ever, that it ceases to want room.
	Leave(j *cluster.Job) bool
}

// NewInside returns an order as one inside another.
func NewInside(o Order) Inside {
	in := Inside{Order: o}
	in.aimer, _ = o.(Aimer)
	in.limiter, _ = o.(Limiter)
	in.passer, _ = o.(Passer)
	in.jobs, _ = o.(policy.JobObserver)
	in.tasks, _ = o.(policy.TaskObserver)
	in.lengths, _ = o.(policy.LengthObserver)
	in.outputs, _ = o.(policy.OutputObserver)
	in.planner, _ = o.(policy.Planner)
	in.leaver, _ = o.(Leaver)
	return in
}

// Aim passes on what Aimer says.
func (in *Inside) Aim(o *policy.Offer) policy.Scope {
	if in.aimer == nil {
		return policy.Everywhere
	}
	return in.aimer.Aim(o)
}

// May passes on what Limiter says.
func (in *Inside) May(o *policy.Offer, j *cluster.Job, k model.Kind) Verdict {
	if in.limiter == nil {
		return Granted
	}
	return in.limiter.May(o, j, k)
}

// Passed passes on what Passer says.
func (in *Inside) Passed(o *policy.Offer, chosen *cluster.Job, k model.Kind) {
	if in.passer != nil {
		in.passer.Passed(o, chosen, k)
	}
}

// JobAdmitted passes on what policy.JobObserver says.
func (in *Inside) JobAdmitted(now model.Time, j *cluster.Job) {
	if in.jobs != nil {
		in.jobs.JobAdmitted(now, j)
	}
}

// JobEnded passes on what policy.JobObserver says.
func (in *Inside) JobEnded(now model.Time, j *cluster.Job) {
	if in.jobs != nil {
		in.jobs.JobEnded(now, j)
	}
}

// TaskStarted passes on what policy.TaskObserver says.
func (in *Inside) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	if in.tasks != nil {
		in.tasks.TaskStarted(now, j, k, node)
	}
}

// TaskEnded passes on what policy.TaskObserver says.
func (in *Inside) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	if in.tasks != nil {
		in.tasks.TaskEnded(now, j, k, node, done)
	}
}

// TaskRan passes on what policy.LengthObserver says.
func (in *Inside) TaskRan(now model.Time, j *cluster.Job, k model.Kind, length model.Time) {
	if in.lengths != nil {
		in.lengths.TaskRan(now, j, k, length)
	}
}

// MapMade passes on what policy.OutputObserver says.
func (in *Inside) MapMade(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	if in.outputs != nil {
		in.outputs.MapMade(now, j, index, node, output)
	}
}

// MapLost passes on what policy.OutputObserver says.
func (in *Inside) MapLost(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	if in.outputs != nil {
		in.outputs.MapLost(now, j, index, node, output)
	}
}

// Plan passes on what policy.Planner says.
func (in *Inside) Plan(forecasts []policy.Forecast) {
	if in.planner != nil {
		in.planner.Plan(forecasts)
	}
}

// Leave tells the order that another one serves a job from now on, of which no task has started; wants says of which pools
// it wants room.
func (in *Inside) Leave(now model.Time, j *cluster.Job, wants [model.Kinds]bool) {
	if in.leaver != nil && in.leaver.Leave(j) {
		return
	}
	for pool, is := range wants {
		if is {
			in.Wants(now, j, pool, false)
		}
	}
}
