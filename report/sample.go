// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// bounds are the most that is embedded for one policy.
type bounds struct {
	cdf          int // points of a distribution
	cdfTail      int // of these, points in the last percent
	scatter      int // points
	scatterTop   int // jobs with the largest slowdown, kept in any case
	gantt        int // jobs
	ganttLongest int // jobs with the longest elapsed time, kept in any case
	band         int // values of a band over time
}

// full is what a policy gets on a page of up to sharing policies.
var full = bounds{cdf: 300, cdfTail: 50, scatter: 3000, scatterTop: 100, gantt: 2000, ganttLongest: 500, band: outlineBuckets}

const sharing = 5

// boundsFor returns the bounds for each policy of a page. More than a few policies share what those would get, so
// that a page keeps its size.
func boundsFor(policies int) bounds {
	if policies <= sharing {
		return full
	}
	parts := min(policies+policies*policies/100, 100) // each policy brings its column of the table and its ranges too
	part := func(n int) int { return max(n*sharing/parts, 8) }
	return bounds{part(full.cdf), part(full.cdfTail), part(full.scatter), part(full.scatterTop), part(full.gantt), part(full.ganttLongest), part(full.band)}
}

// cdf is a distribution: a share P[i] of the values is at most X[i].
type cdf struct {
	X nums `json:"x"`
	P nums `json:"p"`
}

// newCDF thins the ascending values to the points that the bounds allow, evenly by rank and more densely in the last
// percent. The smallest and the largest value are always there.
func newCDF(values []float64, b bounds) cdf {
	n := len(values)
	ranks := make([]int, 0, b.cdf)
	if n <= b.cdf {
		for i := range n {
			ranks = append(ranks, i)
		}
	} else {
		body := b.cdf - b.cdfTail
		for i := range body {
			ranks = append(ranks, i*(n-1)/(body-1))
		}
		first := (n - 1) * 99 / 100
		for i := range b.cdfTail {
			ranks = append(ranks, first+i*(n-1-first)/(b.cdfTail-1))
		}
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
	}
	c := cdf{X: make(nums, len(ranks)), P: make(nums, len(ranks))}
	for i, r := range ranks {
		c.X[i], c.P[i] = values[r], float64(r+1)/float64(n)
	}
	return c
}

// The percentiles for which slowdown variability is drawn.
const firstPercentile, lastPercentile = 50, 99

// variation returns V(q), the q-th percentile over the median, for every percentile drawn.
func variation(slow []float64) nums {
	median := stats.Quantile(slow, 0.5)
	if median <= 0 {
		return nums{}
	}
	v := make(nums, 0, lastPercentile-firstPercentile+1)
	for q := firstPercentile; q <= lastPercentile; q++ {
		v = append(v, stats.Quantile(slow, float64(q)/100)/median)
	}
	return v
}

// scatter holds points of slowdown (Y) against job size (X, seconds). Point i is job ID[i] and
// stands for N[i] jobs that lie so near that one dot shows them.
type scatter struct {
	ID []model.JobID `json:"id"`
	X  nums          `json:"x"`
	Y  nums          `json:"y"`
	N  []int         `json:"n"`
}

// newScatter thins the jobs whose slowdown is known to what the bounds allow: the extremes of
// both axes and the largest slowdowns stay; of the others one job per cell of a logarithmic grid
// stays, on the finest grid that is small enough.
func newScatter(jobs []metrics.Job, b bounds) scatter {
	known := make([]*metrics.Job, 0, len(jobs))
	for i := range jobs {
		if jobs[i].Reference > 0 {
			known = append(known, &jobs[i])
		}
	}
	count := make(map[model.JobID]int, b.scatter)
	if len(known) <= b.scatter {
		for _, j := range known {
			count[j.ID] = 1
		}
	} else {
		keepExtremes(known, count, b.scatterTop)
		for side := 512; !thinOnGrid(known, count, side, b.scatter); side = side * 7 / 8 {
		}
	}
	var s scatter
	for _, j := range known {
		if n := count[j.ID]; n > 0 {
			s.ID = append(s.ID, j.ID)
			s.X = append(s.X, j.Size.Seconds())
			s.Y = append(s.Y, j.Slowdown())
			s.N = append(s.N, n)
		}
	}
	return s
}

// keepExtremes counts 1 for the jobs that stay in any case.
func keepExtremes(jobs []*metrics.Job, count map[model.JobID]int, top int) {
	bySlowdown := slices.Clone(jobs)
	slices.SortFunc(bySlowdown, func(a, b *metrics.Job) int {
		return cmp.Or(cmp.Compare(b.Slowdown(), a.Slowdown()), cmp.Compare(a.ID, b.ID))
	})
	for _, j := range bySlowdown[:top] {
		count[j.ID] = 1
	}
	count[bySlowdown[len(bySlowdown)-1].ID] = 1
	bySize := func(a, b *metrics.Job) int { return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.ID, b.ID)) }
	count[slices.MinFunc(jobs, bySize).ID] = 1
	count[slices.MaxFunc(jobs, bySize).ID] = 1
}

// thinOnGrid adds to count one job per cell of a grid with side x side cells, with the number of
// jobs in it, and reports whether there are at most that many; if not, count is left as it was.
func thinOnGrid(jobs []*metrics.Job, count map[model.JobID]int, side, most int) bool {
	x := logCells(jobs, side, func(j *metrics.Job) float64 { return j.Size.Seconds() })
	y := logCells(jobs, side, (*metrics.Job).Slowdown)
	first := make(map[[2]int]model.JobID)
	extra := make(map[model.JobID]int)
	for i, j := range jobs {
		if count[j.ID] > 0 {
			continue
		}
		cell := [2]int{x[i], y[i]}
		if _, ok := first[cell]; !ok {
			first[cell] = j.ID
		}
		extra[first[cell]]++
	}
	if len(count)+len(extra) > most {
		return false
	}
	for id, n := range extra {
		count[id] = n
	}
	return true
}

// logCells returns the cell of every job on a logarithmic axis with side cells; values that are
// not positive are in cell 0.
func logCells(jobs []*metrics.Job, side int, value func(*metrics.Job) float64) []int {
	low, high := math.Inf(1), math.Inf(-1)
	for _, j := range jobs {
		if v := value(j); v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	cells := make([]int, len(jobs))
	if low >= high {
		return cells
	}
	scale := float64(side-1) / math.Log(high/low)
	for i, j := range jobs {
		if v := value(j); v > 0 {
			cells[i] = int(math.Log(v/low) * scale)
		}
	}
	return cells
}

// gantt holds the bars of jobs in order of submission. Every counts as 1 if all jobs are there;
// otherwise one in Every jobs by submission was taken, and the Longest longest of the others.
type gantt struct {
	ID      []model.JobID `json:"id"`
	Submit  instants      `json:"submit"`
	Wait    nums          `json:"wait"`
	Exec    nums          `json:"exec"`
	Every   num           `json:"every"`
	Longest int           `json:"longest"`
}

// newGantt thins the jobs to what the bounds allow: some evenly spaced by submission, and the longest of the
// others, so that the longest of all are there.
func newGantt(jobs []metrics.Job, b bounds) gantt {
	order := make([]*metrics.Job, len(jobs))
	for i := range jobs {
		order[i] = &jobs[i]
	}
	bySubmit := func(a, b *metrics.Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(order, bySubmit)
	g := gantt{Every: 1}
	if n := len(order); n > b.gantt {
		even := b.gantt - b.ganttLongest
		var taken, rest []*metrics.Job
		next := 0
		for i, j := range order {
			if next < even && i == next*n/even {
				taken, next = append(taken, j), next+1
			} else {
				rest = append(rest, j)
			}
		}
		slices.SortFunc(rest, func(a, b *metrics.Job) int {
			return cmp.Or(cmp.Compare(b.Elapsed(), a.Elapsed()), cmp.Compare(a.ID, b.ID))
		})
		order = append(taken, rest[:b.ganttLongest]...)
		slices.SortFunc(order, bySubmit)
		g.Every, g.Longest = num(float64(n)/float64(even)), b.ganttLongest
	}
	for _, j := range order {
		g.ID = append(g.ID, j.ID)
		g.Submit = append(g.Submit, j.Submit.Seconds())
		g.Wait = append(g.Wait, j.Waiting().Seconds())
		g.Exec = append(g.Exec, j.Execution().Seconds())
	}
	return g
}
