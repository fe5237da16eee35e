// SPDX-License-Identifier: Apache-2.0

// Package expected follows when jobs with a goal were expected to end, by the estimator of deadline-2010, and says how good these
// estimates were (§V-B).
package expected

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Quality says how good the estimate of a job's completion was while it ran.
// The relative error of an estimate is (estimated - real end) / elapsed.
type Quality struct {
	Early    float64 // mean of the error's size over the first half of the elapsed time
	Late     float64 // and over the second half
	Bias     float64 // mean of the error over the first tenth, with its sign: above 0 if the job was expected to end too late; 0 without an estimate by then
	Accurate float64 // share of the time with an estimate in which the error was below 5 %
	Settled  float64 // share of the elapsed time after which the error stayed below 10 %
}

// mostSamples is how many estimates of a job are kept; when there are more, every other is dropped.
const mostSamples = 512

// Follower follows the jobs that have a goal: after each moment in which something happened to a
// job it notes when the job will end. It is a fold over the events, so it works under any policy. Under one that keeps the same
// estimates itself it reads these: they differ where nodes are lost, because the policy knows how much room is left when a job starts.
type Follower struct {
	watch   *goal.Watch
	reads   bool // somebody else keeps the watch
	jobs    []model.Job
	room    [model.Dims]int64
	submits []model.Time         // by job; None if it has no goal, or is not there
	tracks  []*track             // by job, from its first task on
	spare   []*track             // of jobs that have ended: the next ones use their memory
	pool    pool                 // of their samples
	drawn   map[model.JobID]bool // jobs that keep their samples for the series
}

var _ goal.Reader = (*Follower)(nil)

// track is what was estimated for one job: two lines of memory, of which most events look at the first alone.
type track struct {
	job    *goal.Job  // nil after its end
	last   model.Time // when something last happened to it: after its end, when that was
	next   model.Time // when the next sample may come; the last one itself lies far away
	submit model.Time
	samples
	gap model.Time // least time between two samples
	_   [32]byte
}

// New returns nil if no job has a goal. That many jobs, those with most tasks, have curves.
func New(t *model.Topology, jobs []model.Job, curves int) *Follower {
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
	f := &Follower{watch: goal.NewWatch(goal.DefaultConfig()), jobs: jobs, room: t.Total(),
		submits: slices.Repeat([]model.Time{model.None}, len(jobs)), tracks: make([]*track, len(jobs)), drawn: map[model.JobID]bool{}}
	for _, id := range with[:min(len(with), curves)] {
		f.drawn[id] = true
	}
	return f
}

// Read implements goal.Reader: unless its estimates differ, the watch takes the place of the follower's own.
func (f *Follower) Read(w *goal.Watch) bool {
	if f.reads = w.Like(goal.DefaultConfig()); f.reads {
		f.watch = w
	}
	return f.reads
}

// Follows implements goal.Reader.
func (f *Follower) Follows(id model.JobID, job *goal.Job, now model.Time) goal.Listener {
	return f.follow(id, now, job)
}

// Moves implements goal.Listener: it notes how the job stood since something last happened to it.
func (t *track) Moves(now model.Time) {
	if now > t.last {
		t.sample()
		t.last = now
	}
}

// Task takes in the start of a task, or its end with its work done.
func (f *Follower) Task(e *record.Event) {
	if !f.reads { // else it has been told
		f.Record(e)
	}
}

// Record takes in an event. When the job has ended it returns how good its estimates were.
func (f *Follower) Record(e *record.Event) *Quality {
	id := e.Task.Job
	t := f.tracks[id]
	if t == nil {
		if e.Kind == record.JobSubmitted && f.jobs[id].Goal > 0 { // the job, which lies far away, is looked at once
			f.submits[id] = e.Time
		}
		if e.Kind != record.TaskStarted || f.submits[id] == model.None || f.reads {
			return nil
		}
		spec := &f.jobs[id]
		t = f.follow(id, e.Time, f.watch.Follow(id, f.submits[id], [model.Kinds]int32{spec.Maps, spec.Reduces}, goal.Room(f.room, spec.Need)))
	}
	if t.job == nil { // it is over
		return nil
	}
	t.Moves(e.Time)
	switch e.Kind {
	case record.JobEnded:
		return f.ended(e)
	case record.JobFailed:
		f.leave(id, t)
		f.tracks[id] = nil
	default:
		if !f.reads {
			t.takeIn(e)
		}
	}
	return nil
}

// takeIn lets the estimate know of an event.
func (t *track) takeIn(e *record.Event) {
	switch e.Kind {
	case record.TaskStarted:
		t.job.Start(e.Task.Kind, e.Task.Index, model.None, e.Time)
	case record.TaskEnded, record.TaskKilled, record.TaskDropped:
		if e.Node != model.None { // else it had not started
			t.job.End(e.Task.Kind, e.Task.Index, model.None, e.Since, e.Time, e.Kind == record.TaskEnded)
		}
	}
}

// follow begins to follow a job whose first task starts.
func (f *Follower) follow(id model.JobID, now model.Time, job *goal.Job) *track {
	var t *track
	if n := len(f.spare); n > 0 {
		t, f.spare = f.spare[n-1], f.spare[:n-1]
	} else {
		t = &track{}
	}
	*t = track{job: job, submit: f.submits[id], last: now, samples: samples{pool: &f.pool, full: t.full}}
	f.tracks[id] = t
	return t
}

// leave lets go of the estimate of a job that is over.
func (f *Follower) leave(id model.JobID, t *track) {
	if !f.reads {
		f.watch.Forget(id)
	}
	t.job, f.submits[id] = nil, model.None
}

// ended returns how good the estimates of a job were that ends now.
func (f *Follower) ended(e *record.Event) *Quality {
	id := e.Task.Job
	t := f.tracks[id]
	t.last = e.Time
	f.leave(id, t)
	result := t.judge()
	if !f.drawn[id] {
		t.clear()
		f.tracks[id], f.spare = nil, append(f.spare, t)
	}
	return result
}

// sample notes what is expected since the last event of the job.
func (t *track) sample() {
	if !t.job.HasData() {
		return
	}
	if t.last < t.next {
		return
	}
	if t.len() == mostSamples {
		t.halve()
		t.gap = max(2*t.gap, (t.last-t.all()[0].at)/mostSamples)
	}
	t.next = t.last + t.gap
	s := t.add() // field by field: to copy what was just written takes long
	s.at, s.end = t.last, t.job.Expected(t.last)
}

// error is the relative error of an estimate.
func (t *track) error(end model.Time) float64 {
	if end == model.Forever {
		return math.Inf(1)
	}
	return float64(end-t.last) / float64(t.last-t.submit)
}

// until returns until when a sample of the list holds.
func (t *track) until(list []sample, i int) model.Time {
	if i+1 < len(list) {
		return list[i+1].at
	}
	return t.last
}

// each calls f for every span of time with one estimate, up to the end of the job.
func (t *track) each(f func(from, to model.Time, s sample)) {
	list := t.all()
	for i, s := range list {
		f(s.at, t.until(list, i), s)
	}
}

// judge sums up; nil if there never was an estimate. Where no end could be expected, because the
// job held no room, the estimate counts as inaccurate and its error is left out of the means.
func (t *track) judge() *Quality {
	list := t.all()
	if len(list) == 0 || t.last == t.submit {
		return nil
	}
	r := &Quality{}
	elapsed := float64(t.last - t.submit)
	half, tenth := t.submit+(t.last-t.submit)/2, t.submit+(t.last-t.submit)/10
	var sum, span [2]float64
	bias, first := 0.0, 0.0
	near, all := 0.0, 0.0
	settled := t.submit
	for i := range list {
		s := &list[i]
		from, to := s.at, t.until(list, i)
		all += float64(to - from)
		if s.end == model.Forever {
			settled = to
			continue
		}
		signed := float64(s.end-t.last) / elapsed
		e := math.Abs(signed)
		if e < 0.05 {
			near += float64(to - from)
		}
		if e >= 0.1 {
			settled = to
		}
		if from < tenth {
			bias += signed * float64(min(to, tenth)-from)
			first += float64(min(to, tenth) - from)
		}
		if from < half {
			sum[0] += e * float64(min(to, half)-from)
			span[0] += float64(min(to, half) - from)
		}
		if to > half {
			sum[1] += e * float64(to-max(from, half))
			span[1] += float64(to - max(from, half))
		}
	}
	r.Settled = float64(settled-t.submit) / elapsed
	r.Early, r.Late, r.Accurate, r.Bias = mean(sum[0], span[0]), mean(sum[1], span[1]), mean(near, all), mean(bias, first)
	return r
}

// mean returns a sum over what was summed up, 0 if nothing was.
func mean(sum, over float64) float64 {
	if over == 0 {
		return 0
	}
	return sum / over
}

// Curve is what was expected of a job over time. Where there is no estimate the values are NaN.
type Curve struct {
	Job      model.JobID
	Expected []float64 // when it will end, in seconds
	Error    []float64 // the relative error of that
}

// Curves returns the curves of the jobs with most tasks, as means over n spans of time of that width.
func (f *Follower) Curves(width model.Time, n int) (curves []Curve) {
	for id, t := range f.tracks {
		if t == nil || t.job != nil {
			continue
		}
		c := Curve{model.JobID(id), make([]float64, n), make([]float64, n)}
		weight := make([]float64, n)
		t.each(func(from, to model.Time, s sample) {
			if s.end == model.Forever {
				return
			}
			for k := from / width; k < model.Time(n) && k*width < to; k++ {
				part := float64(min(to, (k+1)*width) - max(from, k*width))
				weight[k] += part
				c.Expected[k] += part * s.end.Seconds()
				c.Error[k] += part * t.error(s.end)
			}
		})
		for k := range weight {
			c.Expected[k], c.Error[k] = c.Expected[k]/weight[k], c.Error[k]/weight[k] // 0/0 is NaN
		}
		curves = append(curves, c)
	}
	return curves
}
