// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
)

// queries returns what the figures and the experiment's charts ask for, each once. All are valid.
func (x *ExperimentConfig) queries(e *Expected) (queries []metrics.Query) {
	add := func(q metrics.Query) {
		if !slices.Contains(queries, q) {
			queries = append(queries, q)
		}
	}
	for i := range x.Figures {
		if f := &x.Figures[i]; f.Metric != "" {
			q, _ := metrics.ParseQuery(f.Metric)
			add(q)
			if f.Pooled {
				add(meanOf(q))
			}
		} else {
			r, _ := parseRelation(f.Holds)
			add(r.left.query)
			if len(r.right.policies) > 0 {
				add(r.right.query)
			}
		}
	}
	for i := range e.Charts {
		if e.Charts[i].Experiment == x.Name {
			for _, text := range e.Charts[i].texts() {
				q, _ := metrics.ParseQuery(text)
				add(q)
			}
		}
	}
	return queries
}

// judge compares one figure with what was measured. Of a number the mean decides, whatever its interval, so
// that fewer repetitions never make a figure easier to meet.
func (f *FigureConfig) judge(c *experiment.Comparison) (Finding, error) {
	out := Finding{Figure: f.Name, Source: f.Source, PaperValue: f.Value}
	if f.Holds != "" {
		return f.judgeRelation(c, out)
	}
	query, _ := metrics.ParseQuery(f.Metric)
	switch query.By {
	case "queue":
		out.Queue, out.Class = query.Value, query.Class
	case "class":
		out.Class = query.Value
	}
	p, err := c.Find(f.Policy)
	if err != nil {
		return out, err
	}
	values := c.Values[p][slices.Index(c.Queries, query)]
	if f.Seeds > 0 {
		values = values[:min(f.Seeds, len(values))]
	}
	if f.Than != "" {
		than, err := c.Find(f.Than)
		if err != nil {
			return out, err
		}
		values = below(values, c.Values[than][slices.Index(c.Queries, query)])
	}
	i := stats.Confidence(values)
	if f.Pooled {
		i = pooled(c, p, query)
	}
	if q, ok := map[string]float64{"min": 0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1}[f.Over]; ok {
		v := stats.Quantile(slices.Sorted(slices.Values(values)), q)
		i = stats.Interval{Mean: v, Low: v, High: v, N: len(values)}
	}
	if f.Over == "iqr" {
		v := stats.Quantile(slices.Sorted(slices.Values(values)), 0.75) - stats.Quantile(slices.Sorted(slices.Values(values)), 0.25)
		i = stats.Interval{Mean: v, Low: v, High: v, N: len(values)}
	}
	out.Ours, out.Low, out.High = i.Mean, i.Low, i.High
	if f.Value == nil {
		out.Verdict = NoReference
		return out, nil
	}
	if *f.Value != 0 {
		d := i.Mean / *f.Value - 1
		out.Deviation = &d
	}
	inside := math.Abs(i.Mean-*f.Value) <= max(f.Within.By, float64(f.Within.Share)*math.Abs(*f.Value))
	if len(f.Range) == 2 {
		inside = f.Range[0] <= i.Mean && i.Mean <= f.Range[1]
	}
	out.Verdict = Deviates
	if inside {
		out.Verdict = Within
	}
	return out, nil
}

// ratios returns each value over the other.
func ratios(values, others []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / others[i]
	}
	return out
}

// below returns by how large a share each value is below the other.
func below(values, others []float64) []float64 {
	out := ratios(values, others)
	for i, r := range out {
		out[i] = 1 - r
	}
	return out
}
