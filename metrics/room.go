// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
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

// inUse is the share of a pool that tasks, masters, set-up and clean-up tasks held up to the end of the last job, times seconds.
func (r *Run) inUse(pool int) float64 {
	sum := 0.0
	for _, line := range r.Series.Lines {
		if line.Name == LineUse && line.Key == r.Pools[pool] {
			for _, v := range line.Values {
				sum += v
			}
		}
	}
	return max(0, sum*r.Series.Width.Seconds()-ratio(r.Stays[pool], float64(r.Capacity[pool])))
}

// held is the room of a pool that was held, times seconds.
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
				free[k] = float64(capacity[p]) * max(whole-u, 0)           // a scheduler that looks at memory alone may oversell vcores
			}
			lines = append(lines, Line{LineFree, pool, free})
		}
	}
	return lines
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
