// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// choosy has a policy that turns away the three jobs of queue b, which have too many tasks for it.
const choosy = `
cluster: {classes: [{nodes: 2, map-slots: 2, reduce-slots: 1}]}
hdfs: {replication: 1}
reference: false
workload:
  jobs:
    - {name: a1, queue: a, maps: 4, map-length: 10s, no-input: true}
    - {name: a2, queue: a, maps: 4, map-length: 10s, no-input: true}
    - {name: b1, queue: b, maps: 9, map-length: 10s, no-input: true}
    - {name: b2, queue: b, maps: 9, map-length: 10s, no-input: true}
    - {name: b3, queue: b, maps: 9, map-length: 10s, no-input: true}
policies: [fifo, {capacity: {default-maximum-active-tasks-per-user: 6}}]
`

// Who turns jobs away wins by nothing but their number, and what is said of jobs that have not run is nothing.
func TestRefusedJobsWinNothing(t *testing.T) {
	s := parsed(t, choosy)
	rules, queries, err := ParseRules(s, []string{"b.mean_elapsed>+10%", "refused>0"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compare(context.Background(), s, s.Policies, 2, queries, Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for q, query := range c.Queries {
		w, won := c.Winner(q)
		seen[query.String()] = won
		if refused := query.Metric == "refused"; won != refused || refused && (w != 0 || c.Mean(1, q).Mean != 3) {
			t.Errorf("%s: %s wins: %t", query, c.Policies[w].Label(), won)
		}
		if cell := c.cell(1, q, metrics.Lower); cell.Empty != strings.HasPrefix(query.String(), "b.") {
			t.Errorf("%s under capacity: %+v", query, cell)
		}
	}
	if len(seen) == 0 || !seen["refused"] {
		t.Errorf("nobody is asked how many jobs are refused: %v", seen)
	}
	if v := c.Verdicts(); len(v) == 0 || !strings.Contains(v[0], "different numbers of jobs were refused or failed") {
		t.Errorf("verdicts: %q", v)
	}
	if err := Judge(rules, c); err == nil || !strings.Contains(err.Error(), "nothing to measure") || !strings.Contains(err.Error(), "refused>0") {
		t.Errorf("judged: %v", err)
	}
	for name, rows := range c.Summary().Metrics {
		if want := map[bool]int{true: 1, false: 2}[strings.HasPrefix(name, "b.")]; len(rows) != want {
			t.Errorf("%s has %d rows, want %d", name, len(rows), want)
		}
	}
}

// A search takes no setting that turns jobs away, whatever it says of the others.
func TestSearchKeepsJobs(t *testing.T) {
	s := parsed(t, strings.NewReplacer("policies: [fifo, ", "policy: ", "}}]", "}}").Replace(choosy))
	for _, objective := range []string{"mean_elapsed", "b.mean_elapsed"} {
		o, err := ParseObjective(s, objective, nil)
		if err != nil {
			t.Fatal(err)
		}
		axes := []Axis{{Path: "policy.capacity.default-maximum-active-tasks-per-user", Values: []string{"6", "20"}}}
		found, err := (&Search{Scenario: s, Axes: axes, Objective: o, Seeds: 2}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Best.Point.Settings[0].Value; got != "20" {
			t.Errorf("lowest %s: %s tasks for each user, want 20", objective, got)
		}
	}
}

// A rule that limits a fall is not broken by a rise from nothing, and one that limits a rise is.
func TestJudgeFromNothing(t *testing.T) {
	s := parsed(t, strings.Replace(choosy, "\n  jobs:", "\n  jobs:\n    - {name: c, queue: a, submit: 1s, maps: 1, map-length: 1s, no-input: true}", 1))
	for text, broken := range map[string]bool{"refused<-10%": false, "refused>+10%": true} {
		rules, queries, err := ParseRules(s, []string{text})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Compare(context.Background(), s, s.Policies, 2, queries, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Judge(rules, c); (err != nil) != broken {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Ranges of sizes and parts of clusters may be asked for, and a class of a queue only if the queue has it.
func TestRulesAboutRangesAndClasses(t *testing.T) {
	s := parsed(t, choosy)
	for text, allowed := range map[string]bool{"size:5-50.mean_wait>+10%": true, "part:1.work_share>0.2": true, "a&class:none.mean_wait>3": false} {
		if _, _, err := ParseRules(s, []string{text}); (err == nil) != allowed {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whoever is compared decides whether jobs may be refused, not who the scenario names.
func TestQueriesOfWhoIsCompared(t *testing.T) {
	s := parsed(t, choosy[:strings.Index(choosy, "policies:")])
	for name, want := range map[string]bool{"fifo": false, "capacity": true} {
		_, queries, err := ParseRules(s, nil, scenario.Named(name, nil))
		if err != nil || slices.Contains(queries, metrics.Query{Metric: "refused"}) != want {
			t.Errorf("%s: refused jobs are counted: %t, %v", name, !want, err)
		}
	}
}
