// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/plot"
)

// percentiles draws V(q) of a quantity over q, one line per policy.
func (d *drawer) percentiles(chart plot.Chart, chosen []int) plot.Chart {
	texts := d.texts()
	for _, p := range chosen {
		label := d.c.Policies[p].Label()
		s := plot.Series{Name: label}
		for i, q := range d.At {
			v := d.interval(p, texts[i])
			d.find(fmt.Sprintf("%s: %s under %s", d.Title, texts[i], label), v)
			s.Points = append(s.Points, chartPoint(q, v))
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// sizes draws a metric of the jobs of each range of sizes, one bar per policy.
func (d *drawer) sizes(chart plot.Chart, chosen []int) plot.Chart {
	for i := range len(d.At) - 1 {
		label := fmt.Sprintf("%.3g", d.At[i])
		if d.At[i] >= 1000 {
			label = fmt.Sprintf("%.0f", d.At[i])
		}
		chart.Categories = append(chart.Categories, label)
	}
	for _, p := range chosen {
		label := d.c.Policies[p].Label()
		s := plot.Series{Name: label, Mark: plot.Bars}
		for i := range len(d.At) - 1 {
			v := d.interval(p, d.sizeQuery(i))
			if v.N == 0 {
				continue // no job of such a size
			}
			what := fmt.Sprintf("%s, sizes %.4g to %.4g s, under %s", d.Metrics[0], d.At[i], d.At[i+1], label)
			d.find(d.Title+": "+what, v)
			point := chartPoint(float64(i), v)
			point.Tip = fmt.Sprintf("%s: %.3g (95 %% interval %.3g to %.3g)", what, v.Mean, v.Low, v.High)
			s.Points = append(s.Points, point)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// scatter draws slowdown against size of every job in the run of the first seed. The lines are the
// median and the 95th percentile, means over all seeds.
func (d *drawer) scatter(chart *plot.Chart, p int) {
	chart.X.Log, chart.Y.Log, chart.Y.Zero = true, true, false
	s := plot.Series{Name: d.c.Policies[p].Label(), Mark: plot.Dots}
	for i := range d.c.Shown[p].Jobs {
		j := &d.c.Shown[p].Jobs[i]
		s.Points = append(s.Points, plot.Point{X: j.Size.Seconds(), Y: j.Slowdown(), Low: j.Slowdown(), High: j.Slowdown()})
	}
	chart.Series = []plot.Series{s}
	for _, text := range d.texts() {
		v := d.interval(p, text)
		d.find(fmt.Sprintf("%s: %s under %s", d.Title, text, d.c.Policies[p].Label()), v)
		chart.Levels = append(chart.Levels, plot.Level{Name: text, Y: v.Mean})
	}
}

// cdf draws the distribution of a quantity over the jobs of the first seed.
func (d *drawer) cdf(chart plot.Chart, chosen []int) plot.Chart {
	chart.X.Log = true
	for _, p := range chosen {
		label := d.c.Policies[p].Label()
		values, _ := metrics.All(d.c.Shown[p], 0).Values(d.Metrics[0])
		s := plot.Series{Name: label}
		const steps = 100
		for k := range steps + 1 {
			if len(values) == 0 {
				break // only numbers are known of the run
			}
			q := float64(k) / steps
			at := min(int(q*float64(len(values))), len(values)-1)
			s.Points = append(s.Points, plot.Point{X: values[at], Y: q, Low: q, High: q})
		}
		chart.Series = append(chart.Series, s)
		for _, text := range d.texts() {
			d.find(fmt.Sprintf("%s: %s under %s", d.Title, text, label), d.interval(p, text))
		}
	}
	return chart
}

// jobsOverTime draws the tasks that hold room by job, stacked.
func jobsOverTime(chart *plot.Chart, run *metrics.Run) {
	series := &run.Series
	for _, line := range series.Lines {
		if line.Name != "job" || !slices.ContainsFunc(line.Values, func(v float64) bool { return v != 0 }) {
			continue
		}
		s := plot.Series{Name: line.Key, Mark: plot.Area}
		for i, v := range line.Values {
			s.Points = append(s.Points, plot.Point{X: (float64(i) + 0.5) * series.Width.Seconds(), Y: v})
		}
		chart.Series = append(chart.Series, s)
	}
}
