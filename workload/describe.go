// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/model"
)

// Description is what can be said about a workload at a glance.
type Description struct {
	Jobs       int                `json:"jobs"`
	Maps       int64              `json:"maps"`
	Reduces    int64              `json:"reduces"`
	Span       float64            `json:"span_s"` // from the first submission to the last
	Quantities []Quantity         `json:"quantities"`
	Shares     []Share            `json:"shares"`
	Load       map[string]float64 `json:"load"` // by pool of room, on the site
	Burst      Burst              `json:"burstiness"`
	Queues     []Count            `json:"queues"`
	Users      int                `json:"users"`
}

// Quantity is the distribution of one number over the jobs.
type Quantity struct {
	Name        string      `json:"name"`
	Unit        string      `json:"unit"` // "B", "s", "tasks"
	Total       float64     `json:"total"`
	Mean        float64     `json:"mean"`
	SCV         float64     `json:"scv"`         // squared coefficient of variation
	Percentiles [11]float64 `json:"percentiles"` // 0, 10, .., 100
	P95         float64     `json:"p95"`
	P99         float64     `json:"p99"`
	Zero        int         `json:"zero"` // jobs for which it is 0
	Bins        []Bin       `json:"bins"` // two per decade
}

// Bin counts the jobs from Low (included) to High, half a decade above it.
type Bin struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Jobs int     `json:"jobs"`
}

// Share is the part of all jobs below or between limits: what papers quote about a trace.
type Share struct {
	What  string  `json:"what"`
	Share float64 `json:"share"`
}

// Burst says how unevenly jobs arrive.
type Burst struct {
	MeanGap    float64 `json:"mean_gap_s"`
	GapSCV     float64 `json:"gap_scv"`      // 1 for Poisson arrivals
	PeakHour   float64 `json:"peak_hour"`    // jobs of the busiest hour over the mean hour
	PeakMinute float64 `json:"peak_minute"`  // the same for minutes
	Hours      []int   `json:"jobs_by_hour"` // jobs submitted in each hour
}

// Count is a name with a number of jobs.
type Count struct {
	Name string `json:"name"`
	Jobs int    `json:"jobs"`
}

// Describe computes the description of jobs on a site.
func Describe(jobs []model.Job, site Site) *Description {
	d := &Description{Jobs: len(jobs), Load: map[string]float64{}}
	if len(jobs) == 0 {
		return d
	}
	users, queues := map[string]bool{}, map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		d.Maps += int64(j.Maps)
		d.Reduces += int64(j.Reduces)
		users[j.User] = true
		queues[j.Queue]++
	}
	first, last := submissions(jobs)
	d.Span, d.Users = (last - first).Seconds(), len(users)
	for name, n := range queues {
		d.Queues = append(d.Queues, Count{name, n})
	}
	slices.SortFunc(d.Queues, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Name, b.Name)) })
	for p, work := range Work(jobs, site.Model) {
		if room := float64(site.Total[p]) * d.Span; room > 0 {
			d.Load[site.Model.PoolName(p)] = work / room
		}
	}
	d.quantities(jobs)
	d.shares(jobs)
	d.burst(jobs, first)
	return d
}

func (d *Description) quantities(jobs []model.Job) {
	for _, q := range []struct {
		name, unit string
		of         func(*model.Job) float64
	}{
		{"input", "B", func(j *model.Job) float64 { return float64(j.Input) }},
		{"shuffle", "B", func(j *model.Job) float64 { return float64(j.Shuffle) }},
		{"output", "B", func(j *model.Job) float64 { return float64(j.Output) }},
		{"maps", "tasks", func(j *model.Job) float64 { return float64(j.Maps) }},
		{"reduces", "tasks", func(j *model.Job) float64 { return float64(j.Reduces) }},
		{"size", "s", jobSize},
	} {
		values := make([]float64, len(jobs))
		for i := range jobs {
			values[i] = q.of(&jobs[i])
		}
		d.Quantities = append(d.Quantities, newQuantity(q.name, q.unit, values))
	}
}

// jobSize is the mean sum of the job's task lengths in seconds.
func jobSize(j *model.Job) float64 {
	size := float64(j.Maps) * j.MapLength.Average().Seconds()
	return size + float64(j.Reduces)*(j.ReduceLength.Average()+j.ShuffleTail).Seconds()
}

func newQuantity(name, unit string, values []float64) Quantity {
	slices.Sort(values)
	q := Quantity{Name: name, Unit: unit}
	n := float64(len(values))
	for _, v := range values {
		q.Total += v
		if v == 0 {
			q.Zero++
		}
	}
	q.Mean = q.Total / n
	square := 0.0
	for _, v := range values {
		square += (v - q.Mean) * (v - q.Mean)
	}
	if q.Mean > 0 {
		q.SCV = square / n / (q.Mean * q.Mean)
	}
	for i := range q.Percentiles {
		q.Percentiles[i] = stats.Quantile(values, float64(i)/10)
	}
	q.P95, q.P99 = stats.Quantile(values, 0.95), stats.Quantile(values, 0.99)
	q.Bins = bins(values[q.Zero:])
	return q
}

// bins counts positive values by half decades, empty ones between them included.
func bins(sorted []float64) (out []Bin) {
	if len(sorted) == 0 {
		return nil
	}
	half := func(v float64) int { return int(math.Floor(2 * math.Log10(v))) }
	first := half(sorted[0])
	out = make([]Bin, half(sorted[len(sorted)-1])-first+1)
	for i := range out {
		out[i].Low, out[i].High = math.Pow(10, float64(first+i)/2), math.Pow(10, float64(first+i+1)/2)
	}
	for _, v := range sorted {
		out[half(v)-first].Jobs++
	}
	return out
}

// shares computes the quotes by which traces are known.
func (d *Description) shares(jobs []model.Job) {
	add := func(what string, is func(*model.Job) bool) {
		n := 0
		for i := range jobs {
			if is(&jobs[i]) {
				n++
			}
		}
		d.Shares = append(d.Shares, Share{what, float64(n) / float64(len(jobs))})
	}
	add("jobs with input below 10 MiB", func(j *model.Job) bool { return j.Input < 10*model.MiB })
	add("jobs with shuffle below 1 MiB", func(j *model.Job) bool { return j.Shuffle < model.MiB })
	add("jobs with shuffle of 1 to 100 MiB", func(j *model.Job) bool { return j.Shuffle >= model.MiB && j.Shuffle < 100*model.MiB })
	add("jobs with more shuffle than input", func(j *model.Job) bool { return j.Shuffle > j.Input })
	add("jobs without reduces", func(j *model.Job) bool { return j.Reduces == 0 })
	sizes := make([]float64, len(jobs))
	total := 0.0
	for i := range jobs {
		sizes[i] = jobSize(&jobs[i])
		total += sizes[i]
	}
	slices.Sort(sizes)
	for _, top := range []float64{0.01, 0.08} {
		sum := 0.0
		for _, s := range sizes[len(sizes)-int(math.Ceil(top*float64(len(sizes)))):] {
			sum += s
		}
		if total > 0 {
			d.Shares = append(d.Shares, Share{map[float64]string{0.01: "work of the largest 1 % of jobs", 0.08: "work of the largest 8 % of jobs"}[top], sum / total})
		}
	}
}

func (d *Description) burst(jobs []model.Job, first model.Time) {
	var gaps []float64
	minutes, hours := map[model.Time]int{}, map[model.Time]int{}
	last := model.Time(model.None)
	lastHour := model.Time(0)
	for i := range jobs {
		j := &jobs[i]
		if j.After != model.None {
			continue
		}
		at := j.Submit - first
		minutes[at/model.Minute]++
		hours[at/model.Hour]++
		lastHour = max(lastHour, at/model.Hour)
		if last != model.None {
			gaps = append(gaps, (at - last).Seconds())
		}
		last = at
	}
	if len(gaps) == 0 {
		return
	}
	q := newQuantity("gap", "s", gaps)
	d.Burst.MeanGap, d.Burst.GapSCV = q.Mean, q.SCV
	peak := func(count map[model.Time]int, spans float64) float64 {
		most, sum := 0, 0
		for _, n := range count {
			most, sum = max(most, n), sum+n
		}
		return float64(most) / (float64(sum) / max(spans, 1))
	}
	d.Burst.PeakMinute = peak(minutes, math.Ceil(d.Span/60))
	d.Burst.PeakHour = peak(hours, math.Ceil(d.Span/3600))
	for h := range min(lastHour, 24*366) + 1 {
		d.Burst.Hours = append(d.Burst.Hours, hours[h])
	}
}
