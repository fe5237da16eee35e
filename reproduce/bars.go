// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/plot"
)

// bars draws a metric with one bar per policy, or several metrics side by side with one bar per policy in each; as they
// are, or over those of one policy, repetition by repetition.
func (d *drawer) bars(chart plot.Chart, chosen []int) (plot.Chart, error) {
	base := -1
	if d.Over != "" {
		p, err := d.c.Find(d.Over)
		if err != nil {
			return chart, fmt.Errorf("chart %s: %w", d.Name, err)
		}
		base = p
	}
	if len(d.Metrics) == 1 {
		s := plot.Series{Name: d.Metrics[0], Mark: plot.Bars}
		for i, p := range chosen {
			chart.Categories = append(chart.Categories, d.c.Policies[p].Label())
			s.Points = append(s.Points, d.bar(i, p, base, d.Metrics[0])...)
		}
		chart.Series = []plot.Series{s}
		return chart, nil
	}
	chart.Categories = d.Metrics
	for _, p := range chosen {
		s := plot.Series{Name: d.c.Policies[p].Label(), Mark: plot.Bars}
		for i, text := range d.Metrics {
			s.Points = append(s.Points, d.bar(i, p, base, text)...)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart, nil
}

// bar returns the bar of a policy's metric over that of another, or of itself if base is negative, and notes it as a
// finding; none where there is no such job.
func (d *drawer) bar(at, p, base int, text string) []plot.Point {
	v := d.interval(p, text)
	if v.N == 0 {
		return nil
	}
	if base >= 0 {
		query, _ := metrics.ParseQuery(text)
		q := slices.Index(d.c.Queries, query)
		v = stats.Confidence(ratios(d.c.Values[p][q], d.c.Values[base][q]))
	}
	label := d.c.Policies[p].Label()
	d.find(fmt.Sprintf("%s: %s under %s", d.Title, text, label), v)
	point := chartPoint(float64(at), v)
	point.Tip = fmt.Sprintf("%s, %s: %.3g (95 %% interval %.3g to %.3g)", label, text, v.Mean, v.Low, v.High)
	return []plot.Point{point}
}
