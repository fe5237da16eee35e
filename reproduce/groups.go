// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/plot"
)

// byPolicy draws several metrics side by side, one group of bars per policy.
func (d *drawer) byPolicy(chart plot.Chart, chosen []int) plot.Chart {
	for _, p := range chosen {
		chart.Categories = append(chart.Categories, d.c.Policies[p].Label())
	}
	for _, text := range d.Metrics {
		s := plot.Series{Name: text, Mark: plot.Bars}
		for i, p := range chosen {
			s.Points = append(s.Points, d.bar(i, p, -1, text)...)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// byGroup draws several metrics of a policy's run side by side, one group of bars per entry of Groups.
func (d *drawer) byGroup(chart *plot.Chart, p int) {
	for _, group := range d.Groups {
		q, _ := metrics.ParseQuery(group + "." + d.Metrics[0])
		chart.Categories = append(chart.Categories, q.Value)
	}
	for _, text := range d.Metrics {
		s := plot.Series{Name: text, Mark: plot.Bars}
		for i, group := range d.Groups {
			s.Points = append(s.Points, d.bar(i, p, -1, group+"."+text)...)
		}
		chart.Series = append(chart.Series, s)
	}
}

// values returns what was measured of a query under a policy, repetition by repetition, NaN where there was nothing.
func (d *drawer) values(p int, text string) []float64 {
	q, _ := metrics.ParseQuery(text)
	return d.c.Values[p][slices.Index(d.c.Queries, q)]
}

// boxes draws the distribution of a metric over the repetitions, one box per policy.
func (d *drawer) boxes(chart plot.Chart, chosen []int) plot.Chart {
	s := plot.Series{Name: d.Metrics[0], Mark: plot.Boxes}
	for i, p := range chosen {
		label := d.c.Policies[p].Label()
		chart.Categories = append(chart.Categories, label)
		values := slices.DeleteFunc(slices.Sorted(slices.Values(d.values(p, d.Metrics[0]))), math.IsNaN)
		if len(values) == 0 {
			continue
		}
		at := func(q float64) float64 { return stats.Quantile(values, q) }
		point := plot.Point{X: float64(i), Y: at(0.5), Low: at(0), High: at(1), Quartiles: [2]float64{at(0.25), at(0.75)}}
		point.Tip = fmt.Sprintf("%s, %s: median %.4g, quartiles %.4g and %.4g, extremes %.4g and %.4g", label, d.Metrics[0], point.Y, at(0.25), at(0.75), point.Low, point.High)
		s.Points = append(s.Points, point)
		d.find(fmt.Sprintf("%s: median of %s under %s", d.Title, d.Metrics[0], label), stats.Interval{Mean: point.Y, Low: point.Y, High: point.Y, N: len(values)})
	}
	chart.Series = []plot.Series{s}
	return chart
}

// repetitions draws a metric over the number of the repetition, one line per policy.
func (d *drawer) repetitions(chart plot.Chart, chosen []int) plot.Chart {
	for _, p := range chosen {
		s := plot.Series{Name: d.c.Policies[p].Label()}
		for i, v := range d.values(p, d.Metrics[0]) {
			if !math.IsNaN(v) {
				s.Points = append(s.Points, plot.Point{X: float64(i + 1), Y: v, Low: v, High: v})
			}
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// byJob draws a quantity of each job of the first seed over its place in its queue, one cloud per queue.
func (d *drawer) byJob(chart *plot.Chart, p int) {
	at := map[string]int{} // series by queue
	group := metrics.All(d.c.Shown[p], 0)
	for _, j := range group.Jobs {
		i, known := at[j.Queue]
		if !known {
			i = len(chart.Series)
			at[j.Queue] = i
			chart.Series = append(chart.Series, plot.Series{Name: j.Queue, Mark: plot.Dots})
		}
		s := &chart.Series[i]
		v, _ := group.Where(func(other *metrics.Job) bool { return other == j }).Value(d.texts()[0])
		s.Points = append(s.Points, plot.Point{X: float64(len(s.Points) + 1), Y: v, Low: v, High: v})
	}
}

// smoothed draws the first line of a name in the run of the first seed, as it is and smoothed exponentially.
func (d *drawer) smoothed(chart *plot.Chart, p int) {
	series := &d.c.Shown[p].Series
	i := slices.IndexFunc(series.Lines, func(l metrics.Line) bool { return l.Name == d.Metrics[0] })
	if i < 0 {
		return
	}
	values := slices.Clone(series.Lines[i].Values)
	chart.Series = append(chart.Series, plot.Series{Name: "as measured", Points: linePoints(series, values)})
	for k := 1; k < len(values); k++ {
		values[k] = d.At[0]*values[k] + (1-d.At[0])*values[k-1]
	}
	chart.Series = append(chart.Series, plot.Series{Name: "smoothed", Points: linePoints(series, values)})
}
