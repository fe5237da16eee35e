// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/model"
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
		if distance[1] < distance[0] {
			best = 1
		}
		if best == side(&records[i]) {
			right++
		}
	}
	return float64(right) / float64(max(1, len(records)))
}

// mostDots bounds the dots of a series; of more jobs every n-th is drawn.
const mostDots = 1500

// classifierPage draws jobs by maps and shuffle data, where they belong and what the classifier makes of them.
func classifierPage(trace string, records []workload.Record, c *svm.Classifier, found *experiment.Confusion) *report.PaperPage {
	chart := plot.Chart{Name: "map", Title: "Jobs by maps and shuffle data", X: plot.Axis{Label: "maps", Log: true}, Y: plot.Axis{Label: "shuffle data, bytes; 1 stands for none", Log: true},
		Text: "Dots are jobs, by the class that they have; those that the classifier gives another are drawn apart. The line is where it changes its mind about a job with a reduce for each GiB of shuffle data."}
	names := []string{c.Positive, c.Negative, c.Positive + " called " + c.Negative, c.Negative + " called " + c.Positive}
	dots := make([][]plot.Point, len(names))
	for i := range records {
		r := &records[i]
		shuffle := float64(max(r.Shuffle, 0))
		small := c.Decision(float64(r.Maps), float64(r.Reduces), shuffle) > 0
		which := 0
		if r.Class != c.Positive {
			which = 1
		}
		if small != (r.Class == c.Positive) {
			which += 2
		}
		dots[which] = append(dots[which], plot.Point{X: float64(r.Maps), Y: max(1, shuffle), Low: max(1, shuffle), High: max(1, shuffle), Tip: r.Name})
	}
	for i, list := range dots {
		every := (len(list) + mostDots - 1) / mostDots
		series := plot.Series{Name: fmt.Sprintf("%s, %d jobs", names[i], len(list)), Mark: plot.Dots}
		for k := 0; k < len(list); k += every {
			series.Points = append(series.Points, list[k])
		}
		chart.Series = append(chart.Series, series)
	}
	chart.Series = append(chart.Series, plot.Series{Name: "the line", Points: boundary(c)})
	percent := func(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }
	return &report.PaperPage{Title: "What the classifier makes of jobs", Subtitle: trace, Charts: []plot.Chart{chart}, Facts: [][2]string{
		{c.Positive + " called " + c.Positive, fmt.Sprint(found.SmallSmall)}, {c.Positive + " called " + c.Negative, fmt.Sprint(found.SmallLarge)},
		{c.Negative + " called " + c.Positive, fmt.Sprint(found.LargeSmall)}, {c.Negative + " called " + c.Negative, fmt.Sprint(found.LargeLarge)},
		{"Right", percent(found.Right())}, {c.Negative + " called " + c.Positive + ", of all " + c.Negative, percent(found.LargeCalledSmall())}}}
}

// boundary returns, for sizes of shuffle data, the number of maps from which on the classifier calls a job large that
// has a reduce for each GiB of shuffle data.
func boundary(c *svm.Classifier) (line []plot.Point) {
	for shuffle := 1.0; shuffle < 1e13; shuffle *= 2 {
		reduces := math.Ceil(shuffle / float64(model.GiB))
		for maps := 1.0; maps < 1e5; maps *= 1.05 {
			if c.Decision(math.Round(maps), reduces, shuffle) > 0 {
				continue
			}
			if maps > 1 {
				line = append(line, plot.Point{X: math.Round(maps), Y: shuffle, Low: shuffle, High: shuffle})
			}
			break
		}
	}
	slices.SortStableFunc(line, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
	return line
}
