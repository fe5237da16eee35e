// SPDX-License-Identifier: Apache-2.0

package answers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/result"
)

// drawnMetrics are the metrics that a sweep is drawn by, where it has them.
var drawnMetrics = []string{"mean_elapsed", "p95_elapsed", "mean_wait", "p95_wait", "mean_slowdown", "p95_slowdown", "makespan", "goals_met"}

// Sweep is the page of a grid: a curve or a map for each of the main metrics, how much each setting matters, and all points.
func Sweep(name string, axes []experiment.Axis, points []result.PointSummary, seeds int) *report.Answer {
	a := &report.Answer{Title: name, Subtitle: fmt.Sprintf("sweep of %s, %s each", digits.Count(len(points), "point"), digits.Count(seeds, "repetition"))}
	for _, x := range axes {
		a.Facts = append(a.Facts, [2]string{x.Path, fmt.Sprintf("%d values", len(x.Values))})
	}
	if seeds > 1 {
		a.Notes = append(a.Notes, "Bands, whiskers and brackets are 95 % intervals of the mean.")
	}
	a.Parts = append(a.Parts, shapes(axes, points)...)
	if t := sensitivity(axes, points); t != nil {
		a.Parts = append(a.Parts, report.Part{Chart: t})
	}
	a.Parts = append(a.Parts, report.Part{Table: pointTable(axes, points)})
	return a
}

// unitOf words the unit of a metric for an axis.
func unitOf(metric string) string {
	m, ok := metrics.Describe(metric[strings.LastIndexByte(metric, '.')+1:])
	switch {
	case !ok || m.Unit == metrics.Ratio || m.Unit == metrics.Count:
		return metric
	}
	return metric + " (" + string(m.Unit) + ")"
}

// shapes draws each metric over one axis as a curve, or over two as a map. Where there are more, a value is the mean over
// the others.
func shapes(axes []experiment.Axis, points []result.PointSummary) (parts []report.Part) {
	long := slices.DeleteFunc(slices.Clone(axes), func(a experiment.Axis) bool { return len(a.Values) < 2 })
	for _, metric := range drawnMetrics {
		if len(long) == 0 {
			return nil
		}
		if !measured(points, metric) {
			continue
		}
		if len(long) == 1 {
			parts = append(parts, report.Part{Chart: lineOver(long[0], points, metric)})
			continue
		}
		parts = append(parts, report.Part{Heat: mapOver(long, points, metric)})
	}
	return parts
}

// numeric reads the values of an axis as numbers, which may have a unit if all have the same.
func numeric(values []string) ([]float64, string, bool) {
	out, unit := make([]float64, len(values)), ""
	for i, text := range values {
		n := strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsLetter(r) || r == '%' || r == '/' })
		v, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
		if err != nil || i > 0 && text[len(n):] != unit {
			return nil, "", false
		}
		out[i], unit = v, text[len(n):]
	}
	return out, unit, true
}

func lineOver(axis experiment.Axis, points []result.PointSummary, metric string) *plot.Chart {
	c := &plot.Chart{Name: metric, Title: metric, Text: describe(metric), X: plot.Axis{Label: axis.Path}, Y: plot.Axis{Label: unitOf(metric)}}
	s := plot.Series{Name: metric}
	numbers, unit, ok := numeric(axis.Values)
	if !ok {
		s.Mark = plot.Bars
	} else if unit != "" {
		c.X.Label += " (" + unit + ")"
	}
	if ok && slices.Min(numbers) > 0 && slices.Max(numbers)/slices.Min(numbers) > 30 {
		c.X.Log = true
	}
	for i, value := range axis.Values {
		k := slices.IndexFunc(points, func(p result.PointSummary) bool { return p.Settings[axis.Path] == value })
		v, has := points[max(k, 0)].Metrics[metric]
		if !ok {
			c.Categories = append(c.Categories, short(value))
		}
		if k < 0 || !has {
			continue
		}
		p := plot.Point{X: float64(i), Y: v[0], Low: v[1], High: v[2], Tip: fmt.Sprintf("%s=%s: %.4g (%.4g to %.4g)", axis.Path, value, v[0], v[1], v[2])}
		if ok {
			p.X = numbers[i]
		}
		s.Points = append(s.Points, p)
	}
	if ok {
		slices.SortFunc(s.Points, func(a, b plot.Point) int { return int(math.Copysign(1, a.X-b.X)) })
	}
	c.Series = []plot.Series{s}
	return c
}

// describe says what a metric is and which direction is better.
func describe(metric string) string {
	m, ok := metrics.Describe(metric)
	if !ok {
		return ""
	}
	better := map[metrics.Better]string{metrics.Lower: " Lower is better.", metrics.Higher: " Higher is better."}[m.Better]
	return strings.ToUpper(m.Doc[:1]) + m.Doc[1:] + "." + better
}

func short(value string) string {
	if r := []rune(value); len(r) > 18 {
		return string(r[:17]) + "…"
	}
	return value
}

func mapOver(axes []experiment.Axis, points []result.PointSummary, metric string) *report.Heat {
	rows, cols := axes[0], axes[1]
	m, _ := metrics.Describe(metric)
	h := &report.Heat{Name: metric, Title: metric, Text: describe(metric) + " The best is framed.", RowLabel: rows.Path, ColLabel: cols.Path, Rows: rows.Values, Cols: cols.Values, Unit: string(m.Unit), Best: [2]int{-1, -1}}
	if len(axes) > 2 {
		h.Text += " Each value is the mean over the other settings."
	}
	best := math.NaN()
	for i, r := range rows.Values {
		var line []float64
		for j, c := range cols.Values {
			v := meanWhere(points, metric, map[string]string{rows.Path: r, cols.Path: c})
			line = append(line, v)
			if !math.IsNaN(v) && (math.IsNaN(best) || m.Better == metrics.Lower && v < best || m.Better == metrics.Higher && v > best) {
				best, h.Best = v, [2]int{i, j}
			}
		}
		h.Values = append(h.Values, line)
	}
	return h
}

// meanWhere is the mean of a metric over the points with the settings; NaN if there is none.
func meanWhere(points []result.PointSummary, metric string, settings map[string]string) float64 {
	sum, n := 0.0, 0
	for i := range points {
		fits := true
		for path, value := range settings {
			fits = fits && points[i].Settings[path] == value
		}
		if v, ok := points[i].Metrics[metric]; ok && fits {
			sum, n = sum+v[0], n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// sensitivity draws how far each metric moves when one setting goes through its values, as a share of its mean.
func sensitivity(axes []experiment.Axis, points []result.PointSummary) *plot.Chart {
	c := &plot.Chart{Name: "sensitivity", Title: "How much each setting matters", Text: "The largest minus the smallest mean over the values of a setting, in percent of the mean of all points. A small bar is a setting that this metric does not care about.", Y: plot.Axis{Label: "%"}}
	for _, x := range axes {
		if len(x.Values) < 2 {
			continue
		}
		s := plot.Series{Name: x.Path, Mark: plot.Bars}
		c.Categories = nil
		for _, metric := range drawnMetrics {
			all := meanWhere(points, metric, nil)
			if math.IsNaN(all) || all == 0 {
				continue
			}
			low, high := math.Inf(1), math.Inf(-1)
			for _, value := range x.Values {
				if v := meanWhere(points, metric, map[string]string{x.Path: value}); !math.IsNaN(v) {
					low, high = min(low, v), max(high, v)
				}
			}
			share := 100 * (high - low) / math.Abs(all)
			s.Points = append(s.Points, point(len(c.Categories), share, fmt.Sprintf("%s moves %s by %.1f %%", x.Path, metric, share)))
			c.Categories = append(c.Categories, strings.ReplaceAll(metric, "_", " "))
		}
		c.Series = append(c.Series, s)
	}
	if len(c.Series) == 0 {
		return nil
	}
	return c
}

// measured reports whether some point has the metric.
func measured(points []result.PointSummary, metric string) bool {
	return slices.ContainsFunc(points, func(p result.PointSummary) bool { _, ok := p.Metrics[metric]; return ok })
}

func pointTable(axes []experiment.Axis, points []result.PointSummary) *report.TextTable {
	t := &report.TextTable{Title: "All points", Note: "sweep.csv has every run, summary.json every metric."}
	for _, x := range axes {
		t.Head = append(t.Head, x.Path)
	}
	var shown []string
	for _, metric := range drawnMetrics {
		if measured(points, metric) {
			shown = append(shown, metric)
			t.Head = append(t.Head, unitOf(metric))
		}
	}
	for i := range points {
		if i == mostRows {
			t.Note += fmt.Sprintf(" %d more points are there.", len(points)-i)
			break
		}
		var row []string
		for _, x := range axes {
			row = append(row, points[i].Settings[x.Path])
		}
		for _, metric := range shown {
			cell := ""
			if v, ok := points[i].Metrics[metric]; ok {
				cell = interval(v)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// interval writes a mean with its interval, if it has one.
func interval(v [3]float64) string {
	if v[1] == v[2] || math.IsInf(v[1], 0) {
		return fmt.Sprintf("%.4g", v[0])
	}
	return fmt.Sprintf("%.4g (%.4g to %.4g)", v[0], v[1], v[2])
}

// Search is the page of a search: the best, its neighbours and how much each parameter matters around it.
func Search(s *result.SearchSummary) *report.Answer {
	a := &report.Answer{Title: s.Scenario, Subtitle: "search: " + s.Objective, Facts: [][2]string{{"candidates", fmt.Sprint(first(s.Rungs))}, {"repetitions of the last", fmt.Sprint(len(s.Seeds))}},
		Notes: []string{"Best: " + settingsText(s.Best.Settings) + "."}}
	if !s.Best.Feasible {
		a.Notes = append(a.Notes, "No candidate keeps the rules; this is the nearest.")
	}
	objective := s.Metric
	entries := append([]result.SearchEntry{s.Best}, s.Neighbours...)
	values := plot.Series{Name: objective, Mark: plot.Bars}
	moves := plot.Series{Name: "difference", Mark: plot.Bars}
	chart := &plot.Chart{Name: "objective", Title: "The best and its neighbours", Text: "Means in repetitions that the choice did not see, with 95 % intervals; numbers are those of the table.", Y: plot.Axis{Label: unitOf(objective)}}
	around := &plot.Chart{Name: "sensitivity", Title: "Sensitivity around the best", Text: "The paired difference of the objective against the best, in percent. An interval that includes zero says that the neighbour may be as good.", Y: plot.Axis{Label: "%"}}
	t := &report.TextTable{Title: "Candidates", Head: []string{"", "settings", "differs in", objective, "against the best", "rules"}}
	for i, e := range entries {
		label := fmt.Sprint(i)
		if i == 0 {
			label = "best"
		}
		chart.Categories = append(chart.Categories, label)
		if v, ok := e.Metrics[objective]; ok {
			values.Points = append(values.Points, plot.Point{X: float64(i), Y: v[0], Low: v[1], High: v[2], Tip: settingsText(e.Settings) + ": " + interval(v)})
		}
		against := ""
		if d := e.Difference; d != nil {
			against = fmt.Sprintf("%+.1f %% (%+.1f to %+.1f)", 100*d[0], 100*d[1], 100*d[2])
			moves.Points = append(moves.Points, plot.Point{X: float64(len(around.Categories)), Y: 100 * d[0], Low: 100 * d[1], High: 100 * d[2], Tip: settingsText(e.Settings) + ": " + against})
			around.Categories = append(around.Categories, label)
		}
		kept := "kept"
		if !e.Feasible {
			kept = "broken"
		}
		t.Rows = append(t.Rows, []string{label, settingsText(e.Settings), e.Axis, interval(e.Metrics[objective]), against, kept})
	}
	chart.Series, around.Series = []plot.Series{values}, []plot.Series{moves}
	steps := &report.TextTable{Title: "How it was found", Note: "Successive halving: the better half of the candidates goes on with twice the repetitions.", Head: []string{"step", "candidates", "repetitions"}}
	for i, r := range s.Rungs {
		steps.Rows = append(steps.Rows, []string{fmt.Sprint(i + 1), fmt.Sprint(r.Candidates), fmt.Sprint(r.Seeds)})
	}
	a.Parts = []report.Part{{Chart: chart}, {Chart: around}, {Table: t}, {Table: steps}}
	return a
}

func first(rungs []result.Rung) int {
	if len(rungs) == 0 {
		return 0
	}
	return rungs[0].Candidates
}

// settingsText writes settings in the order of their paths.
func settingsText(settings map[string]string) string {
	var parts []string
	for path, value := range settings {
		parts = append(parts, path+"="+value)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
