// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
)

// Backtest holds what a simulation predicts for the jobs of a history against what they really took.
// It watches the first policy of a comparison through Observe.
type Backtest struct {
	actual    map[string]*workload.Record // by job name
	predicted [][]metrics.Job             // by repetition
}

// errNoHistory says why a workload cannot be held against what happened.
var errNoHistory = errors.New("the workload does not say what its jobs really took; allowed: a job history, or a trace with the columns waited and elapsed")

// NewBacktest prepares for n repetitions. It fails if the workload is not a history, or is changed from
// what happened.
func NewBacktest(s *scenario.Scenario, n int) (*Backtest, error) {
	t := s.Workload.Trace
	if t == nil {
		return nil, &strict.InputError{Err: errNoHistory}
	}
	if s.Workload.Stretch != 1 || s.Workload.Reduces != 0 || t.Stretch != 1 || t.Load != 0 || t.Thin != 1 {
		return nil, &strict.InputError{Err: errors.New("the workload is changed from what happened; allowed: no stretch, load, thin or reduces")}
	}
	b := &Backtest{actual: map[string]*workload.Record{}, predicted: make([][]metrics.Job, n)}
	records := s.Records()
	for i := range records {
		if r := &records[i]; r.Elapsed > 0 {
			b.actual[r.Name] = r
		}
	}
	if len(b.actual) == 0 {
		return nil, &strict.InputError{Err: errNoHistory}
	}
	return b, nil
}

// Observe is for Options.Observe.
func (b *Backtest) Observe(p, rep int, g *metrics.Group) {
	if p != 0 {
		return
	}
	for _, j := range g.Jobs {
		if b.actual[j.Name] != nil {
			b.predicted[rep] = append(b.predicted[rep], *j)
		}
	}
}

// BacktestJob is one job: what it took and, mean over the repetitions, what was predicted. Times are in seconds.
type BacktestJob struct {
	Name    string     `json:"name"`
	Queue   string     `json:"queue"`
	Waited  [2]float64 `json:"waited"`  // seen, predicted
	Elapsed [2]float64 `json:"elapsed"` // the same
}

// Jobs returns the jobs of the first n repetitions, in the order of their names.
func (b *Backtest) Jobs(n int) []BacktestJob {
	sums := map[string]*BacktestJob{}
	count := map[string]float64{}
	for _, rep := range b.predicted[:n] {
		for i := range rep {
			j := &rep[i]
			p := sums[j.Name]
			if p == nil {
				r := b.actual[j.Name]
				p = &BacktestJob{Name: j.Name, Queue: j.Queue, Waited: [2]float64{r.Waited.Seconds(), 0}, Elapsed: [2]float64{r.Elapsed.Seconds(), 0}}
				sums[j.Name] = p
			}
			p.Waited[1] += j.Waiting().Seconds()
			p.Elapsed[1] += j.Elapsed().Seconds()
			count[j.Name]++
		}
	}
	jobs := []BacktestJob{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		p := sums[name]
		p.Waited[1] /= count[name]
		p.Elapsed[1] /= count[name]
		jobs = append(jobs, *p)
	}
	return jobs
}

// Rows returns the accuracy over the first n repetitions: all jobs first, then queue by queue in order
// of their names.
func (b *Backtest) Rows(n int) []result.BacktestRow {
	queues := map[string][]*BacktestJob{}
	var all []*BacktestJob
	jobs := b.Jobs(n)
	for i := range jobs {
		p := &jobs[i]
		all = append(all, p)
		queues[p.Queue] = append(queues[p.Queue], p)
	}
	rows := []result.BacktestRow{backtestRow("", all)}
	for _, q := range slices.Sorted(maps.Keys(queues)) {
		rows = append(rows, backtestRow(q, queues[q]))
	}
	return rows
}

func backtestRow(queue string, pairs []*BacktestJob) result.BacktestRow {
	row := result.BacktestRow{Queue: queue, Jobs: len(pairs)}
	var w, e [][2]float64
	for _, p := range pairs {
		w, e = append(w, p.Waited), append(e, p.Elapsed)
	}
	row.Waiting, row.Elapsed = accuracy(w), accuracy(e)
	return row
}

// accuracy measures pairs of what was and what was predicted.
func accuracy(pairs [][2]float64) (a result.Accuracy) {
	n := float64(len(pairs))
	if n == 0 {
		return a
	}
	errs := make([]float64, 0, len(pairs))
	for _, p := range pairs {
		a.Actual += p[0] / n
		a.Predicted += p[1] / n
		a.Absolute += math.Abs(p[1]-p[0]) / n
		errs = append(errs, p[1]-p[0])
	}
	slices.Sort(errs)
	a.Median = (errs[(len(errs)-1)/2] + errs[len(errs)/2]) / 2
	a.Order = rankCorrelation(pairs)
	return a
}

// rankCorrelation is Spearman's: the correlation of the ranks, equal values sharing the mean rank.
// Without any order to get right it is 1.
func rankCorrelation(pairs [][2]float64) float64 {
	var r [2][]float64
	for side := range r {
		r[side] = ranks(pairs, side)
	}
	mean := float64(len(pairs)-1) / 2
	var xy, xx, yy float64
	for i := range pairs {
		x, y := r[0][i]-mean, r[1][i]-mean
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if xx == 0 || yy == 0 {
		if xx == yy {
			return 1
		}
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(pairs [][2]float64, side int) []float64 {
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pairs[a][side], pairs[b][side]) })
	out := make([]float64, len(pairs))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && pairs[order[to]][side] == pairs[order[from]][side] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}

// Trust says in a sentence how far a what-if on the history can be trusted.
func Trust(rows []result.BacktestRow) string {
	all := rows[0]
	share := func(a result.Accuracy) string {
		if a.Actual == 0 {
			return ""
		}
		return fmt.Sprintf(" (%.0f %% of what it was)", 100*a.Absolute/a.Actual)
	}
	return fmt.Sprintf("a job's waiting is off by %.1f s on average%s, its elapsed time by %.1f s%s: a change that is smaller than this says little",
		all.Waiting.Absolute, share(all.Waiting), all.Elapsed.Absolute, share(all.Elapsed))
}
