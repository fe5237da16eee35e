// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report/plot"
)

// ChartConfig is one drawing of a paper's page, made of an experiment's runs. What it shows is also
// printed, as findings without a reference.
type ChartConfig struct {
	Name       string      `yaml:"name" required:"true" doc:"Name of the drawing, such as figure-6a."`
	Title      string      `yaml:"title" required:"true" doc:"What it shows."`
	Source     string      `yaml:"source" required:"true" doc:"Where the paper has it."`
	Text       string      `yaml:"text,omitempty" doc:"How to read it."`
	Experiment string      `yaml:"experiment" required:"true" doc:"The experiment whose runs it shows."`
	Kind       string      `yaml:"kind" required:"true" oneof:"curve,percentiles,sizes,bars,grouped,boxes,runs,by-job,scatter,cdf,jobs-over-time,labels,over-time,policies-over-time,smoothed,gantt,maps,input,density" doc:"curve: metrics over a parameter of the experiment's grid; percentiles: V(q) over q; sizes: bars by range of job sizes; bars: a metric, one bar per policy, or several metrics side by side; grouped: several metrics side by side, one group of bars per policy or per entry of groups; boxes: a metric, one box per policy, over the repetitions; runs: a metric, repetition by repetition; by-job: a quantity of each job, in order of submission, one cloud per queue; scatter: slowdown against size; cdf: distribution of a quantity; jobs-over-time: room in use by job; labels: a metric over the numbers that policies are labelled with, others as horizontal lines; over-time: the lines of a series, such as cpu; policies-over-time: a series, one line per policy; smoothed: a series, as it is and smoothed; gantt: map and reduce phases of jobs; maps: lengths of maps, one cloud per job; input: size against input of jobs; density: share of the jobs by tasks, or by another quantity, on a logarithmic axis."`
	Policies   []string    `yaml:"policies,omitempty" doc:"Whose runs; all of the experiment's if left out. Each has a drawing of its own in scatter, by-job, over-time, smoothed, gantt, jobs-over-time, and in grouped with groups."`
	Metrics    []string    `yaml:"metrics,omitempty" doc:"curve: queries, one per line; best is the chosen value of best.over. percentiles: a quantity such as slowdown. sizes: a metric of the jobs in a range. cdf: a quantity. labels: a query. bars, grouped: queries. boxes, runs: a query. by-job: a quantity. over-time, policies-over-time, smoothed: the name of a series. density: tasks, or a quantity."`
	Groups     []string    `yaml:"groups,omitempty" doc:"grouped: whose metrics, one group of bars each, such as job:sort1 or class:type2; all jobs under each policy if left out."`
	X          string      `yaml:"x,omitempty" doc:"curve: the axis of the grid, policy.NAME.PARAMETER; the first number of its values is their place."`
	Where      []string    `yaml:"where,omitempty" doc:"curve: only the points of the grid with this setting, PATH=VALUE."`
	Best       *BestConfig `yaml:"best" doc:"curve: of several points with the same x, show the best."`
	Over       string      `yaml:"over,omitempty" doc:"bars: values are divided by those of this policy, repetition by repetition."`
	Zero       string      `yaml:"zero,omitempty" doc:"curve: a policy that is shown at x = 0."`
	At         []float64   `yaml:"at,omitempty" doc:"percentiles: which. sizes: the edges of the ranges, in seconds. smoothed: the weight of the newest value."`
	XLabel     string      `yaml:"x-label,omitempty" doc:"Label of the x axis."`
	YLabel     string      `yaml:"y-label,omitempty" doc:"Label of the y axis."`
	LogY       bool        `yaml:"log-y,omitempty" doc:"Logarithmic y axis."`
}

// BestConfig chooses among points of a grid.
type BestConfig struct {
	Over     string `yaml:"over" required:"true" doc:"The axis along which one is chosen."`
	Minimise string `yaml:"minimise" required:"true" doc:"The query whose mean is to be smallest."`
}

func (c *ChartConfig) validate(e *Expected) (problems []model.Problem) {
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	if !slices.ContainsFunc(e.Experiments, func(x ExperimentConfig) bool { return x.Name == c.Experiment }) {
		bad("experiment", fmt.Sprintf("%q", c.Experiment), "the name of an experiment of this file")
	}
	needs := 1
	if slices.Contains([]string{"scatter", "jobs-over-time", "gantt", "maps", "input"}, c.Kind) {
		needs = 0
	}
	if len(c.Metrics) < needs || !slices.Contains([]string{"curve", "bars", "grouped"}, c.Kind) && len(c.Metrics) > needs {
		bad("metrics", fmt.Sprintf("%d metrics of a %s chart", len(c.Metrics), c.Kind), "one, or more for curve, bars and grouped; none for scatter, gantt, jobs-over-time, maps and input")
		return problems
	}
	if len(c.Groups) > 0 && c.Kind != "grouped" {
		bad("groups", fmt.Sprintf("%d groups of a %s chart", len(c.Groups), c.Kind), "groups of a grouped chart only")
	}
	if c.Kind == "smoothed" && (len(c.At) != 1 || c.At[0] <= 0 || c.At[0] > 1) {
		bad("at", fmt.Sprint(c.At), "one weight above 0, at most 1")
	}
	if (c.Kind == "curve") != (c.X != "") {
		bad("x", fmt.Sprintf("%q with %s", c.X, c.Kind), "an axis of the experiment's grid, for curves only")
	}
	if c.Over != "" && c.Kind != "bars" {
		bad("over", fmt.Sprintf("%q with %s", c.Over, c.Kind), "a policy, for bars only")
	}
	if (c.Kind == "percentiles" || c.Kind == "sizes") && len(c.At) < 2 {
		bad("at", fmt.Sprintf("%d values", len(c.At)), "at least two percentiles or edges")
		return problems
	}
	for _, text := range c.texts() {
		if _, err := metrics.ParseQuery(text); err != nil {
			bad("metrics", text, err.Error())
		}
	}
	return problems
}

// texts returns the queries that the chart needs.
func (c *ChartConfig) texts() (texts []string) {
	switch c.Kind {
	case "curve":
		for _, m := range c.Metrics {
			if m != "best" {
				texts = append(texts, m)
			}
		}
		if c.Best != nil {
			texts = append(texts, c.Best.Minimise)
		}
	case "percentiles":
		for _, q := range c.At {
			texts = append(texts, fmt.Sprintf("v%g_%s", q, c.Metrics[0]))
		}
	case "sizes":
		for i := range len(c.At) - 1 {
			texts = append(texts, c.sizeQuery(i))
		}
	case "scatter":
		texts = []string{"median_slowdown", "p95_slowdown"}
	case "labels", "bars", "boxes", "runs":
		texts = c.Metrics
	case "grouped":
		for _, text := range c.Metrics {
			if len(c.Groups) == 0 {
				texts = append(texts, text)
			}
			for _, group := range c.Groups {
				texts = append(texts, group+"."+text)
			}
		}
	case "by-job":
		texts = []string{"mean_" + c.Metrics[0]}
	case "cdf":
		texts = []string{"median_" + c.Metrics[0], "p95_" + c.Metrics[0]}
	case "density":
		if c.Metrics[0] != "tasks" {
			texts = []string{"median_" + c.Metrics[0]}
		}
	}
	return texts
}

func (c *ChartConfig) sizeQuery(i int) string {
	return fmt.Sprintf("size:%g-%g.%s", c.At[i], c.At[i+1], c.Metrics[0])
}

// drawer makes the drawings and findings of one chart from the runs of its experiment.
type drawer struct {
	*ChartConfig
	c        *experiment.Comparison
	points   []experiment.Point // the grid of the experiment, behind its other policies
	first    int                // index of the first of them
	findings []Finding
}

func (d *drawer) interval(p int, text string) stats.Interval {
	q, _ := metrics.ParseQuery(text)
	return d.c.Mean(p, slices.Index(d.c.Queries, q))
}

func (d *drawer) find(figure string, i stats.Interval) {
	if i.N > 0 {
		d.findings = append(d.findings, Finding{Figure: figure, Source: d.Source, Ours: i.Mean, Low: i.Low, High: i.High, Verdict: NoReference})
	}
}

// chosen returns the policies that the chart is about, by index.
func (d *drawer) chosen() (list []int, err error) {
	if len(d.Policies) == 0 {
		for p := range d.first {
			list = append(list, p)
		}
		return list, nil
	}
	for _, label := range d.Policies {
		p, err := d.c.Find(label)
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", d.Name, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// draw returns the drawings of the chart: one, or one per policy.
func (d *drawer) draw() ([]plot.Chart, error) {
	base := plot.Chart{Name: d.Name, Title: d.Title, Source: d.Source, Text: d.Text,
		X: plot.Axis{Label: d.XLabel}, Y: plot.Axis{Label: d.YLabel, Log: d.LogY, Zero: !d.LogY}}
	if d.Kind == "curve" {
		return d.curves(base)
	}
	chosen, err := d.chosen()
	if err != nil {
		return nil, err
	}
	switch d.Kind {
	case "percentiles":
		return []plot.Chart{d.percentiles(base, chosen)}, nil
	case "sizes":
		return []plot.Chart{d.sizes(base, chosen)}, nil
	case "cdf":
		return []plot.Chart{d.cdf(base, chosen)}, nil
	case "maps":
		return []plot.Chart{mapLengths(base, d.c.Scenario.Jobs(d.c.Seeds[0]))}, nil
	case "input":
		return []plot.Chart{sizeByInput(base, metrics.All(d.c.Shown[chosen[0]], 0).Jobs)}, nil
	case "density":
		return []plot.Chart{density(base, metrics.All(d.c.Shown[chosen[0]], 0), d.Metrics[0])}, nil
	case "labels":
		return []plot.Chart{d.labels(base, chosen)}, nil
	case "bars":
		chart, err := d.bars(base, chosen)
		return []plot.Chart{chart}, err
	case "policies-over-time":
		return []plot.Chart{d.policiesOverTime(base, chosen)}, nil
	case "boxes":
		return []plot.Chart{d.boxes(base, chosen)}, nil
	case "runs":
		return []plot.Chart{d.repetitions(base, chosen)}, nil
	case "grouped":
		if len(d.Groups) == 0 {
			return []plot.Chart{d.byPolicy(base, chosen)}, nil
		}
	}
	var charts []plot.Chart
	for _, p := range chosen {
		one := base
		label := d.c.Policies[p].Label()
		one.Name += "-" + strings.ReplaceAll(label, " ", "-")
		one.Title += ": " + label
		switch d.Kind {
		case "scatter":
			d.scatter(&one, p)
		case "over-time":
			d.overTime(&one, p)
		case "smoothed":
			d.smoothed(&one, p)
		case "grouped":
			d.byGroup(&one, p)
		case "by-job":
			d.byJob(&one, p)
		case "gantt":
			gantt(&one, d.c.Shown[p])
		default:
			jobsOverTime(&one, d.c.Shown[p])
		}
		charts = append(charts, one)
	}
	return charts, nil
}

// curves draws one line per metric over an axis of the grid.
func (d *drawer) curves(chart plot.Chart) ([]plot.Chart, error) {
	columns, err := d.columns()
	if err != nil {
		return nil, err
	}
	for _, m := range d.Metrics {
		s := plot.Series{Name: m}
		if d.Zero != "" && m != "best" {
			p, err := d.c.Find(d.Zero)
			if err != nil {
				return nil, fmt.Errorf("chart %s: %w", d.Name, err)
			}
			s.Points = append(s.Points, chartPoint(0, d.interval(p, m)))
		}
		for _, i := range columns {
			point := &d.points[i]
			x := firstNumber(point.Value(d.X))
			v := stats.Interval{}
			if m == "best" {
				best := firstNumber(point.Value(d.Best.Over))
				v = stats.Interval{Mean: best, Low: best, High: best, N: 1}
			} else {
				v = d.interval(d.first+i, m)
			}
			d.find(fmt.Sprintf("%s: %s under %s", d.Title, d.lineName(m), point.Choice.Label()), v)
			s.Points = append(s.Points, chartPoint(x, v))
		}
		s.Name = d.lineName(m)
		chart.Series = append(chart.Series, s)
	}
	return []plot.Chart{chart}, nil
}

func (d *drawer) lineName(metric string) string {
	if metric == "best" {
		return "best " + d.Best.Over[strings.LastIndexByte(d.Best.Over, '.')+1:]
	}
	return metric
}

func chartPoint(x float64, i stats.Interval) plot.Point {
	return plot.Point{X: x, Y: i.Mean, Low: i.Low, High: i.High}
}

// columns returns the grid points to show, one for each value of x, in rising order.
func (d *drawer) columns() (points []int, err error) {
	at := map[string]int{} // by value of x
	for i := range d.points {
		p := &d.points[i]
		if !d.wanted(p) {
			continue
		}
		x := p.Value(d.X)
		if x == "" {
			return nil, fmt.Errorf("chart %s: the experiment has no axis %s", d.Name, d.X)
		}
		k, seen := at[x]
		switch {
		case !seen:
			at[x] = len(points)
			points = append(points, i)
		case d.Best == nil:
			return nil, fmt.Errorf("chart %s: several points have %s=%s; allowed: where or best to choose one", d.Name, d.X, x)
		case d.interval(d.first+i, d.Best.Minimise).Mean < d.interval(d.first+points[k], d.Best.Minimise).Mean:
			points[k] = i
		}
	}
	slices.SortStableFunc(points, func(a, b int) int {
		return cmp.Compare(firstNumber(d.points[a].Value(d.X)), firstNumber(d.points[b].Value(d.X)))
	})
	return points, nil
}

func (d *drawer) wanted(p *experiment.Point) bool {
	for _, w := range d.Where {
		path, value, _ := strings.Cut(w, "=")
		if p.Value(path) != value {
			return false
		}
	}
	return true
}

// firstNumber returns the first number in a setting's text, which is its place on an axis of a
// chart: 30 of [30%, 70%].
func firstNumber(text string) float64 {
	from := strings.IndexFunc(text, func(r rune) bool { return unicode.IsDigit(r) })
	if from < 0 {
		return math.NaN()
	}
	v := 0.0
	fmt.Sscanf(text[from:], "%g", &v)
	return v
}
