// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// PredictParams says how sizes of jobs are predicted. Policies that need predictions embed it in
// their parameters.
type PredictParams struct {
	Predict string         `yaml:"predict" oneof:"input,tasks,perfect" doc:"Where predicted sizes come from: the job's input size and what completed jobs taught about it; the job's first tasks; or the truth, which no real scheduler knows."`
	Sample  model.Fraction `yaml:"sample" above:"0" max:"1" doc:"With predict: tasks, the share of a job's maps that must have ended before its size is predicted."`
	Error   float64        `yaml:"error,omitempty" min:"0" max:"10" doc:"With predict: perfect, the coefficient of variation of a lognormal factor of mean 1 on the true size."`
}

// DefaultPredictParams returns prediction by input size, as slowdown-2015 §IV-D does.
func DefaultPredictParams() PredictParams { return PredictParams{Predict: "input", Sample: 0.05} }

// Problems returns the faults of the parameters.
func (p *PredictParams) Problems() []model.Problem {
	if p.Error > 0 && p.Predict != "perfect" {
		return []model.Problem{{Path: "error", Found: fmt.Sprintf("%g with predict: %s, which has an error of its own", p.Error, p.Predict), Allowed: "0, or predict: perfect"}}
	}
	return nil
}

// Needs implements policy.Needer: only the truth needs to be told.
func (p *PredictParams) Needs() policy.Need {
	if p.Predict == "perfect" {
		return policy.KnownSizes
	}
	return 0
}

// Predictor predicts the sizes of jobs (sums of task run times) in one of three ways. It learns from
// completed jobs, so it is told of all tasks and ends of jobs.
//
//   - input: log(size) is a straight line in log(input), fitted by least squares to the completed
//     jobs (slowdown-2015 §V-C, figure 4b). With a single input size so far, size is taken as
//     proportional to it. A job without input has as many mean task lengths as tasks.
//   - tasks: when a share of the job's maps has ended, its maps are taken to have their mean length,
//     and its reduces to do the same work per map work as in completed jobs (§IV-D).
//   - perfect: the truth, times a lognormal factor if an error is set.
//
// Before any task has ended, nothing is known, and the prediction is 0.
type Predictor struct {
	params  PredictParams
	sizes   policy.Sizes
	jobs    *policy.PerJob[predicted]
	fit     lineFit
	tasks   int64                   // that have ended, of all jobs
	work    model.Time              // of these
	reduced [model.Kinds]model.Time // work of completed jobs that have reduces, by kind
	factor  *rng.Stream
}

// predicted is what a job has done so far.
type predicted struct {
	work [model.Kinds]model.Time // of tasks that have ended
	done [model.Kinds]int32
}

var (
	_ policy.LengthObserver = (*Predictor)(nil)
	_ policy.Needer         = (*PredictParams)(nil)
)

// NewPredictor returns the predictor for the environment.
func NewPredictor(env *policy.Env, p PredictParams) *Predictor {
	return &Predictor{params: p, sizes: env.Sizes, jobs: policy.NewPerJob[predicted](env), factor: rng.New(env.Seed, rng.SizeError)}
}

// Predict returns the size that the job is taken to have, and whether it can be told by now.
func (p *Predictor) Predict(j *cluster.Job) (model.Time, bool) {
	switch p.params.Predict {
	case "perfect":
		return p.perfect(j), true
	case "tasks":
		return p.fromTasks(j)
	}
	return p.fromInput(j), true
}

func (p *Predictor) perfect(j *cluster.Job) model.Time {
	size := p.sizes.Total(j.ID)
	if p.params.Error == 0 {
		return size
	}
	variance := math.Log1p(p.params.Error * p.params.Error) // of the logarithm
	z := p.factor.At(uint64(j.ID), 0, 0).NormFloat64()
	return model.Time(min(float64(size)*math.Exp(math.Sqrt(variance)*z-variance/2), float64(model.Forever)/2))
}

func (p *Predictor) fromInput(j *cluster.Job) model.Time {
	if j.Input > 0 && p.fit.n > 0 {
		return model.Time(min(math.Exp(p.fit.at(math.Log(float64(j.Input)))), float64(model.Forever)/2))
	}
	if p.tasks == 0 {
		return 0
	}
	return p.work / model.Time(p.tasks) * model.Time(j.Total[model.Map]+j.Total[model.Reduce])
}

func (p *Predictor) fromTasks(j *cluster.Job) (model.Time, bool) {
	d, k := p.jobs.Of(j), model.Map
	if j.Total[model.Map] == 0 {
		k = model.Reduce
	}
	need := max(1, int32(math.Ceil(float64(p.params.Sample)*float64(j.Total[k])-1e-9)))
	if d.done[k] < need {
		return 0, false
	}
	size := float64(d.work[k]) / float64(d.done[k]) * float64(j.Total[k])
	if k == model.Map && j.Total[model.Reduce] > 0 && p.reduced[model.Map] > 0 {
		size *= 1 + float64(p.reduced[model.Reduce])/float64(p.reduced[model.Map])
	}
	return model.Time(size), true
}

// TaskRan implements policy.LengthObserver.
func (p *Predictor) TaskRan(_ model.Time, j *cluster.Job, k model.Kind, length model.Time) {
	d := p.jobs.Of(j)
	d.work[k] += length
	d.done[k]++
	p.work += length
	p.tasks++
}

// Completed learns from a job that has ended, and returns its size.
func (p *Predictor) Completed(j *cluster.Job) (size model.Time) {
	d := p.jobs.Of(j)
	size = d.work[model.Map] + d.work[model.Reduce]
	if j.Input > 0 && size > 0 {
		p.fit.add(math.Log(float64(j.Input)), math.Log(float64(size)))
	}
	if j.Total[model.Reduce] > 0 {
		p.reduced[model.Map] += d.work[model.Map]
		p.reduced[model.Reduce] += d.work[model.Reduce]
	}
	return size
}

// lineFit is a straight line through points by least squares, kept as means and centred sums.
type lineFit struct {
	n, x, y, xx, xy float64
}

func (f *lineFit) add(x, y float64) {
	f.n++
	dx, dy := x-f.x, y-f.y
	f.x += dx / f.n
	f.y += dy / f.n
	f.xx += dx * (x - f.x)
	f.xy += dx * (y - f.y)
}

// at returns the line at x; its slope is 1 while all points have the same x.
func (f *lineFit) at(x float64) float64 {
	slope := 1.0
	if f.xx > 0 {
		slope = f.xy / f.xx
	}
	return f.y + slope*(x-f.x)
}
