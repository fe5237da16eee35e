// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

func TestParseQuery(t *testing.T) {
	for text, want := range map[string]Query{
		"p95_wait":                    {By: "", Value: "", Metric: "p95_wait"},
		"p99.9_wait":                  {By: "", Value: "", Metric: "p99.9_wait"},
		"prod.p99.9_wait":             {By: "queue", Value: "prod", Metric: "p99.9_wait"},
		"prod.p95_wait":               {By: "queue", Value: "prod", Metric: "p95_wait"},
		"root.prod.makespan":          {By: "queue", Value: "root.prod", Metric: "makespan"},
		"queue:a.b.jobs":              {By: "queue", Value: "a.b", Metric: "jobs"},
		"class:small.mean_slowdown":   {By: "class", Value: "small", Metric: "mean_slowdown"},
		"user:ann.v95_response_ratio": {By: "user", Value: "ann", Metric: "v95_response_ratio"},
		"odd:name.jobs":               {By: "queue", Value: "odd:name", Metric: "jobs"},
		"blame_shuffle_tail":          {By: "", Value: "", Metric: "blame_shuffle_tail"},
		"prod.limit_queue_maximum":    {By: "queue", Value: "prod", Metric: "limit_queue_maximum"},
		"size:10-31.6.mean_slowdown":  {By: "size", Value: "10-31.6", Metric: "mean_slowdown"},
		"shuffle:light.throughput":    {By: "shuffle", Value: "light", Metric: "throughput"},
		"queue:shuffle:x.jobs":        {By: "queue", Value: "shuffle:x", Metric: "jobs"},
		"part:2.work_share":           {By: "part", Value: "2", Metric: "work_share"},
		"part:1.utilisation_map":      {By: "part", Value: "1", Metric: "utilisation_map"},
		".jobs":                       {By: "queue", Value: "", Metric: "jobs"},
		"prod&class:small.mean_wait":  {By: "queue", Value: "prod", Class: "small", Metric: "mean_wait"},
		"queue:a.b&class:c.jobs":      {By: "queue", Value: "a.b", Class: "c", Metric: "jobs"},
	} {
		if got, err := ParseQuery(text); err != nil || got != want {
			t.Errorf("%s: %#v, %v; want %#v", text, got, err, want)
		}
	}
}

func TestUnknownQueriesAreRefused(t *testing.T) {
	for _, text := range []string{"", "wait", "p95", "p95_", "_wait", "p101_wait", "p-1_wait", "pNaN_wait", "p_wait", "mean_waiting", "prod.", "prod",
		"prod.p95wait", "blame_sloth", "limit_sky", "P95_wait", "class:small", "mean_wait ", "jobs.prod", "prod.utilisation_map", "load_gpu", "work_share", "prod.work_share", "part:1.mean_wait", "part:1.load_map"} {
		if q, err := ParseQuery(text); err == nil {
			t.Errorf("%q was read as %#v", text, q)
		} else if !strings.Contains(err.Error(), "unknown metric") || !strings.Contains(err.Error(), "response_ratio") || !strings.Contains(err.Error(), "makespan") {
			t.Errorf("%q: the error does not help: %v", text, err)
		}
	}
}

func TestBadSizesAreRefused(t *testing.T) {
	for _, text := range []string{"size:10.mean_wait", "size:x-y.mean_wait", "size:20-10.mean_wait", "size:.jobs"} {
		if q, err := ParseQuery(text); err == nil || !strings.Contains(err.Error(), "size:LOW-HIGH") {
			t.Errorf("%q was read as %#v, %v", text, q, err)
		}
	}
}

func TestBadShuffleDataIsRefused(t *testing.T) {
	for _, text := range []string{"shuffle:lihgt.throughput", "shuffle:.jobs", "shuffle:100MiB.jobs"} {
		if q, err := ParseQuery(text); err == nil || !strings.Contains(err.Error(), "allowed: light, medium or heavy, such as shuffle:light.") {
			t.Errorf("%q was read as %#v, %v", text, q, err)
		}
	}
}

// What String writes, ParseQuery reads, for names without the traps that the tests below name.
func TestQueryRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Query{Metric: rapid.SampledFrom(append(Names(), "p99.9_wait", "v0.5_size", "load_map", "utilisation_memory")).Draw(t, "metric")}
		if whole(q.Metric) {
			return // room is the whole cluster's
		}
		if q.By = rapid.SampledFrom([]string{"", "queue", "class", "user"}).Draw(t, "by"); q.By != "" {
			q.Value = rapid.StringMatching(`[a-z]{1,8}([._-][a-z0-9]{1,5}){0,3}`).Filter(func(s string) bool {
				return !strings.Contains(s, "load_") && !strings.Contains(s, "utilisation_")
			}).Draw(t, "value")
		}
		if got, err := ParseQuery(q.String()); err != nil || got != q {
			t.Fatalf("%#v is written %s and read %#v, %v", q, q, got, err)
		}
	})
}

func whole(metric string) bool {
	f, _, ok := find(metric)
	return ok && f.whole
}

// A queue whose name looks like the name of a pool metric.
func TestQueueNamedLikeAPoolMetric(t *testing.T) {
	for text, want := range map[string]Query{
		"load_test.p95_wait":        {By: "queue", Value: "load_test", Metric: "p95_wait"},
		"root.load_test.jobs":       {By: "queue", Value: "root.load_test", Metric: "jobs"},
		"utilisation_team.makespan": {By: "queue", Value: "utilisation_team", Metric: "makespan"},
	} {
		if got, err := ParseQuery(text); err != nil || got != want {
			t.Errorf("%s: %#v, %v; want %#v", text, got, err, want)
		}
	}
}

// A queue whose name begins with class: or user: can be asked for with queue: in front, but String
// leaves that out.
func TestQueueNamedLikeASelector(t *testing.T) {
	q := Query{By: "queue", Value: "user:ann", Metric: "jobs"}
	if got, err := ParseQuery(q.String()); err != nil || got != q {
		t.Errorf("%#v is written %s and read %#v, %v", q, q, got, err)
	}
}

// Letters stand for queries. The last list says what the first two do not, that b comes before c.
func TestUnion(t *testing.T) {
	for want, lists := range map[string][]string{
		"":      {},
		"abc":   {"abc", "ac", "", "abc", "b"},
		"abcd":  {"acd", "abd", "abcd"},
		"xabyc": {"abc", "xa", "byc"},
		"ab":    {"ab", "ba"},       // the same queries in another order: the first has its way
		"xyz":   {"xy", "yz", "zx"}, // in a circle
	} {
		var all [][]Query
		for _, list := range lists {
			var queries []Query
			for _, letter := range list {
				queries = append(queries, Query{Metric: string(letter)})
			}
			all = append(all, queries)
		}
		got := ""
		for _, q := range Union(all) {
			got += q.Metric
		}
		if got != want {
			t.Errorf("%q become %q, want %q", lists, got, want)
		}
	}
}

func TestQueryOf(t *testing.T) {
	const s = model.Second
	run := &Run{Jobs: []Job{
		{ID: 0, Queue: "a", User: "ann", Class: "x", FirstStart: 1 * s, Finish: 2 * s},
		{ID: 1, Queue: "a", User: "bob", Class: "y", FirstStart: 3 * s, Finish: 4 * s},
		{ID: 2, Queue: "b", User: "ann", Class: "y", FirstStart: 5 * s, Finish: 6 * s},
	}}
	for text, want := range map[string]float64{"mean_wait": 3, "a.mean_wait": 2, "user:ann.mean_wait": 3, "class:y.mean_wait": 4, "b.jobs": 1} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := q.Of(All(run, 0)); !ok || got != want {
			t.Errorf("%s is %g, %t; want %g", text, got, ok, want)
		}
	}
	for _, q := range []Query{{By: "queue", Value: "c", Metric: "jobs"}, {Metric: "load_gpu"}, {Metric: "utilisation_gpu"}} {
		if v, ok := q.Of(All(run, 0)); ok {
			t.Errorf("%s is %g", q, v)
		}
	}
}

// cv and scv have no unit, whatever they are of.
func TestUnits(t *testing.T) {
	for name, want := range map[string]string{"mean_wait": "s", "cv_wait": "ratio", "v95_wait": "ratio", "p95_slowdown": "ratio", "load_map": "share"} {
		if m, ok := Describe(name); !ok || m.Unit != want {
			t.Errorf("%s is in %q, %t; want %q", name, m.Unit, ok, want)
		}
	}
}

func TestUnitOfScv(t *testing.T) {
	if m, _ := Describe("scv_wait"); m.Unit != "ratio" {
		t.Errorf("scv_wait is in %q", m.Unit)
	}
}
