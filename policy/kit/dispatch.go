// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Dispatch is the order of SITA and COMP (slowdown-2015 §IV-D, IV-E): a job is appended to the queue
// that its predicted size belongs to, and stays there even if the prediction was wrong. A job whose
// size cannot be predicted yet, because its first tasks must run, runs them in the first queue.
type Dispatch struct {
	*Levels
	*Predictor
	route     func(size model.Time) (level int)
	completed func(size model.Time) // told of the size of each completed job; may be nil
	sent      *policy.PerJob[bool]  // its queue is chosen
}

// NewDispatch returns the order; parts and completed may be nil.
func NewDispatch(env *policy.Env, p PredictParams, parts *Parts, route func(model.Time) int, completed func(model.Time)) *Dispatch {
	return &Dispatch{Levels: NewLevels(env, parts), Predictor: NewPredictor(env, p), route: route, completed: completed, sent: policy.NewPerJob[bool](env)}
}

var (
	_ Order                 = (*Dispatch)(nil)
	_ Aimer                 = (*Dispatch)(nil)
	_ policy.JobObserver    = (*Dispatch)(nil)
	_ policy.LengthObserver = (*Dispatch)(nil)
)

// JobAdmitted implements policy.JobObserver.
func (d *Dispatch) JobAdmitted(_ model.Time, j *cluster.Job) {
	d.Join(j, 0)
	d.send(j)
}

// send moves the job to its queue as soon as its size can be told.
func (d *Dispatch) send(j *cluster.Job) {
	sent := d.sent.Of(j)
	if *sent {
		return
	}
	size, known := d.Predict(j)
	if !known {
		return
	}
	*sent = true
	if level := d.route(size); level != 0 {
		d.Join(j, level)
	}
}

// JobEnded implements policy.JobObserver.
func (d *Dispatch) JobEnded(_ model.Time, j *cluster.Job) {
	size := d.Completed(j)
	if d.completed != nil {
		d.completed(size)
	}
}

// TaskRan implements policy.LengthObserver.
func (d *Dispatch) TaskRan(now model.Time, j *cluster.Job, k model.Kind, length model.Time) {
	d.Predictor.TaskRan(now, j, k, length)
	d.send(j)
}

// Bracket returns how many of the rising limits are below the size: the queue that it belongs to.
func (p *LimitsParams) Bracket(size model.Time) (level int) {
	for level < len(p.Limits) && size > p.Limits[level] {
		level++
	}
	return level
}
