// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// poolMetric is a number of a pool of room over a whole run; its name ends in the pool's.
type poolMetric struct {
	prefix, unit, doc string
	lower             bool
	of                func(r *Run, pool int) float64
}

var poolMetrics = []poolMetric{
	{"held_hours_", "h", "room of the POOL pool that tasks held, times hours: what a cluster on demand would pay for", true,
		func(r *Run, p int) float64 { return r.held(p) / 3600 }},
	{"free_hours_", "h", "room of the POOL pool that stayed free over the makespan, times hours: what a cluster on demand could give back", false,
		func(r *Run, p int) float64 {
			all := Group{Jobs: All(r, 0).Jobs}
			return float64(r.Capacity[p])*all.makespan()/3600 - r.held(p)/3600
		}},
	{"idle_hours_", "h", "room of the POOL pool that was free although tasks that may start waited for some, times hours (slots and containers only)", true,
		func(r *Run, p int) float64 { return r.Idle[p] / 3600 }},
}

// findPoolMetric takes held_hours_map apart.
func findPoolMetric(name string) (m *poolMetric, pool string, ok bool) {
	for i := range poolMetrics {
		if pool, ok := strings.CutPrefix(name, poolMetrics[i].prefix); ok && isPool(pool) {
			return &poolMetrics[i], pool, true
		}
	}
	return nil, "", false
}

func (m *poolMetric) value(r *Run, pool string) (float64, bool) {
	p := slices.Index(r.Pools, pool)
	if p < 0 {
		return 0, false
	}
	return m.of(r, p), true
}

// held returns the room of a pool that tasks held, times seconds.
func (r *Run) held(pool int) float64 {
	sum := 0.0
	for _, line := range r.Series.Lines {
		if line.Name == "utilisation" && line.Key == r.Pools[pool] {
			for _, v := range line.Values {
				sum += v
			}
		}
	}
	return sum * r.Series.Width.Seconds() * float64(r.Capacity[pool])
}

// freeLines returns the room of each pool that is free over time, up to the last event.
func freeLines(s *Series, pools []string, capacity []int64, last model.Time) (lines []Line) {
	for p, pool := range pools {
		for _, use := range s.Lines {
			if use.Name != "utilisation" || use.Key != pool {
				continue
			}
			free := make([]float64, len(use.Values))
			for k, u := range use.Values {
				whole := min(float64(last)/float64(s.Width)-float64(k), 1) // of the bucket lies in the run
				free[k] = float64(capacity[p]) * (whole - u)
			}
			lines = append(lines, Line{"free", pool, free})
		}
	}
	return lines
}

// idler sums the room that is free while tasks wait which may start, by pool.
type idler struct {
	model   model.RoomModel
	last    model.Time
	free    []int64
	waiting []int64
	idle    []float64
}

func newIdler(t *model.Topology) *idler {
	n := t.Model.Pools()
	i := &idler{model: t.Model, free: make([]int64, n), waiting: make([]int64, n), idle: make([]float64, n)}
	total := t.Total()
	copy(i.free, total[:n])
	return i
}

// record takes in an event of a job. Under yarn, where tasks differ in what they need, nothing is
// summed.
func (i *idler) record(e *record.Event, spec *model.Job) {
	if i.model == model.Yarn {
		return
	}
	if e.Time > i.last {
		for p := range i.idle {
			i.idle[p] += float64(max(min(i.free[p], i.waiting[p]), 0)) * (e.Time - i.last).Seconds()
		}
		i.last = e.Time
	}
	p := i.model.Pool(e.Task.Kind)
	switch e.Kind {
	case record.JobAdmitted:
		i.waiting[i.model.Pool(model.Map)] += int64(spec.Maps)
	case record.TasksEligible:
		i.waiting[p] += int64(e.Count)
	case record.TaskStarted:
		i.free[p]--
		i.waiting[p]--
	case record.TaskEnded:
		i.free[p]++
	case record.TaskKilled:
		i.free[p]++
		i.waiting[p]++
	case record.TaskDropped:
		if e.Node == model.None {
			i.waiting[p]--
		} else {
			i.free[p]++
		}
	case record.TaskDoubled, record.TaskUndone:
		i.waiting[p]++
	}
}

// window takes slots_60_600 apart: how many tasks held room on average from 60 s to 600 s of the
// run.
func window(name string) (from, to float64, ok bool) {
	rest, ok := strings.CutPrefix(name, "slots_")
	if !ok {
		return 0, 0, false
	}
	a, b, _ := strings.Cut(rest, "_")
	from, err1 := strconv.ParseFloat(a, 64)
	to, err2 := strconv.ParseFloat(b, 64)
	return from, to, err1 == nil && err2 == nil && from >= 0 && to > from && to < 1e12 && strings.Trim(rest, "0123456789._") == ""
}

// slots returns how many tasks the jobs of the group held room with on average over a window. The
// second result is false if one of them has no curve of its own.
func (g *Group) slots(from, to float64) (float64, bool) {
	width, sum := g.Run.Series.Width.Seconds(), 0.0
	for _, j := range g.Jobs {
		k := slices.IndexFunc(g.Run.Series.Lines, func(l Line) bool { return l.Name == "job" && l.Key == j.Name })
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
