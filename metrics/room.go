// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// ofPool computes a number of the pool that is a metric's key.
func ofPool(of func(r *Run, pool int) float64) func(*Group, string) (float64, bool) {
	return func(g *Group, name string) (float64, bool) {
		p := slices.Index(g.Run.Pools, name)
		if p < 0 {
			return 0, false
		}
		return of(g.Run, p), true
	}
}

// ofPartPool does the same for a part of a divided cluster.
func ofPartPool(of func(r *Run, n, pool int) float64) func(*Run, int, string) (float64, bool) {
	return func(r *Run, n int, name string) (float64, bool) {
		p := slices.Index(r.Pools, name)
		if p < 0 {
			return 0, false
		}
		return of(r, n, p), true
	}
}

// makespan is that of all jobs of the run.
func (r *Run) makespan() float64 { return All(r, 0).makespan() }

// inUse is the share of a pool that tasks held, times seconds.
func (r *Run) inUse(pool int) float64 {
	sum := 0.0
	for _, line := range r.Series.Lines {
		if line.Name == LineUse && line.Key == r.Pools[pool] {
			for _, v := range line.Values {
				sum += v
			}
		}
	}
	return sum * r.Series.Width.Seconds()
}

// held is the room of a pool that tasks held, times seconds.
func (r *Run) held(pool int) float64 { return r.inUse(pool) * float64(r.Capacity[pool]) }

// load is the work offered to a pool over its room times the span of submissions.
func (r *Run) load(pool int) float64 {
	first, last := model.Forever, model.Time(0)
	for i := range r.Jobs {
		first, last = min(first, r.Jobs[i].Submit), max(last, r.Jobs[i].Submit)
	}
	return ratio(r.Work[pool], float64(r.Capacity[pool])*(last-first).Seconds())
}

// freeLines returns the room of each pool that is free over time, up to the last event.
func freeLines(s *Series, pools []string, capacity []int64, last model.Time) (lines []Line) {
	for p, pool := range pools {
		for _, use := range s.Lines {
			if use.Name != LineUse || use.Key != pool {
				continue
			}
			free := make([]float64, len(use.Values))
			for k, u := range use.Values {
				whole := min(float64(last)/float64(s.Width)-float64(k), 1) // of the bucket lies in the run
				free[k] = float64(capacity[p]) * (whole - u)
			}
			lines = append(lines, Line{LineFree, pool, free})
		}
	}
	return lines
}

// idler sums the room that is free while tasks wait which may start, by pool.
type idler struct {
	model   model.RoomModel
	pools   int
	last    model.Time
	free    [model.Kinds]int64
	waiting [model.Kinds]int64
	idle    [model.Kinds]float64
}

func newIdler(t *model.Topology) idler {
	i := idler{model: t.Model, pools: t.Model.Pools()}
	total := t.Total()
	copy(i.free[:i.pools], total[:])
	return i
}

// advance sums up to now.
func (i *idler) advance(now model.Time) {
	if now == i.last {
		return
	}
	for p := range i.idle {
		if unused := min(i.free[p], i.waiting[p]); unused > 0 {
			i.idle[p] += float64(unused) * (now - i.last).Seconds()
		}
	}
	i.last = now
}

// taken takes in the start of a task of a pool. Under yarn, where tasks differ in what they need, nothing is
// summed.
func (i *idler) taken(now model.Time, pool int) {
	if i.model != model.Yarn {
		i.advance(now)
		i.waiting[pool]--
		i.free[pool]--
	}
}

// given takes in the end of a task of a pool.
func (i *idler) given(now model.Time, pool int) {
	if i.model != model.Yarn {
		i.advance(now)
		i.free[pool]++
	}
}

// record takes in any other event of a job.
func (i *idler) record(e *record.Event, spec *model.Job) {
	if i.model == model.Yarn {
		return
	}
	i.advance(e.Time)
	p := i.model.Pool(e.Task.Kind)
	switch e.Kind {
	case record.JobAdmitted:
		i.waiting[i.model.Pool(model.Map)] += int64(spec.Maps)
	case record.TasksEligible:
		i.waiting[p] += int64(e.Count)
	case record.TaskDropped:
		if e.Node == model.None {
			i.waiting[p]--
		}
	case record.TaskKilled, record.TaskDoubled, record.TaskUndone:
		i.waiting[p]++
	}
	i.free[p] -= taken(e)
}

// slots returns how many tasks the jobs of the group held room with on average over a window. The
// second result is false if one of them has no curve of its own.
func (g *Group) slots(window string) (float64, bool) {
	from, to, _ := parseWindow(window)
	width, sum := g.Run.Series.Width.Seconds(), 0.0
	for _, j := range g.Jobs {
		k := slices.IndexFunc(g.Run.Series.Lines, func(l Line) bool { return l.Name == LineJob && l.Key == j.Name })
		if k < 0 {
			return 0, false
		}
		for b, v := range g.Run.Series.Lines[k].Values {
			begin := float64(b) * width
			sum += v * max(min(to, begin+width)-max(from, begin), 0)
		}
	}
	return sum / (to - from), true
}
