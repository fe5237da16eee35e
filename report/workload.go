// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"html/template"
	"io"

	"github.com/yardmaster/yardmaster/workload"
)

var workloadTemplate = template.Must(template.New("workload.html.tmpl").ParseFS(assets, "assets/workload.html.tmpl"))

// WorkloadPage is what the small page about a workload shows.
type WorkloadPage struct {
	Title, Subtitle, Version string
	Facts                    [][2]string
	Description              *workload.Description
}

type workloadView struct {
	*WorkloadPage
	Style  template.CSS
	Charts []bars
	Head   []string
	Rows   [][]string
}

// bars is one bar chart, laid out.
type bars struct {
	Title, Text         string
	Width, Height, Base float64
	Bars                []bar
	Labels              []tick
}

type bar struct {
	X, Y, W, H float64
	Tip        string
}

type tick struct {
	X, Y float64
	Text string
}

// WriteWorkload writes the page. The bytes depend on p alone.
func WriteWorkload(w io.Writer, p *WorkloadPage) error {
	v := &workloadView{WorkloadPage: p, Style: styleSheet, Head: []string{"total", "mean", "scv", "0", "10", "50", "90", "95", "99", "100"}}
	d := p.Description
	for i := range d.Quantities {
		q := &d.Quantities[i]
		v.Rows = append(v.Rows, []string{q.Name, Amount(q.Total, q.Unit), Amount(q.Mean, q.Unit), fmt.Sprintf("%.2f", q.SCV),
			Amount(q.Percentiles[0], q.Unit), Amount(q.Percentiles[1], q.Unit), Amount(q.Percentiles[5], q.Unit), Amount(q.Percentiles[9], q.Unit),
			Amount(q.P95, q.Unit), Amount(q.P99, q.Unit), Amount(q.Percentiles[10], q.Unit)})
		if len(q.Bins) > 0 {
			v.Charts = append(v.Charts, histogram(q, d.Jobs))
		}
	}
	if len(d.Burst.Hours) > 1 {
		v.Charts = append(v.Charts, arrivals(d))
	}
	return workloadTemplate.Execute(w, v)
}

const chartWidth, chartHeight, chartBase = 520.0, 190.0, 165.0

// layout turns counts into bars of equal width.
func layout(title, text string, counts []int, tip, mark func(int) string) bars {
	c := bars{Title: title, Text: text, Width: chartWidth, Height: chartHeight, Base: chartBase}
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	step := chartWidth / float64(max(len(counts), 1))
	every := max(1, (len(counts)+7)/8)
	for i, n := range counts {
		h := (chartBase - 12) * float64(n) / float64(most)
		c.Bars = append(c.Bars, bar{X: round1(float64(i)*step + step*0.06), Y: round1(chartBase - h), W: round1(step * 0.88), H: round1(h), Tip: tip(i)})
		if i%every == 0 {
			c.Labels = append(c.Labels, tick{X: round1((float64(i) + 0.5) * step), Y: chartHeight - 8, Text: mark(i)})
		}
	}
	return c
}

func round1(v float64) float64 { return float64(int(v*10+0.5)) / 10 }

func histogram(q *workload.Quantity, jobs int) bars {
	counts := make([]int, len(q.Bins))
	for i, b := range q.Bins {
		counts[i] = b.Jobs
	}
	text := "Number of jobs by " + q.Name + ", two ranges per decade."
	if q.Zero > 0 {
		text += fmt.Sprintf(" %d of %d jobs have none.", q.Zero, jobs)
	}
	return layout(q.Name, text, counts,
		func(i int) string {
			return fmt.Sprintf("%s to %s: %s", Amount(q.Bins[i].Low, q.Unit), Amount(q.Bins[i].High, q.Unit), plural(q.Bins[i].Jobs, "job"))
		},
		func(i int) string { return Amount(q.Bins[i].Low, q.Unit) })
}

func arrivals(d *workload.Description) bars {
	hours := d.Burst.Hours
	return layout("arrivals", "Jobs submitted in each hour.", hours,
		func(i int) string { return fmt.Sprintf("hour %d: %s", i, plural(hours[i], "job")) },
		func(i int) string { return fmt.Sprintf("%d h", i) })
}

// amountSteps are the prefixes of each unit, smallest first.
var amountSteps = map[string][]scale{
	"B":     {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}},
	"s":     {{1, "s"}, {60, "min"}, {3600, "h"}, {86400, "d"}},
	"tasks": {{1, ""}, {1e3, "k"}, {1e6, "M"}},
}

// Amount formats a number with its unit for people: bytes, seconds and counts get the prefix that
// suits.
func Amount(v float64, unit string) string {
	steps := amountSteps[unit]
	if len(steps) == 0 {
		return number(v, decimals(v))
	}
	s := steps[0]
	for _, next := range steps[1:] {
		if v >= next.div {
			s = next
		}
	}
	if s.div == 1 && v == float64(int64(v)) {
		return s.unit(number(v, 0))
	}
	return s.mean(v)
}
