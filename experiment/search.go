// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Objective is what a search looks for: the best mean of a query, while the means of others keep
// their bounds.
type Objective struct {
	Query  metrics.Query
	Lower  bool // the least is the best
	Bounds []Rule

	losses []Rule // no limits: what counts jobs that do not end, of which the fewest come first
}

// ParseObjective reads an objective, such as v95_slowdown, and its bounds, such as
// median_slowdown<=3, for a scenario.
func ParseObjective(s *scenario.Scenario, text string, bounds []string) (Objective, error) {
	var o Objective
	var errs []error
	var err error
	if o.Query, err = metrics.ParseQuery(text); err == nil {
		err = answers(s, o.Query)
	}
	if err != nil {
		errs = append(errs, fmt.Errorf("--objective %s: %w", text, err))
	}
	m, _ := metrics.Describe(o.Query.Metric)
	o.Lower = m.Better == metrics.Lower
	for _, q := range scenario.LossQueries(s) {
		o.Fewest(q)
	}
	for _, b := range bounds {
		r, err := parseRule(b)
		switch {
		case err != nil:
		case r.Relative:
			err = errors.New("allowed: a number, such as median_slowdown<=3")
		default:
			err = answers(s, r.Query)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--subject-to %s: %w", b, err))
			continue
		}
		o.Bounds = append(o.Bounds, r)
	}
	if len(errs) > 0 {
		return Objective{}, &strict.InputError{Err: errors.Join(errs...)}
	}
	return o, nil
}

// Fewest puts points that turn fewer jobs away, or lose fewer, as the query counts them, before others that keep the bounds.
func (o *Objective) Fewest(q metrics.Query) {
	if !slices.ContainsFunc(o.losses, func(r Rule) bool { return r.Query == q }) {
		o.losses = append(o.losses, Rule{Query: q})
	}
}

func (o *Objective) queries() []metrics.Query {
	list := []metrics.Query{o.Query}
	for _, rules := range [][]Rule{o.Bounds, o.losses} {
		for i := range rules {
			if rules[i].index = slices.Index(list, rules[i].Query); rules[i].index < 0 {
				rules[i].index = len(list)
				list = append(list, rules[i].Query)
			}
		}
	}
	return list
}

// Names returns the queries that every candidate answers, the objective first.
func (o *Objective) Names() (names []string) {
	for _, q := range o.queries() {
		names = append(names, q.String())
	}
	return names
}

// String says what is looked for.
func (o *Objective) String() string {
	text := "highest " + o.Query.String()
	if o.Lower {
		text = "lowest " + o.Query.String()
	}
	for i, b := range o.Bounds {
		text += []string{" subject to ", " and "}[min(i, 1)] + b.Text
	}
	return text
}

// Search is what is looked for and where: the best of all points of the axes, on the scenario.
type Search struct {
	Scenario  *scenario.Scenario
	Axes      []Axis
	Objective Objective
	Seeds     int // repetitions of the last candidates
	Options   Options
	Elsewhere Elsewhere // who runs the runs; nil: they are run here
}

// Elsewhere runs runs of a grid and returns what each measured, in the order in which they are asked for.
type Elsewhere func(ctx context.Context, runs []int) ([][]float64, error)

// Grid is every run that a search may ask for: all points in the repetitions of the search and those of Again.
func (q *Search) Grid() (*Grid, error) {
	if _, err := PolicyGrid(q.Scenario, q.Axes); err != nil {
		return nil, err
	}
	g, err := NewGrid(q.Scenario, q.Axes, 2*q.Seeds)
	if err == nil {
		g.Queries = q.Objective.queries()
	}
	return g, err
}

// SearchResult is what a search found. Best and its neighbours on the grid are measured again, in
// repetitions that the choice did not see, so that the figures do not flatter the winner.
type SearchResult struct {
	Objective  Objective
	Rungs      []result.Rung
	Best       Measured
	Neighbours []Measured
	Seeds      []uint64 // of Best and Neighbours
}

// Measured is a point in fresh repetitions: every query with its interval, and the paired relative
// difference of the objective against another point.
type Measured struct {
	Point      Point
	Axis       string // the one axis on which a neighbour differs
	Intervals  []stats.Interval
	Difference stats.Interval
	Feasible   bool
}

// Run searches all points of the axes, which are parameters of a policy, by successive halving: every
// candidate is run with two repetitions, the better half with twice as many, and so on up to Seeds. All
// candidates meet the same workloads and task lengths.
func (q *Search) Run(ctx context.Context) (*SearchResult, error) {
	points, err := PolicyGrid(q.Scenario, q.Axes)
	if err != nil {
		return nil, err
	}
	return q.Among(ctx, points)
}

// Among is Run for points in hand, which may leave out some of the grid.
func (q *Search) Among(ctx context.Context, points []Point) (*SearchResult, error) {
	out := &SearchResult{Objective: q.Objective}
	all := make([]*candidate, len(points))
	for i, p := range points {
		all[i] = &candidate{point: p}
		for k, set := range p.Settings {
			all[i].at = append(all[i].at, slices.Index(q.Axes[k].Values, set.Value))
		}
	}
	live, order := slices.Clone(all), compareCandidates(&q.Objective)
	for have, want := 0, min(2, q.Seeds); ; have, want = want, min(2*want, q.Seeds) {
		if _, err := q.measure(ctx, live, have, want); err != nil {
			return nil, err
		}
		slices.SortFunc(live, order)
		out.Rungs = append(out.Rungs, result.Rung{Candidates: len(live), Seeds: want})
		if want == q.Seeds {
			break
		}
		live = live[:max(min(2, len(live)), (len(live)+1)/2)]
	}
	best := live[0]
	again, axes := []Point{best.point}, []string{""}
	for _, c := range all {
		if axis, ok := neighbour(q.Axes, best, c); ok {
			again, axes = append(again, c.point), append(axes, axis)
		}
	}
	measured, seeds, err := q.Again(ctx, again, 0)
	if err != nil {
		return nil, err
	}
	for i := range measured {
		measured[i].Axis = axes[i]
	}
	out.Best, out.Neighbours, out.Seeds = measured[0], measured[1:], seeds
	return out, nil
}

// Again measures the points in Seeds repetitions that no choice has seen, and returns their seeds.
// Differences are against the point with index base.
func (q *Search) Again(ctx context.Context, points []Point, base int) ([]Measured, []uint64, error) {
	list := make([]*candidate, len(points))
	for i := range list {
		list[i] = &candidate{point: points[i]}
	}
	seeds, err := q.measure(ctx, list, q.Seeds, 2*q.Seeds)
	if err != nil {
		return nil, nil, err
	}
	out := make([]Measured, len(list))
	for i, c := range list {
		out[i] = Measured{Point: c.point, Feasible: c.excess(&q.Objective) == 0}
		for _, values := range c.values {
			out[i].Intervals = append(out[i].Intervals, stats.Confidence(values))
		}
		if i != base {
			out[i].Difference, _ = stats.PairedShare(list[base].values[0], c.values[0])
		}
	}
	return out, seeds, nil
}

// measure runs the candidates in the repetitions [from, to) and adds what they answer.
func (q *Search) measure(ctx context.Context, list []*candidate, from, to int) ([]uint64, error) {
	if q.Elsewhere != nil {
		return q.askElsewhere(ctx, list, from, to)
	}
	queries := q.Objective.queries()
	choices := make([]scenario.PolicyChoice, len(list))
	for i := range list {
		choices[i] = list[i].point.Choice
	}
	later := *q.Scenario
	later.Seed += uint64(from)
	c, err := Compare(ctx, &later, choices, to-from, queries, q.Options)
	if err != nil {
		return nil, err
	}
	if c.Stopped {
		return nil, context.Canceled
	}
	for i, one := range list {
		if one.values == nil {
			one.values = make([][]float64, len(queries))
		}
		for k := range queries {
			one.values[k] = append(one.values[k], c.Values[i][k]...)
		}
	}
	return c.Seeds, nil
}

// askElsewhere is measure for runs that are run elsewhere: those of Grid, by their numbers.
func (q *Search) askElsewhere(ctx context.Context, list []*candidate, from, to int) (seeds []uint64, err error) {
	var runs []int
	for _, one := range list {
		point := 0
		for k, set := range one.point.Settings {
			point = point*len(q.Axes[k].Values) + slices.Index(q.Axes[k].Values, set.Value)
		}
		for repetition := from; repetition < to; repetition++ {
			runs = append(runs, point*2*q.Seeds+repetition)
		}
	}
	values, err := q.Elsewhere(ctx, runs)
	if err != nil {
		return nil, err
	}
	for i, one := range list {
		if one.values == nil {
			one.values = make([][]float64, len(q.Objective.queries()))
		}
		for _, measured := range values[i*(to-from) : (i+1)*(to-from)] {
			for k := range one.values {
				one.values[k] = append(one.values[k], measured[k])
			}
		}
	}
	for repetition := from; repetition < to; repetition++ {
		seeds = append(seeds, q.Scenario.Seed+uint64(repetition))
	}
	return seeds, nil
}

// Summary returns what was found.
func (r *SearchResult) Summary(name string) *result.SearchSummary {
	out := &result.SearchSummary{Scenario: name, Objective: r.Objective.String(), Metric: r.Objective.Query.String(), Rungs: r.Rungs, Seeds: r.Seeds, Neighbours: []result.SearchEntry{}}
	names := r.Objective.Names()
	entry := func(m *Measured) result.SearchEntry {
		e := result.SearchEntry{Settings: map[string]string{}, Axis: m.Axis, Metrics: map[string][3]float64{}, Feasible: m.Feasible}
		for _, set := range m.Point.Settings {
			e.Settings[set.Path] = set.Value
		}
		for i, v := range m.Intervals {
			e.Metrics[names[i]] = [3]float64{v.Mean, v.Low, v.High}
		}
		if m.Axis != "" {
			e.Difference = &[3]float64{m.Difference.Mean, m.Difference.Low, m.Difference.High}
		}
		return e
	}
	out.Best = entry(&r.Best)
	for i := range r.Neighbours {
		out.Neighbours = append(out.Neighbours, entry(&r.Neighbours[i]))
	}
	return out
}

// candidate is a point of the search and what was measured of it.
type candidate struct {
	point  Point
	at     []int       // position on each axis
	values [][]float64 // by query: one number for each repetition
}

// excess is by how much the candidate breaks its bounds, as a share of each; 0 if it keeps them. Without a job that the objective
// could be measured on it breaks them all.
func (c *candidate) excess(o *Objective) (sum float64) {
	if stats.Confidence(c.values[0]).N == 0 {
		return math.Inf(1)
	}
	for _, b := range o.Bounds {
		v := stats.Confidence(c.values[b.index]).Mean
		if !b.holds(v) { // the rule states what must hold
			sum += max(math.Abs(v-b.Limit)/max(math.Abs(b.Limit), 1e-9), 1e-9)
		}
	}
	return sum
}

// lost is how many jobs do not end, on average.
func (c *candidate) lost(o *Objective) (sum float64) {
	for _, l := range o.losses {
		sum += stats.Confidence(c.values[l.index]).Mean
	}
	return sum
}

// compareCandidates puts the better one first: those that keep the bounds, by how few jobs they turn away or lose and then by the
// objective; then the others, by how much they break them; then in the order of the grid.
func compareCandidates(o *Objective) func(a, b *candidate) int {
	return func(a, b *candidate) int {
		x, y := stats.Confidence(a.values[0]).Mean, stats.Confidence(b.values[0]).Mean
		if !o.Lower {
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(a.excess(o), b.excess(o)), cmp.Compare(a.lost(o), b.lost(o)), cmp.Compare(x, y), slices.Compare(a.at, b.at))
	}
}

// neighbour reports whether b is one step from a on exactly one axis, and which.
func neighbour(axes []Axis, a, b *candidate) (string, bool) {
	axis, steps := "", 0
	for i := range a.at {
		if d := b.at[i] - a.at[i]; d != 0 {
			axis, steps = axes[i].Path, steps+d*d
		}
	}
	return axis, steps == 1
}

// SettingsText writes settings for people: capacities=[50%, 50%] limits=[14000s].
func SettingsText(settings []strict.Setting) string {
	parts := make([]string, len(settings))
	for i, s := range settings {
		parts[i] = lastOf(s.Path) + "=" + s.Value
	}
	return strings.Join(parts, " ")
}
