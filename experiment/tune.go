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

	"github.com/yardmaster/yardmaster/metrics"
)

// Objective is what a search looks for: the best mean of a query, while the means of others keep
// their bounds.
type Objective struct {
	Query  metrics.Query
	Lower  bool // the least is the best
	Bounds []Rule
}

// ParseObjective reads an objective, such as v95_slowdown, and its bounds, such as
// median_slowdown<=3, for a scenario.
func (s *Scenario) ParseObjective(text string, bounds []string) (Objective, error) {
	var o Objective
	var errs []error
	var err error
	if o.Query, err = metrics.ParseQuery(text); err == nil {
		err = s.answers(o.Query)
	}
	if err != nil {
		errs = append(errs, fmt.Errorf("--objective %s: %w", text, err))
	}
	m, _ := metrics.Describe(o.Query.Metric)
	o.Lower = m.Better == metrics.Lower
	for _, b := range bounds {
		r, err := parseRule(b)
		switch {
		case err != nil:
		case r.Relative:
			err = errors.New("allowed: a number, such as median_slowdown<=3")
		default:
			err = s.answers(r.Query)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--subject-to %s: %w", b, err))
			continue
		}
		o.Bounds = append(o.Bounds, r)
	}
	if len(errs) > 0 {
		return Objective{}, &InputError{errors.Join(errs...)}
	}
	return o, nil
}

func (o *Objective) queries() []metrics.Query {
	list := []metrics.Query{o.Query}
	for i := range o.Bounds {
		if o.Bounds[i].index = slices.Index(list, o.Bounds[i].Query); o.Bounds[i].index < 0 {
			o.Bounds[i].index = len(list)
			list = append(list, o.Bounds[i].Query)
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

// Candidate is one setting of the parameters and what was measured of it.
type Candidate struct {
	Settings []Setting
	choice   PolicyChoice
	at       []int       // position on each axis
	values   [][]float64 // by query: one number a repetition
}

// excess is by how much the candidate breaks its bounds, as a share of each; 0 if it keeps them.
func (c *Candidate) excess(o *Objective) (sum float64) {
	for _, b := range o.Bounds {
		v := metrics.Confidence(c.values[b.index]).Mean
		if !b.holds(v) { // the rule states what must hold
			sum += max(math.Abs(v-b.Limit)/max(math.Abs(b.Limit), 1e-9), 1e-9)
		}
	}
	return sum
}

// compareCandidates puts the better one first: those that keep the bounds, by the objective; then the
// others, by how much they break them; then in the order of the grid.
func compareCandidates(o *Objective) func(a, b *Candidate) int {
	return func(a, b *Candidate) int {
		x, y := metrics.Confidence(a.values[0]).Mean, metrics.Confidence(b.values[0]).Mean
		if !o.Lower {
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(a.excess(o), b.excess(o)), cmp.Compare(x, y), slices.Compare(a.at, b.at))
	}
}

// Rung is one step of a search by successive halving.
type Rung struct {
	Candidates int `json:"candidates"`
	Seeds      int `json:"seeds"` // repetitions by now
}

// Tuning is the result of a search. Kept are the candidates of the last rung, best first. Best and
// its neighbours on the grid are measured again, in repetitions that the choice did not see, so
// that the figures do not flatter the winner.
type Tuning struct {
	Objective  Objective
	Axes       []Axis
	Rungs      []Rung
	Kept       []*Candidate
	Best       Measured
	Neighbours []Measured
	Seeds      []uint64 // of Best and Neighbours
}

// Measured is a candidate in fresh repetitions: every query with its interval, and the paired relative
// difference of the objective against the best.
type Measured struct {
	Settings   []Setting
	Axis       string // the one axis on which a neighbour differs
	Intervals  []metrics.Interval
	Difference metrics.Interval
	Feasible   bool
}

// Tune searches all points of the axes, which are parameters of a policy, by successive halving:
// every candidate is run with two repetitions, the better half with twice as many, and so on up to
// seeds. All candidates meet the same workloads and task lengths.
func Tune(ctx context.Context, s *Scenario, axes []Axis, o Objective, seeds int, opt Options) (*Tuning, error) {
	points, err := s.policyGrid(axes)
	if err != nil {
		return nil, err
	}
	return search(ctx, s, axes, points, o, seeds, opt)
}

// search is Tune for points in hand.
func search(ctx context.Context, s *Scenario, axes []Axis, points []gridPoint, o Objective, seeds int, opt Options) (*Tuning, error) {
	t := &Tuning{Objective: o, Axes: axes}
	queries := t.Objective.queries()
	var live []*Candidate
	for _, p := range points {
		c := &Candidate{Settings: p.settings, choice: p.choice, values: make([][]float64, len(queries))}
		for i, set := range p.settings {
			c.at = append(c.at, slices.Index(axes[i].Values, set.Value))
		}
		live = append(live, c)
	}
	all := slices.Clone(live)
	order := compareCandidates(&t.Objective)
	for have, want := 0, min(2, seeds); ; have, want = want, min(2*want, seeds) {
		if _, err := measure(ctx, s, live, queries, have, want, opt); err != nil {
			return nil, err
		}
		slices.SortFunc(live, order)
		t.Rungs = append(t.Rungs, Rung{len(live), want})
		if want == seeds {
			break
		}
		live = live[:max(min(2, len(live)), (len(live)+1)/2)]
	}
	t.Kept = live
	return t, t.confirm(ctx, s, all, queries, seeds, opt)
}

// measure runs the candidates in the repetitions [from, to) and adds what they answer.
func measure(ctx context.Context, s *Scenario, list []*Candidate, queries []metrics.Query, from, to int, opt Options) ([]uint64, error) {
	choices := make([]PolicyChoice, len(list))
	for i := range list {
		choices[i] = list[i].choice
	}
	later := *s
	later.Seed += uint64(from)
	c, err := Compare(ctx, &later, choices, to-from, queries, opt)
	if err != nil {
		return nil, err
	}
	if c.Stopped {
		return nil, context.Canceled
	}
	for i := range list {
		for q := range queries {
			list[i].values[q] = append(list[i].values[q], c.Values[i][q]...)
		}
	}
	return c.Seeds, nil
}

// confirm measures the best and its neighbours in fresh repetitions.
func (t *Tuning) confirm(ctx context.Context, s *Scenario, all []*Candidate, queries []metrics.Query, seeds int, opt Options) error {
	best := t.Kept[0]
	fresh := []*Candidate{{Settings: best.Settings, choice: best.choice, values: make([][]float64, len(queries))}}
	var axes []string
	for _, c := range all {
		if axis, ok := neighbour(t.Axes, best, c); ok {
			fresh = append(fresh, &Candidate{Settings: c.Settings, choice: c.choice, values: make([][]float64, len(queries))})
			axes = append(axes, axis)
		}
	}
	var err error
	if t.Seeds, err = measure(ctx, s, fresh, queries, seeds, 2*seeds, opt); err != nil {
		return err
	}
	for i, c := range fresh {
		m := Measured{Settings: c.Settings, Feasible: c.excess(&t.Objective) == 0}
		for q := range queries {
			m.Intervals = append(m.Intervals, metrics.Confidence(c.values[q]))
		}
		if i == 0 {
			t.Best = m
			continue
		}
		m.Axis = axes[i-1]
		m.Difference, _ = metrics.PairedShare(fresh[0].values[0], c.values[0])
		t.Neighbours = append(t.Neighbours, m)
	}
	return nil
}

// neighbour reports whether b is one step from a on exactly one axis, and which.
func neighbour(axes []Axis, a, b *Candidate) (string, bool) {
	axis, steps := "", 0
	for i := range a.at {
		if d := b.at[i] - a.at[i]; d != 0 {
			axis, steps = axes[i].Path, steps+d*d
		}
	}
	return axis, steps == 1
}

// SettingsText writes settings for people: capacities=[50%, 50%] limits=[14000s].
func SettingsText(settings []Setting) string {
	parts := make([]string, len(settings))
	for i, s := range settings {
		parts[i] = s.Path[strings.LastIndexByte(s.Path, '.')+1:] + "=" + s.Value
	}
	return strings.Join(parts, " ")
}
