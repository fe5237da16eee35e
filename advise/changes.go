// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Changes tells what a comparison did to every queue, user and class, and which limits are behind it.
// It watches the runs of a comparison through Options.Observe.
type Changes struct {
	labels []string
	base   []int // what each variant is compared with
	keys   []groupKey
	jobs   []int
	values [][][][]float64 // [policy][repetition][group][changeMetrics, then limits]
}

type groupKey struct{ by, name string }

// changeMetrics are shown for every group.
var changeMetrics = []struct {
	metric, title string
}{
	{"mean_wait", "waiting"}, {"mean_exec", "execution"}, {"mean_elapsed", "elapsed"},
	{"mean_response_ratio", "response ratio"}, {"makespan", "makespan"}, {"node_local", "node-local"},
	{"jobs", ""}, // not shown, but for jobs that did not run
}

// NewChanges prepares for a comparison of the variants over n seeds. Groups are those of the
// scenario's jobs: queues, users and classes, each in order of first use. A variant is compared with
// the first one of the same change; the first one of a change with the first of all.
func NewChanges(s *scenario.Scenario, variants []experiment.Variant, n int) *Changes {
	c := &Changes{}
	for i := range variants {
		c.labels = append(c.labels, variants[i].Policy.Label())
		base := slices.IndexFunc(variants, func(v experiment.Variant) bool { return v.Change == variants[i].Change })
		if base == i {
			base = 0
		}
		c.base = append(c.base, base)
	}
	jobs := s.Jobs(s.Seed)
	for _, by := range []string{"queue", "user", "class"} {
		for i := range jobs {
			name := map[string]string{"queue": jobs[i].Queue, "user": jobs[i].User, "class": jobs[i].Class}[by]
			at := slices.Index(c.keys, groupKey{by, name})
			switch {
			case name == "":
			case at < 0:
				c.keys, c.jobs = append(c.keys, groupKey{by, name}), append(c.jobs, 1)
			default:
				c.jobs[at]++
			}
		}
	}
	for range variants {
		reps := make([][][]float64, n)
		for r := range reps {
			reps[r] = make([][]float64, len(c.keys))
		}
		c.values = append(c.values, reps)
	}
	return c
}

// Observe is for Options.Observe.
func (c *Changes) Observe(p, rep int, g *metrics.Group) {
	at := make(map[groupKey]int, len(c.keys))
	for i, k := range c.keys {
		at[k] = i
	}
	groups := make([]metrics.Group, len(c.keys))
	for _, j := range g.Jobs {
		for _, k := range []groupKey{{"queue", j.Queue}, {"user", j.User}, {"class", j.Class}} {
			if i, ok := at[k]; ok {
				groups[i].Jobs, groups[i].Run = append(groups[i].Jobs, j), g.Run
			}
		}
	}
	for i := range groups {
		values := make([]float64, 0, len(changeMetrics)+model.Limits)
		for _, m := range changeMetrics {
			values = append(values, valueOf(&groups[i], m.metric))
		}
		for l := range model.Limit(model.Limits) {
			values = append(values, valueOf(&groups[i], metrics.LimitMetric(l)))
		}
		c.values[p][rep][i] = values
	}
}

// valueOf is NaN for a group without jobs.
func valueOf(g *metrics.Group, metric string) float64 {
	if len(g.Jobs) == 0 {
		return math.NaN()
	}
	v, _ := g.Value(metric)
	return v
}

// Rows returns what changed in the first n repetitions: by group, then by variant.
func (c *Changes) Rows(n int) (rows []result.ChangeRow) {
	for g, key := range c.keys {
		for p := 1; p < len(c.labels); p++ {
			row := result.ChangeRow{By: key.by, Name: key.name, Jobs: c.jobs[g], Variant: c.labels[p], Against: c.labels[c.base[p]], Metrics: map[string]result.ChangeMetric{}, Limits: map[string][2]float64{}}
			for m := range changeMetrics {
				a, b := c.samples(c.base[p], g, m, n), c.samples(p, g, m, n)
				d := stats.Paired(a, b)
				row.Metrics[changeMetrics[m].metric] = result.ChangeMetric{Before: stats.Confidence(a).Mean, After: stats.Confidence(b).Mean,
					Difference: [3]float64{d.Mean, d.Low, d.High}, Sure: d.ExcludesZero()}
			}
			for l := range model.Limit(model.Limits) {
				m := len(changeMetrics) + int(l)
				before, after := stats.Mean(known(c.samples(c.base[p], g, m, n))), stats.Mean(known(c.samples(p, g, m, n)))
				if before != 0 || after != 0 {
					row.Limits[l.String()] = [2]float64{before, after}
				}
			}
			row.Why = why(row.Limits)
			if ended := row.Metrics["jobs"]; ended.After != ended.Before {
				row.Why = strings.TrimPrefix(fmt.Sprintf("%s, %g jobs ran instead of %g", row.Why, ended.After, ended.Before), ", ")
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func known(v []float64) []float64 { return slices.DeleteFunc(slices.Clone(v), math.IsNaN) }

func (c *Changes) samples(p, g, m, n int) []float64 {
	out := make([]float64, n)
	for r := range out {
		out[r] = c.values[p][r][g][m]
	}
	return out
}

// why names the limits that hold jobs back longer or shorter, the largest change first: those with at
// least a fifth of it.
func why(limits map[string][2]float64) string {
	type change struct {
		limit string
		by    float64
	}
	var list []change
	most := 0.05 // seconds; less is nothing to speak of
	for _, l := range slices.Sorted(maps.Keys(limits)) {
		by := limits[l][1] - limits[l][0]
		list = append(list, change{l, by})
		most = max(most, math.Abs(by))
	}
	slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(math.Abs(b.by), math.Abs(a.by)) })
	var parts []string
	for _, c := range list {
		if math.Abs(c.by) >= most/5 && math.Abs(c.by) >= 0.05 {
			parts = append(parts, fmt.Sprintf("%s %+.1f s", limitWords(c.limit), c.by))
		}
	}
	return strings.Join(parts, ", ")
}

func limitWords(limit string) string {
	if limit == model.LimitRoom.String() {
		return "room in use by others"
	}
	return strings.ReplaceAll(limit, "_", " ")
}

// maxUsers is how many users a table for people shows; the JSON has all.
const maxUsers = 30

// ChangeTable is the rows as cells for people: a table each for queues, users and classes.
type ChangeTable struct {
	Title string
	Head  []string
	Rows  [][]string
	More  int   // rows that are left out
	Order []int // columns of a page: who and why first
}

// ChangeTables lays the rows out.
func ChangeTables(rows []result.ChangeRow) (tables []ChangeTable) {
	for _, by := range []string{"queue", "user", "class"} {
		t := ChangeTable{Title: "by " + by, Head: []string{by, "jobs", "under", "against"}}
		for _, m := range changeMetrics {
			if m.title != "" {
				t.Head = append(t.Head, m.title)
			}
		}
		t.Head = append(t.Head, "why")
		t.Order = []int{0, 2, len(t.Head) - 1, 3, 1}
		for i := 4; i < len(t.Head)-1; i++ {
			t.Order = append(t.Order, i)
		}
		last, groups := "", 0
		for i := range rows {
			r := &rows[i]
			if r.By != by {
				continue
			}
			if first := groups == 0 || r.Name != last; first {
				last = r.Name
				if groups++; groups <= maxUsers {
					t.Rows = append(t.Rows, cells(r, r.Name, r.Against, true))
				}
			}
			if groups > maxUsers {
				t.More++
				continue
			}
			t.Rows = append(t.Rows, cells(r, "", r.Variant, false))
		}
		if groups > 1 || groups == 1 && by == "queue" {
			tables = append(tables, t)
		}
	}
	return tables
}

func cells(r *result.ChangeRow, name, variant string, before bool) []string {
	out := []string{name, "", variant, r.Against}
	if before {
		out[1], out[3] = fmt.Sprint(r.Jobs), ""
	}
	for _, k := range changeMetrics {
		if k.title == "" {
			continue
		}
		m, ended := r.Metrics[k.metric], r.Metrics["jobs"]
		v, jobs := m.After, ended.After
		if before {
			v, jobs = m.Before, ended.Before
		}
		if jobs == 0 { // they were refused, or failed
			out = append(out, "-")
			continue
		}
		text := fmt.Sprintf("%.2f", v)
		metric, _ := metrics.Describe(k.metric)
		switch metric.Unit {
		case metrics.Seconds:
			text = fmt.Sprintf("%.1f s", v)
		case metrics.Share:
			text = fmt.Sprintf("%.1f %%", 100*v)
		}
		if !before && m.Before != 0 && metric.Unit != metrics.Share {
			text += fmt.Sprintf(" (%+.0f %%%s)", 100*(m.After/m.Before-1), map[bool]string{true: "*"}[m.Sure])
		}
		out = append(out, text)
	}
	if before {
		return append(out, "")
	}
	return append(out, r.Why)
}
