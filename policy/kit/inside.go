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
