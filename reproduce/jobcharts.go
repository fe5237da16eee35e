// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report/plot"
)

// mapLengths draws the lengths of the maps of each job in the order in which they are started; a map
// that has no length of its own has the mean of its job's.
func mapLengths(chart plot.Chart, jobs []model.Job) plot.Chart {
	for i := range jobs {
		s := plot.Series{Name: jobs[i].Name, Mark: plot.Dots}
		for k := range int(jobs[i].Maps) {
			length := jobs[i].MapLength.Mean
			if k < len(jobs[i].MapLength.Fixed) {
				length = jobs[i].MapLength.Fixed[k]
			}
			y := length.Seconds()
			s.Points = append(s.Points, plot.Point{X: float64(k + 1), Y: y, Low: y, High: y})
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// sizeByInput draws the size of each job against its input, in GB.
func sizeByInput(chart plot.Chart, jobs []*metrics.Job) plot.Chart {
	chart.X.Log, chart.Y.Log, chart.Y.Zero = true, true, false
	s := plot.Series{Name: "jobs", Mark: plot.Dots}
	for _, j := range jobs {
		y := j.Size.Seconds()
		s.Points = append(s.Points, plot.Point{X: float64(j.Input) / 1e9, Y: y, Low: y, High: y})
	}
	chart.Series = []plot.Series{s}
	return chart
}

// perDecade is how many bars of a density lie between 1 and 10.
const perDecade = 4

// density draws which share of the jobs has a number of tasks, or another quantity, in each range of a logarithmic axis.
func density(chart plot.Chart, group *metrics.Group, quantity string) plot.Chart {
	var values []float64
	if quantity == "tasks" {
		for _, j := range group.Jobs {
			values = append(values, float64(j.Maps+j.Reduces))
		}
	} else {
		values, _ = group.Values(quantity)
	}
	bin := func(v float64) int { return int(math.Floor(math.Log10(v)*perDecade + 1e-9)) }
	counts := map[int]int{}
	low, high := math.MaxInt, math.MinInt
	for _, v := range values {
		if v > 0 {
			counts[bin(v)]++
			low, high = min(low, bin(v)), max(high, bin(v))
		}
	}
	s := plot.Series{Name: "share of jobs", Mark: plot.Bars}
	for b := low; b <= high; b++ {
		from, to := math.Pow(10, float64(b)/perDecade), math.Pow(10, float64(b+1)/perDecade)
		chart.Categories = append(chart.Categories, fmt.Sprintf("%.3g", from))
		y := float64(counts[b]) / float64(len(values))
		s.Points = append(s.Points, plot.Point{X: float64(b - low), Y: y, Low: y, High: y, Tip: fmt.Sprintf("%.3g to %.3g: %.1f %% of the jobs", from, to, 100*y)})
	}
	chart.Series = []plot.Series{s}
	return chart
}
