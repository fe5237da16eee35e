// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/jobmap"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/workload"
)

// threshold returns the number of maps up to which jobs are best called small, and the share of jobs of which that is
// right.
func threshold(records []workload.Record, small string) (limit int32, right float64) {
	byMaps := slices.Clone(records)
	slices.SortStableFunc(byMaps, func(a, b workload.Record) int { return cmp.Compare(a.Maps, b.Maps) })
	now, best := 0, 0
	for i := range byMaps {
		if byMaps[i].Class != small {
			now++
		}
	}
	best = now // all are called large
	for i := range byMaps {
		if byMaps[i].Class == small {
			now++
		} else {
			now--
		}
		last := i == len(byMaps)-1 || byMaps[i+1].Maps > byMaps[i].Maps
		if last && now > best {
			limit, best = byMaps[i].Maps, now
		}
	}
	return limit, float64(best) / float64(max(1, len(records)))
}

// point returns a job as the classifier sees it, its shuffle data known.
func point(r *workload.Record, c *svm.Classifier) []float64 {
	return c.Scaling.Apply(nil, []float64{float64(r.Maps), float64(r.Reduces), float64(max(r.Shuffle, 0))})
}

// nearest returns the share of jobs whose class is the one with the nearest mean.
func nearest(records []workload.Record, c *svm.Classifier) float64 {
	var means [2][]float64
	var counts [2]float64
	side := func(r *workload.Record) int {
		if r.Class == c.Positive {
			return 0
		}
		return 1
	}
	for i := range records {
		s := side(&records[i])
		for k, v := range point(&records[i], c) {
			if means[s] == nil {
				means[s] = make([]float64, len(c.Features))
			}
			means[s][k] += v
		}
		counts[s]++
	}
	right := 0
	for i := range records {
		var distance [2]float64
		for k, v := range point(&records[i], c) {
			for s := range distance {
				if counts[s] > 0 {
					d := v - means[s][k]/counts[s]
					distance[s] += d * d
				}
			}
		}
		best := 0
		if counts[0] == 0 || counts[1] > 0 && distance[1] < distance[0] {
			best = 1
		}
		if best == side(&records[i]) {
			right++
		}
	}
	return float64(right) / float64(max(1, len(records)))
}

// classifierPage draws jobs by maps and shuffle data, where they belong and what the classifier makes of them; stolen names
// jobs that a run has stolen.
func classifierPage(trace string, records []workload.Record, c *svm.Classifier, found *experiment.Confusion, stolen map[string]bool) *report.PaperPage {
	m := jobmap.Map{Name: "map", Title: "Jobs by maps and shuffle data", Small: c.Positive, Large: c.Negative, Classifier: c}
	for i := range records {
		r := &records[i]
		shuffle := max(r.Shuffle, 0)
		m.Jobs = append(m.Jobs, jobmap.Job{Name: r.Name, Maps: r.Maps, Shuffle: shuffle, Small: r.Class == c.Positive,
			Called: c.Decision(float64(r.Maps), float64(r.Reduces), float64(shuffle)) > 0, Stolen: stolen[r.Name]})
	}
	percent := func(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }
	return &report.PaperPage{Title: "What the classifier makes of jobs", Subtitle: trace, Charts: []plot.Chart{m.Chart()}, Facts: [][2]string{
		{c.Positive + " called " + c.Positive, fmt.Sprint(found.SmallSmall)}, {c.Positive + " called " + c.Negative, fmt.Sprint(found.SmallLarge)},
		{c.Negative + " called " + c.Positive, fmt.Sprint(found.LargeSmall)}, {c.Negative + " called " + c.Negative, fmt.Sprint(found.LargeLarge)},
		{"Right", percent(found.Right())}, {c.Negative + " called " + c.Positive + ", of all " + c.Negative, percent(found.LargeCalledSmall())}}}
}
