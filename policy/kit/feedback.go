// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// LimitsParams are the limits between queues: one queue more than limits.
type LimitsParams struct {
	Limits []model.Time `yaml:"limits" doc:"Limits between the queues, in rising order: one fewer than there are queues. They are sums of task run times."`
}

// Rising returns the limits in rising order.
func (p *LimitsParams) Rising() []model.Time { return p.Limits }

// Problems returns the faults of the limits: fewer than two queues, or no rising order.
func (p *LimitsParams) Problems() []model.Problem {
	if len(p.Limits) == 0 {
		return []model.Problem{{Path: "limits", Found: "no limit, which makes one queue (K = 1)", Allowed: "at least one limit, so that K > 1"}}
	}
	for i, l := range p.Limits {
		found := l.String()
		if i > 0 {
			found += " after " + p.Limits[i-1].String()
		}
		if l <= 0 || i > 0 && l <= p.Limits[i-1] {
			return []model.Problem{{Path: fmt.Sprintf("limits[%d]", i), Found: found, Allowed: "limits above 0s in rising order"}}
		}
	}
	return nil
}

// Feedback is the order of FBQ and TAGS (slowdown-2015 §IV-B, IV-C): a job starts in the first queue,
// and moves to the end of the next one when the service that it has received in its queue exceeds
// the queue's limit; the last queue has none. The limit is checked when the job is at the head of
// what an offer could serve. Nothing is killed: running tasks finish where they are. Restarting is the order in
// which jobs that move begin anew.
type Feedback struct {
	*Levels
	service *Service
	limits  []model.Time
	moved   func(*cluster.Job) // nil if nobody wants to know
}

// NewFeedback returns the order; parts may be nil.
func NewFeedback(env *policy.Env, p LimitsParams, parts *Parts) *Feedback {
	return &Feedback{Levels: NewLevels(env, parts), service: NewService(env), limits: p.Limits}
}

var (
	_ Order               = (*Feedback)(nil)
	_ Aimer               = (*Feedback)(nil)
	_ policy.JobObserver  = (*Feedback)(nil)
	_ policy.TaskObserver = (*Feedback)(nil)
)

// Aim implements Aimer. Every job moves at most once per queue, so moves cost O(log jobs) amortised.
func (f *Feedback) Aim(o *policy.Offer) policy.Scope {
	f.lane, f.end = f.reach(o)
	if o != nil {
		for lane := f.lane; lane < f.end; lane++ {
			for j := f.head(o.Pool, lane); j != nil && f.exceeds(o.Now, j); j = f.head(o.Pool, lane) {
				f.Join(j, f.Level(j)+1)
				f.jobs.Of(j).joined = f.service.Received(o.Now, j)
				if f.moved != nil {
					f.moved(j)
				}
			}
		}
	}
	return f.aimed(o)
}

func (f *Feedback) exceeds(now model.Time, j *cluster.Job) bool {
	q := f.jobs.Of(j)
	return int(q.level) < len(f.limits) && f.service.Received(now, j)-q.joined > f.limits[q.level]
}

// JobAdmitted implements policy.JobObserver.
func (f *Feedback) JobAdmitted(_ model.Time, j *cluster.Job) { f.Join(j, 0) }

// JobEnded implements policy.JobObserver.
func (f *Feedback) JobEnded(model.Time, *cluster.Job) {}

// TaskStarted implements policy.TaskObserver.
func (f *Feedback) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	f.service.TaskStarted(now, j, k, node)
}

// TaskEnded implements policy.TaskObserver.
func (f *Feedback) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	f.service.TaskEnded(now, j, k, node, done)
}

// Restarting is the feedback of TAGS for distributed servers, which slowdown-2015 §IV-F describes: a job that moves
// loses all its work and begins anew in its next queue.
type Restarting struct {
	*Feedback
	lost []*cluster.Job // have moved since the last offer
}

// NewRestarting returns the order; parts may be nil.
func NewRestarting(env *policy.Env, p LimitsParams, parts *Parts) *Restarting {
	r := &Restarting{Feedback: NewFeedback(env, p, parts)}
	r.moved = func(j *cluster.Job) { r.lost = append(r.lost, j) }
	return r
}

var _ policy.Restarter = (*Restarting)(nil)

// NextRestart implements policy.Restarter.
func (r *Restarting) NextRestart() (j *cluster.Job) {
	if len(r.lost) > 0 {
		j, r.lost = r.lost[0], r.lost[1:]
	}
	return j
}
