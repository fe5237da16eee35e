// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report/racks"
)

// data is what the scripts draw from. Times are in seconds.
type data struct {
	Policies []policyData `json:"policies"`
	Jobs     jobTable     `json:"jobs"`
	Queues   []string     `json:"queues"`
	Coloured []string     `json:"coloured"` // queues in the order of their colours
	Classes  []string     `json:"classes"`
	Edges    nums         `json:"edges"` // lower edges of the job-size ranges; the last has no upper one
	Parts    []label      `json:"parts"`
	Limits   []label      `json:"limits"`
	Span     num          `json:"span"` // end of the longest run
}

// policyData is one policy's part of data.
type policyData struct {
	Name       string         `json:"name"`
	Count      int            `json:"count"`      // jobs that finished
	Referenced int            `json:"referenced"` // of these, jobs whose slowdown is known
	Elapsed    cdf            `json:"elapsed"`
	Slowdown   cdf            `json:"slowdown"`
	Variation  nums           `json:"variation"` // V(q) for q = firstPercentile..lastPercentile
	Median     num            `json:"median"`    // of slowdown
	P95        num            `json:"p95"`
	Scatter    scatter        `json:"scatter"`
	Ranges     []sizeRange    `json:"ranges"` // one for each of data.Edges
	Blame      nums           `json:"blame"`  // mean seconds per job, by part
	Limits     nums           `json:"limits"` // mean seconds per job, by limit
	Series     series         `json:"series"`
	Gantt      gantt          `json:"gantt"`
	Network    racks.Links    `json:"network"`
	Circuits   racks.Circuits `json:"circuits"`
	Bands      *bands         `json:"bands,omitempty"` // nil with one seed
}

// jobTable names the jobs that scatter and gantt refer to: ID[i] is ascending, and the other
// columns say what is known of job ID[i]; queue and class are positions in data.
type jobTable struct {
	ID    []model.JobID `json:"id"`
	Name  []string      `json:"name"`
	Queue []int         `json:"queue"`
	Class []int         `json:"class"`
}

// newData computes everything that the charts show.
func newData(policies []PolicyRun, queues []string) *data {
	d := &data{Coloured: queues, Policies: make([]policyData, len(policies)), Parts: labelsOf(metrics.PartChoices()), Limits: labelsOf(metrics.LimitChoices())}
	edges := sizeEdges(policies)
	d.Edges = edges
	buckets, linkBuckets := bucketsFor(policies), linkBuckets(policies)
	var named []*metrics.Job
	for i, p := range policies {
		d.Policies[i] = newPolicyData(p, edges, buckets, queues, boundsFor(len(policies)))
		d.Policies[i].Network = racks.NewLinks(p.Run, rackRowsFor(len(policies)), linkBuckets)
		d.Policies[i].Circuits = racks.NewCircuits(p.Run, rackRowsFor(len(policies)), linkBuckets)
		named = append(named, drawn(p.Run.Jobs, &d.Policies[i])...)
		d.Span = max(d.Span, num(span(p.Run)))
	}
	d.nameJobs(named)
	return d
}

func newPolicyData(p PolicyRun, edges []float64, buckets int, queues []string, b bounds) policyData {
	jobs := p.Run.Jobs
	elapsed, slow := times(jobs)
	series := newSeries(p.Run, buckets, queues)
	return policyData{
		Name:       p.Name,
		Count:      len(jobs),
		Referenced: len(slow),
		Elapsed:    newCDF(elapsed, b),
		Slowdown:   newCDF(slow, b),
		Variation:  variation(slow),
		Median:     num(stats.Quantile(slow, 0.5)),
		P95:        num(stats.Quantile(slow, 0.95)),
		Scatter:    newScatter(jobs, b),
		Ranges:     newRanges(jobs, edges),
		Blame:      meanBlame(jobs),
		Limits:     meanLimits(jobs),
		Series:     series,
		Gantt:      newGantt(jobs, b),
		Bands:      newBands(p.Seeds, edges, &series, b),
	}
}

// times returns the elapsed times of jobs, in seconds, and the slowdowns that are known, both ascending.
func times(jobs []metrics.Job) (elapsed, slow []float64) {
	elapsed, slow = make([]float64, len(jobs)), make([]float64, 0, len(jobs))
	for i := range jobs {
		elapsed[i] = jobs[i].Elapsed().Seconds()
		if jobs[i].Reference > 0 {
			slow = append(slow, jobs[i].Slowdown())
		}
	}
	slices.Sort(slow)
	slices.Sort(elapsed)
	return elapsed, slow
}

// span is when the run ended, in seconds: the last finish or the end of the series.
func span(r *metrics.Run) float64 {
	var end float64
	for i := range r.Jobs {
		end = max(end, r.Jobs[i].Finish.Seconds())
	}
	if end > 0 {
		return end // the last bucket of the series may reach beyond it
	}
	for _, l := range r.Series.Lines {
		end = max(end, r.Series.Width.Seconds()*float64(len(l.Values)))
	}
	return end
}

// drawn returns the jobs that the policy's scatter and gantt show.
func drawn(jobs []metrics.Job, p *policyData) []*metrics.Job {
	want := make(map[model.JobID]bool, len(p.Scatter.ID)+len(p.Gantt.ID))
	for _, id := range p.Scatter.ID {
		want[id] = true
	}
	for _, id := range p.Gantt.ID {
		want[id] = true
	}
	list := make([]*metrics.Job, 0, len(want))
	for i := range jobs {
		if want[jobs[i].ID] {
			list = append(list, &jobs[i])
		}
	}
	return list
}

// nameBudget bounds the bytes of all job names together.
const nameBudget = 250_000

// nameJobs fills the job table and the lists of queues and classes. Names are cut to the longest
// length at which all of them fit nameBudget.
func (d *data) nameJobs(jobs []*metrics.Job) {
	slices.SortStableFunc(jobs, func(a, b *metrics.Job) int { return cmp.Compare(a.ID, b.ID) })
	jobs = slices.CompactFunc(jobs, func(a, b *metrics.Job) bool { return a.ID == b.ID })
	d.Queues = distinct(jobs, func(j *metrics.Job) string { return j.Queue })
	d.Classes = distinct(jobs, func(j *metrics.Job) string { return j.Class })
	longest := nameLength(jobs)
	for _, j := range jobs {
		q, _ := slices.BinarySearch(d.Queues, j.Queue)
		c, _ := slices.BinarySearch(d.Classes, j.Class)
		d.Jobs.ID = append(d.Jobs.ID, j.ID)
		d.Jobs.Name = append(d.Jobs.Name, cut(j.Name, longest))
		d.Jobs.Queue = append(d.Jobs.Queue, q)
		d.Jobs.Class = append(d.Jobs.Class, c)
	}
}

func nameLength(jobs []*metrics.Job) int {
	for _, limit := range []int{48, 32, 24, 16} {
		total := 0
		for _, j := range jobs {
			total += len(cut(j.Name, limit))
		}
		if total <= nameBudget {
			return limit
		}
	}
	return 12
}

// cut shortens s to at most limit runes, the last being an ellipsis if something was cut.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

func distinct(jobs []*metrics.Job, key func(*metrics.Job) string) []string {
	list := make([]string, len(jobs))
	for i, j := range jobs {
		list[i] = key(j)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
