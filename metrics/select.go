// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"slices"
	"strings"
)

// Query asks for one metric of all jobs or of some: p95_wait, prod.p95_wait (a queue),
// class:small.mean_slowdown, user:ann.makespan, job:J1.slots_60_600, queue:a.b.jobs; of jobs of some sizes in seconds,
// size:100-1000.mean_slowdown; or of a part of a cluster that the policy divides, part:1.work_share; prod&class:small.mean_wait
// is the jobs of a class in a queue.
type Query struct {
	By     string // "", "queue", "class", "user", "job", "size", "part"
	Value  string
	Class  string // with By queue: only jobs of this class, if not empty
	Metric string
}

// ParseQuery reads a query. It fails on an unknown metric.
func ParseQuery(text string) (Query, error) {
	if _, ok := Describe(text); ok && text != workShare {
		return Query{Metric: text}, nil
	}
	for i := range len(text) {
		if text[i] != '.' {
			continue
		}
		m, ok := Describe(text[i+1:])
		if !ok {
			continue
		}
		q := Query{By: "queue", Value: text[:i], Metric: text[i+1:]}
		if by, value, ok := strings.Cut(q.Value, ":"); ok && slices.Contains([]string{"queue", "class", "user", "job", "size", "part"}, by) {
			q.By, q.Value = by, value
		}
		if queue, class, ok := strings.Cut(q.Value, "&class:"); ok && q.By == "queue" {
			q.Value, q.Class = queue, class
		}
		if (q.By == "part") != (m.Name == workShare || ofCluster(m.Name)) ||
			q.By == "part" && m.Name != workShare && !strings.HasPrefix(m.Name, "utilisation_") {
			continue // room is the whole cluster's or a part's, not a queue's
		}
		if _, _, ok := parseSizes(q.Value); q.By == "size" && !ok {
			return Query{}, fmt.Errorf("bad sizes %q; allowed: size:LOW-HIGH in seconds, such as size:100-1000.%s", q.Value, q.Metric)
		}
		return q, nil
	}
	return Query{}, fmt.Errorf("unknown metric %q; metrics are STAT_QUANTITY (%s of %s), %s, with an optional QUEUE., class:NAME., user:NAME., job:NAME., QUEUE&class:NAME. or size:LOW-HIGH. in front, and part:N.work_share, part:N.utilisation_POOL",
		text, "mean, median, min, max, cv, scv, pNN, vNN", joinQuantities(), joinScalars())
}

// ofCluster reports whether the metric is about the cluster's room or links.
func ofCluster(metric string) bool {
	_, _, pool := findPoolMetric(metric)
	return pool || strings.HasPrefix(metric, "utilisation_") || strings.HasPrefix(metric, "load_") || strings.HasPrefix(metric, "congest") || metric == "refused"
}

func joinQuantities() string {
	names := make([]string, len(quantities))
	for i := range quantities {
		names[i] = quantities[i].name
	}
	return strings.Join(names, ", ")
}

func joinScalars() string {
	names := make([]string, len(scalars))
	for i := range scalars {
		names[i] = scalars[i].name
	}
	return strings.Join(names, ", ") + ", blame_PART, limit_LIMIT, utilisation_POOL, load_POOL, held_hours_POOL, free_hours_POOL, idle_hours_POOL, slots_FROM_TO"
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
		if same, err := ParseQuery(short); err == nil && same == q {
			return short
		}
	}
	return q.By + ":" + q.Value + "." + q.Metric
}

// Of answers the query about the group. The second result is false if no job is selected or the
// metric does not exist there (an unknown pool).
func (q Query) Of(g *Group) (float64, bool) {
	switch q.By {
	case "part":
		return g.ofPart(q.Value, q.Metric)
	case "size":
		low, high, _ := parseSizes(q.Value)
		g = g.Where(func(j *Job) bool { return j.Size.Seconds() >= low && j.Size.Seconds() < high })
	case "queue":
		g = g.Where(func(j *Job) bool { return j.Queue == q.Value && (q.Class == "" || j.Class == q.Class) })
	case "class":
		g = g.Where(func(j *Job) bool { return j.Class == q.Value })
	case "user":
		g = g.Where(func(j *Job) bool { return j.User == q.Value })
	case "job":
		g = g.Where(func(j *Job) bool { return j.Name == q.Value })
	}
	if len(g.Jobs) == 0 {
		return 0, false
	}
	return g.Value(q.Metric)
}
