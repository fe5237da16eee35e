// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report/plot"
)

// labels draws a metric over the number that a policy's label is, with a horizontal line for every policy
// whose label is none: fixed settings and those who change them.
func (d *drawer) labels(chart plot.Chart, chosen []int) plot.Chart {
	curve := plot.Series{Name: "fixed"}
	var others []plot.Series
	for _, p := range chosen {
		label := d.c.Policies[p].Label()
		v := d.interval(p, d.Metrics[0])
		d.find(fmt.Sprintf("%s: %s under %s", d.Title, d.Metrics[0], label), v)
		if x, err := strconv.ParseFloat(label, 64); err == nil {
			curve.Points = append(curve.Points, chartPoint(x, v))
		} else {
			others = append(others, plot.Series{Name: label, Points: []plot.Point{chartPoint(0, v)}})
		}
	}
	chart.Series = append([]plot.Series{curve}, others...)
	if n := len(curve.Points); n > 0 {
		for i := range others { // from end to end of the curve
			first := &others[i].Points[0]
			first.X = curve.Points[0].X
			last := *first
			last.X = curve.Points[n-1].X
			others[i].Points = append(others[i].Points, last)
		}
	}
	return chart
}

// overTime draws the lines of one name in the run of the first seed, stacked.
func (d *drawer) overTime(chart *plot.Chart, p int) {
	series := &d.c.Shown[p].Series
	for _, line := range series.Lines {
		if line.Name == d.Metrics[0] {
			chart.Series = append(chart.Series, plot.Series{Name: line.Key, Mark: plot.Area, Points: linePoints(series, line.Values)})
		}
	}
}

// policiesOverTime draws the first line of a name, one curve per policy.
func (d *drawer) policiesOverTime(chart plot.Chart, chosen []int) plot.Chart {
	for _, p := range chosen {
		series := &d.c.Shown[p].Series
		for _, line := range series.Lines {
			if line.Name == d.Metrics[0] {
				chart.Series = append(chart.Series, plot.Series{Name: d.c.Policies[p].Label(), Points: linePoints(series, line.Values)})
				break
			}
		}
	}
	return chart
}

// linePoints returns at most 300 points of a line; none where the line has no value.
func linePoints(series *metrics.Series, values []float64) (points []plot.Point) {
	group := (len(values) + 299) / 300
	for i := 0; i+group <= len(values) && group > 0; i += group {
		sum := 0.0
		for _, v := range values[i : i+group] {
			sum += v
		}
		y := sum / float64(group)
		if math.IsNaN(y) {
			continue
		}
		points = append(points, plot.Point{X: (float64(i) + float64(group)/2) * series.Width.Seconds(), Y: y, Low: y, High: y})
	}
	return points
}

// gantt draws when the jobs of a run were in their map and reduce phases: a row of dots for each job.
func gantt(chart *plot.Chart, run *metrics.Run) {
	phases := [model.Kinds]plot.Series{{Name: "maps", Mark: plot.Dots}, {Name: "reduces", Mark: plot.Dots}}
	last := model.Time(0)
	for i := range run.Jobs {
		last = max(last, run.Jobs[i].Finish)
	}
	step := max(last/200, 1)
	for i := range run.Jobs {
		j := &run.Jobs[i]
		mapped := j.FirstStart + j.Blame[metrics.MapsStarved] + j.Blame[metrics.MapsRunning]
		for t := j.FirstStart; t <= j.Finish; t += step {
			phase := &phases[model.Map]
			if t > mapped {
				phase = &phases[model.Reduce]
			}
			y := float64(i + 1)
			phase.Points = append(phase.Points, plot.Point{X: t.Seconds(), Y: y, Low: y, High: y})
		}
	}
	chart.Series = phases[:]
}
