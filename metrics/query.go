// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"

	"github.com/yardmaster/yardmaster/model"
)

// Query asks for one metric of all jobs or of some: p95_wait, prod.p95_wait (a queue),
// class:small.mean_slowdown, user:ann.makespan, job:J1.slots_60_600, queue:a.b.jobs; of jobs of some sizes in seconds,
// size:100-1000.mean_slowdown, or of some shuffle data, shuffle:light.throughput; or of a part of a cluster that the policy divides, part:1.work_share; prod&class:small.mean_wait
// is the jobs of a class in a queue.
type Query struct {
	By     string // "" or the name of a selector
	Value  string
	Class  string // with By queue: only jobs of this class, if not empty
	Metric string
}

// selector is what may stand in front of a metric.
type selector struct {
	by   string
	form string // as it is written
	text string // whose metric it is then
	of   func(*Job) string
}

var selectors = []selector{
	{"queue", "QUEUE.", "of the jobs of a queue; `queue:NAME.` if the name looks like another of these", func(j *Job) string { return j.Queue }},
	{"class", "class:NAME.", "of the jobs of a class", func(j *Job) string { return j.Class }},
	{"user", "user:NAME.", "of the jobs of a user", func(j *Job) string { return j.User }},
	{"job", "job:NAME.", "of one job", func(j *Job) string { return j.Name }},
	{"shuffle", "shuffle:NAME.", "of the jobs with light (below 1 MiB), medium (to 100 MiB) or heavy shuffle data", func(j *Job) string { return model.ShuffleClassOf(float64(j.Shuffle)).String() }},
	{"", "QUEUE&class:NAME.", "of the jobs of a class in a queue", nil},
	{"size", "size:LOW-HIGH.", "of the jobs of some sizes, from LOW to below HIGH seconds", nil},
	{"part", "part:N.", "of part N of a cluster that the policy divides, counted from 1", nil},
}

func isSelector(by string) bool {
	return by != "" && slices.ContainsFunc(selectors, func(s selector) bool { return s.by == by })
}

// allows reports whether jobs or parts that a selector chooses can have the metric.
func (f *family) allows(by string) bool {
	switch {
	case by == "part":
		return f.part != nil
	case by == "":
		return f.value != nil || f.job != nil
	}
	return !f.whole
}

// ParseQuery reads a query. It fails on an unknown metric.
func ParseQuery(text string) (Query, error) {
	q, known, err := parse(text)
	switch {
	case err != nil:
		return Query{}, err
	case known:
		return q, nil
	}
	msg := fmt.Sprintf("unknown metric %q; metrics are %s", text, forms())
	if near := nearest(text); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return Query{}, errors.New(msg)
}

// parse reads a query; known is false if there is no such metric, or not with what stands in front.
func parse(text string) (q Query, known bool, err error) {
	if f, _, ok := find(text); ok && f.allows("") {
		return Query{Metric: text}, true, nil
	}
	for i := range len(text) {
		if text[i] != '.' {
			continue
		}
		f, _, ok := find(text[i+1:])
		if !ok {
			continue
		}
		q := Query{By: "queue", Value: text[:i], Metric: text[i+1:]}
		if by, value, ok := strings.Cut(q.Value, ":"); ok && isSelector(by) {
			q.By, q.Value = by, value
		}
		if queue, class, ok := strings.Cut(q.Value, "&class:"); ok && q.By == "queue" {
			q.Value, q.Class = queue, class
		}
		if !f.allows(q.By) {
			continue // room is the whole cluster's or a part's, not a queue's
		}
		if _, _, ok := parseSizes(q.Value); q.By == "size" && !ok {
			return Query{}, false, fmt.Errorf("bad sizes %q; allowed: size:LOW-HIGH in seconds, such as size:100-1000.%s", q.Value, q.Metric)
		}
		if q.By == "shuffle" && !slices.Contains(model.ShuffleClassNames[:], q.Value) {
			return Query{}, false, fmt.Errorf("bad shuffle data %q; allowed: light, medium or heavy, such as shuffle:light.%s", q.Value, q.Metric)
		}
		return q, true, nil
	}
	return Query{}, false, nil
}

// forms says how metrics are written.
func forms() string {
	var quantities, others, parts, fronts []string
	for i := range families {
		f := &families[i]
		switch {
		case f.job != nil:
			quantities = append(quantities, f.quantity())
		case f.value != nil:
			others = append(others, f.name)
		}
		if f.part != nil {
			parts = append(parts, "part:N."+f.name)
		}
	}
	for _, s := range selectors {
		if s.by != "part" {
			fronts = append(fronts, s.form)
		}
	}
	statistics := make([]string, len(stat.choices))
	for i := range statistics {
		statistics[i] = stat.choices[i].Label
	}
	last := len(fronts) - 1
	return fmt.Sprintf("STAT_QUANTITY (%s of %s), %s, with an optional %s or %s in front, and %s", strings.Join(statistics, ", "), strings.Join(quantities, ", "),
		strings.Join(others, ", "), strings.Join(fronts[:last], ", "), fronts[last], strings.Join(parts, ", "))
}

// nearest returns the query that a text was most likely meant to be, "" if there is none.
func nearest(text string) string {
	for i := -1; i < len(text); i++ {
		if i >= 0 && text[i] != '.' {
			continue
		}
		front, name := text[:i+1], text[i+1:]
		candidates := Names()
		if statistic, _, ok := strings.Cut(name, "_"); ok && stat.valid(statistic) {
			for k := range families {
				if q := families[k].quantity(); q != "" {
					candidates = append(candidates, statistic+"_"+q)
				}
			}
		}
		near := strict.Nearest(name, candidates)
		for _, query := range []string{front + near, near} {
			if _, known, err := parse(query); near != "" && known && err == nil {
				return query
			}
		}
	}
	return ""
}

// String returns the text that ParseQuery reads.
func (q Query) String() string {
	switch {
	case q.By == "":
		return q.Metric
	case q.Class != "":
		return q.By + ":" + q.Value + "&class:" + q.Class + "." + q.Metric
	case q.By == "queue":
		short := q.Value + "." + q.Metric
		if same, known, err := parse(short); err == nil && known && same == q {
			return short
		}
	}
	return q.By + ":" + q.Value + "." + q.Metric
}

// Union returns the queries of all lists in an order that each of them has. Where lists have queries in different orders,
// the first has its way; a query that nothing puts before or behind another stands as soon as its list allows.
func Union(lists [][]Query) (all []Query) {
	var left [][]Query // without those of which all is in one before
	for _, list := range lists {
		if !slices.ContainsFunc(left, func(l []Query) bool { return within(list, l) }) {
			left = append(left, slices.Clone(list))
		}
	}
	empty := func(l []Query) bool { return len(l) == 0 }
	for left = slices.DeleteFunc(left, empty); len(left) > 0; left = slices.DeleteFunc(left, empty) {
		first := slices.IndexFunc(left, func(l []Query) bool { // nothing that is left comes before its first query
			return !slices.ContainsFunc(left, func(o []Query) bool { return slices.Index(o, l[0]) > 0 })
		})
		next := left[max(first, 0)][0]
		all = append(all, next)
		for i := range left {
			left[i] = slices.DeleteFunc(left[i], func(q Query) bool { return q == next })
		}
	}
	return all
}

// within reports whether all queries of a list are in another.
func within(list, other []Query) bool {
	return !slices.ContainsFunc(list, func(q Query) bool { return !slices.Contains(other, q) })
}

// Of answers the query about the group. The second result is false if no job is selected or the
// metric does not exist there (an unknown pool or part).
func (q Query) Of(g *Group) (float64, bool) {
	if q.By == "part" {
		return q.ofPart(g.Run)
	}
	if q.By != "" {
		g = g.Where(q.selected())
	}
	if len(g.Jobs) == 0 && !q.Losses() {
		return 0, false
	}
	return g.Value(q.Metric)
}

// Losses reports whether the query counts jobs of a run that have not ended.
func (q Query) Losses() bool { return q.By == "" && (q.Metric == "refused" || q.Metric == "failed") }

// selected returns what reports whether the query is about a job.
func (q Query) selected() func(*Job) bool {
	if q.By == "size" {
		low, high, _ := parseSizes(q.Value)
		return func(j *Job) bool { return j.Size.Seconds() >= low && j.Size.Seconds() < high }
	}
	s := selectors[slices.IndexFunc(selectors, func(s selector) bool { return s.by == q.By })]
	return func(j *Job) bool { return s.of(j) == q.Value && (q.Class == "" || j.Class == q.Class) }
}

// ofPart answers a query about a part of the cluster.
func (q Query) ofPart(r *Run) (float64, bool) {
	n, err := strconv.Atoi(q.Value)
	f, key, ok := find(q.Metric)
	if err != nil || n < 1 || n > len(r.Parts) || !ok || f.part == nil {
		return 0, false
	}
	return f.part(r, n-1, key)
}
