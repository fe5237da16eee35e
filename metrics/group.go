// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/model"
)

// Group is a set of jobs that a number is asked about: all jobs of a run, or those of one queue,
// class or user.
type Group struct {
	Jobs []*Job
	Run  *Run
	sort map[string][]float64 // by quantity: its values, sorted
}

// All returns the group of all jobs, without the first skip ones (warm-up).
func All(run *Run, skip int) *Group {
	g := &Group{Run: run}
	for i := range run.Jobs {
		if int(run.Jobs[i].ID) >= skip {
			g.Jobs = append(g.Jobs, &run.Jobs[i])
		}
	}
	return g
}

// Where returns the jobs of g for which keep is true.
func (g *Group) Where(keep func(*Job) bool) *Group {
	sub := &Group{Run: g.Run}
	for _, j := range g.Jobs {
		if keep(j) {
			sub.Jobs = append(sub.Jobs, j)
		}
	}
	return sub
}

func (g *Group) makespan() float64 {
	if len(g.Jobs) == 0 {
		return 0
	}
	first, last := model.Forever, model.Time(0)
	for _, j := range g.Jobs {
		first, last = min(first, j.Submit), max(last, j.Finish)
	}
	return (last - first).Seconds()
}

func (g *Group) locality(l model.Locality) float64 {
	var n, total float64
	for _, j := range g.Jobs {
		n += float64(j.Locality[l])
		for _, c := range j.Locality {
			total += float64(c)
		}
	}
	return ratio(n, total)
}

func (g *Group) goalsMet() float64 {
	met, all := 0.0, 0.0
	for _, j := range g.Jobs {
		if j.Goal > 0 {
			all++
			if j.Met() {
				met++
			}
		}
	}
	return ratio(met, all)
}

func (g *Group) mapProgress() float64 {
	sum, n := 0.0, 0.0
	for _, j := range g.Jobs {
		if j.MapsAtFirstReduce != model.None && j.Maps > 0 {
			sum += float64(j.MapsAtFirstReduce) / float64(j.Maps)
			n++
		}
	}
	return ratio(sum, n)
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// values returns the sorted values of a number that every job has.
func (g *Group) values(f *family) []float64 {
	if v, ok := g.sort[f.name]; ok {
		return v
	}
	v := make([]float64, 0, len(g.Jobs))
	for _, j := range g.Jobs {
		if x := f.job(j); !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	slices.Sort(v)
	if g.sort == nil {
		g.sort = map[string][]float64{}
	}
	g.sort[f.name] = v
	return v
}

// Values returns the sorted values of a number that jobs have, such as slowdown; false if there is no
// such number. The caller does not change them.
func (g *Group) Values(name string) ([]float64, bool) {
	for i := range families {
		if families[i].quantity() == name && name != "" {
			return g.values(&families[i]), true
		}
	}
	return nil, false
}

// Value computes a metric of the group. The second result is false for an unknown name, and where no job has the number.
func (g *Group) Value(name string) (float64, bool) {
	f, key, ok := find(name)
	if !ok {
		return 0, false
	}
	return f.of(g, key)
}

// blame is the mean of a part over the jobs, in seconds.
func (g *Group) blame(part string) (float64, bool) {
	p := slices.IndexFunc(partKey.choices, func(c Choice) bool { return c.Name == part })
	return g.mean(func(j *Job) model.Time { return j.Blame[p] }), true
}

// heldBy is the mean time for which a limit held the jobs back, in seconds.
func (g *Group) heldBy(limit string) (float64, bool) {
	l := slices.IndexFunc(limitKey.choices, func(c Choice) bool { return c.Name == limit })
	return g.mean(func(j *Job) model.Time { return j.Limits[l] }), true
}

// mean returns the mean of a time over the jobs, in seconds.
func (g *Group) mean(of func(*Job) model.Time) float64 {
	sum, more := model.Time(0), 0.0 // what does not fit whole nanoseconds is kept in seconds
	for _, j := range g.Jobs {
		if sum += of(j); sum > model.Forever/2 {
			sum, more = 0, more+sum.Seconds()
		}
	}
	return ratio(sum.Seconds()+more, float64(len(g.Jobs)))
}

// statistic computes a statistic of sorted values.
func statistic(stat string, v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	switch stat {
	case "mean":
		return stats.Mean(v)
	case "median":
		return stats.Quantile(v, 0.5)
	case "min":
		return v[0]
	case "max":
		return v[len(v)-1]
	case "cv":
		return ratio(math.Sqrt(stats.Variance(v)), stats.Mean(v))
	case "scv":
		return ratio(stats.Variance(v), stats.Mean(v)*stats.Mean(v))
	}
	q, _ := percentile(stat)
	if stat[0] == 'v' {
		return ratio(stats.Quantile(v, q/100), stats.Quantile(v, 0.5))
	}
	return stats.Quantile(v, q/100)
}
