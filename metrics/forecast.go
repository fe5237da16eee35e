// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Forecast says how good the estimate of a job's completion was while it ran (deadline-2010 §V-B).
// The relative error of an estimate is (estimated - real end) / elapsed.
type Forecast struct {
	Early    float64 // mean of the error's size over the first half of the elapsed time
	Late     float64 // and over the second half
	Bias     float64 // mean of the error over the first tenth, with its sign: above 0 if the job was expected to end too late; 0 without an estimate by then
	Accurate float64 // share of the time with an estimate in which the error was below 5 %
	Settled  float64 // share of the elapsed time after which the error stayed below 10 %
}

// mostSamples is how many estimates of a job are kept; when there are more, every other is dropped.
const mostSamples = 512

// forecaster follows the jobs that have a goal: after each moment in which something happened to a
// job it notes when the job will end by the estimator of deadline-2010. It is a fold over the
// events, so it works under any policy.
type forecaster struct {
	watch  *goal.Watch
	jobs   []model.Job
	room   [model.Dims]int64
	tracks []*track
	spare  [][]sample           // of jobs that have ended: the next ones use their memory
	drawn  map[model.JobID]bool // jobs that keep their samples for the series
}

// track is what was estimated for one job.
type track struct {
	job                  *goal.Job // nil before its first task starts and after its end
	submit, last, finish model.Time
	gap                  model.Time // least time between two samples
	samples              []sample
}

// sample is an estimate that holds from a time on.
type sample struct{ at, end model.Time }

// newForecaster returns nil if no job has a goal.
func newForecaster(t *model.Topology, jobs []model.Job) *forecaster {
	var with []model.JobID
	for i := range jobs {
		if jobs[i].Goal > 0 {
			with = append(with, model.JobID(i))
		}
	}
	if len(with) == 0 {
		return nil
	}
	slices.SortFunc(with, func(a, b model.JobID) int {
		x, y := &jobs[a], &jobs[b]
		return cmp.Or(cmp.Compare(y.Maps+y.Reduces, x.Maps+x.Reduces), cmp.Compare(a, b))
	})
	f := &forecaster{watch: goal.NewWatch(goal.DefaultConfig()), jobs: jobs, room: t.Total(),
		tracks: make([]*track, len(jobs)), drawn: map[model.JobID]bool{}}
	for _, id := range with[:min(len(with), topJobs)] {
		f.drawn[id] = true
	}
	return f
}

// record takes in an event. When the job has ended it returns how good its estimates were.
func (f *forecaster) record(e *record.Event) *Forecast {
	id := e.Task.Job
	t := f.tracks[id]
	if t == nil {
		if e.Kind == record.JobSubmitted && f.jobs[id].Goal > 0 { // the job, which lies far away, is looked at once
			f.tracks[id] = &track{submit: e.Time, last: e.Time}
		}
		return nil
	}
	if e.Time > t.last {
		if t.job != nil {
			t.sample() // how it stood since the last event
		}
		t.last = e.Time
	}
	switch e.Kind {
	case record.TaskStarted:
		if t.job == nil {
			f.follow(id, t)
		}
		f.watch.Started(e.Time, e.Task, e.Node)
	case record.TaskEnded, record.TaskKilled:
		f.watch.Ended(e.Time, e.Task, e.Node, e.Kind == record.TaskEnded)
	case record.TaskDropped:
		if e.Node != model.None {
			f.watch.Ended(e.Time, e.Task, e.Node, false)
		}
	case record.JobEnded:
		return f.ended(e)
	}
	return nil
}

// follow begins to follow a job whose first task starts.
func (f *forecaster) follow(id model.JobID, t *track) {
	spec := &f.jobs[id]
	t.job = f.watch.Follow(id, t.submit, [model.Kinds]int32{spec.Maps, spec.Reduces}, goal.Room(f.room, spec.Need))
	if n := len(f.spare); n > 0 {
		t.samples, f.spare = f.spare[n-1], f.spare[:n-1]
	}
}

// ended returns how good the estimates of a job were that ends now.
func (f *forecaster) ended(e *record.Event) *Forecast {
	id := e.Task.Job
	t := f.tracks[id]
	t.finish = e.Time
	if t.job != nil {
		f.watch.Forget(id)
		t.job = nil
	}
	result := t.judge()
	if !f.drawn[id] {
		f.tracks[id], f.spare = nil, append(f.spare, t.samples[:0])
	}
	return result
}

// sample notes what is expected since the last event of the job.
func (t *track) sample() {
	if !t.job.HasData() {
		return
	}
	n := len(t.samples)
	if n > 0 && t.last < t.samples[n-1].at+t.gap {
		return
	}
	if n == mostSamples {
		for i := range n / 2 {
			t.samples[i] = t.samples[2*i]
		}
		t.samples = t.samples[:n/2]
		t.gap = max(2*t.gap, (t.last-t.samples[0].at)/mostSamples)
	}
	t.samples = append(t.samples, sample{t.last, t.job.Expected(t.last)})
}

// error is the relative error of an estimate.
func (t *track) error(end model.Time) float64 {
	if end == model.Forever {
		return math.Inf(1)
	}
	return float64(end-t.finish) / float64(t.finish-t.submit)
}

// each calls f for every span of time with one estimate, up to the end of the job.
func (t *track) each(f func(from, to model.Time, s sample)) {
	for i, s := range t.samples {
		to := t.finish
		if i+1 < len(t.samples) {
			to = t.samples[i+1].at
		}
		f(s.at, to, s)
	}
}

// judge sums up; nil if there never was an estimate. Where no end could be expected, because the
// job held no room, the estimate counts as inaccurate and its error is left out of the means.
func (t *track) judge() *Forecast {
	if len(t.samples) == 0 || t.finish == t.submit {
		return nil
	}
	r := &Forecast{}
	half, tenth := t.submit+(t.finish-t.submit)/2, t.submit+(t.finish-t.submit)/10
	var sum, span [2]float64
	bias, first := 0.0, 0.0
	near, all := 0.0, 0.0
	t.each(func(from, to model.Time, s sample) {
		signed := t.error(s.end)
		e := math.Abs(signed)
		all += float64(to - from)
		if e < 0.05 {
			near += float64(to - from)
		}
		if e >= 0.1 {
			r.Settled = float64(to-t.submit) / float64(t.finish-t.submit)
		}
		if math.IsInf(e, 0) {
			return
		}
		bias += signed * float64(min(to, tenth)-min(from, tenth))
		first += float64(min(to, tenth) - min(from, tenth))
		for h, part := range [2]model.Time{min(to, half) - min(from, half), max(to, half) - max(from, half)} {
			sum[h] += e * float64(part)
			span[h] += float64(part)
		}
	})
	r.Early, r.Late, r.Accurate, r.Bias = ratio(sum[0], span[0]), ratio(sum[1], span[1]), ratio(near, all), ratio(bias, first)
	return r
}

// lines returns the curves of the jobs with most tasks: expected is when the job will end, in
// seconds, error the relative error of that. Where there is no estimate the value is NaN.
func (f *forecaster) lines(width model.Time, n int) (lines []Line) {
	for id, t := range f.tracks {
		if t == nil || t.finish == 0 {
			continue
		}
		expected, relative := make([]float64, n), make([]float64, n)
		weight := make([]float64, n)
		t.each(func(from, to model.Time, s sample) {
			if s.end == model.Forever {
				return
			}
			for k := from / width; k < model.Time(n) && k*width < to; k++ {
				part := float64(min(to, (k+1)*width) - max(from, k*width))
				weight[k] += part
				expected[k] += part * s.end.Seconds()
				relative[k] += part * t.error(s.end)
			}
		})
		for k := range weight {
			expected[k], relative[k] = expected[k]/weight[k], relative[k]/weight[k] // 0/0 is NaN
		}
		name := f.jobs[id].Name
		lines = append(lines, Line{LineExpected, name, expected}, Line{LineError, name, relative})
	}
	return lines
}
