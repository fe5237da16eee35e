// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// searchScenario has one node with a slot. Every workload is a long job of ten maps of 10 s and short
// jobs of one map that come while it runs, so a low limit of fbq lets the short ones pass.
const searchScenario = `
name: search
seeds: 4
cluster: {classes: [{nodes: 1, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  generate:
    jobs: 60
    arrivals: {process: poisson, load: 80%}
    classes:
      - {name: long, share: 10, maps: 10, map-length: 10s}
      - {name: short, share: 50, maps: 1, map-length: {kind: uniform, low: 1s, high: 3s}}
policy: fbq
`

func searchSpace(t *testing.T, texts ...string) (axes []experiment.Axis) {
	t.Helper()
	for _, text := range texts {
		a, err := experiment.ParseSpace(text)
		if err != nil {
			t.Fatal(err)
		}
		axes = append(axes, a)
	}
	return axes
}

func search(t *testing.T, workers int, objective string, bounds []string, space ...string) *experiment.SearchResult {
	t.Helper()
	s, err := scenario.Parse("search.yaml", []byte(searchScenario), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := experiment.ParseObjective(s, objective, bounds)
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&experiment.Search{Scenario: s, Axes: searchSpace(t, space...), Objective: o, Seeds: 4, Options: experiment.Options{Workers: workers}}).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A limit below ten maps lets short jobs pass long ones; a limit above all sizes is fifo. The best for
// short jobs is the least limit, and its only neighbour the next.
func TestSearchFindsTheBest(t *testing.T) {
	r := search(t, 2, "class:short.mean_slowdown", nil, "policy.fbq.limits=[5s],[45s],[85s],[1000s],[2000s],[3000s]")
	if got := experiment.SettingsText(r.Best.Point.Settings); got != "limits=[5s]" || !r.Best.Feasible {
		t.Errorf("best is %s, feasible %t", got, r.Best.Feasible)
	}
	if want := []result.Rung{{Candidates: 6, Seeds: 2}, {Candidates: 3, Seeds: 4}}; !slices.Equal(r.Rungs, want) {
		t.Errorf("rungs %v, want %v", r.Rungs, want)
	}
	if len(r.Neighbours) != 1 || experiment.SettingsText(r.Neighbours[0].Point.Settings) != "limits=[45s]" || r.Neighbours[0].Difference.Mean <= 0 {
		t.Errorf("neighbours %+v", r.Neighbours)
	}
	if want := []uint64{5, 6, 7, 8}; !slices.Equal(r.Seeds, want) {
		t.Errorf("confirmed with seeds %v, want %v, which the choice did not see", r.Seeds, want)
	}
}

// A bound that candidates keep changes nothing. Where all break it, the one that breaks it least is
// chosen, which is fifo where the bound is about long jobs, and it is said to break it.
func TestSearchKeepsBounds(t *testing.T) {
	for bound, want := range map[string]string{"class:long.mean_slowdown<=100": "limits=[5s]", "class:long.mean_slowdown<1": "limits=[1000s]"} {
		r := search(t, 2, "class:short.mean_slowdown", []string{bound}, "policy.fbq.limits=[5s],[1000s]")
		if got := experiment.SettingsText(r.Best.Point.Settings); got != want || r.Best.Feasible != (want == "limits=[5s]") {
			t.Errorf("%s: %s, feasible %t; want %s", bound, got, r.Best.Feasible, want)
		}
		if len(r.Best.Intervals) != 2 || r.Best.Intervals[1].Mean <= 1 {
			t.Errorf("%s: the bound's metric is %+v", bound, r.Best.Intervals)
		}
	}
}

// The number of workers changes nothing.
func TestSearchIsDeterministic(t *testing.T) {
	space := []string{"policy.tags.capacities=[50%, 50%]", "policy.tags.limits=[5s..500s/4]"}
	s := strings.Replace(searchScenario, "nodes: 1,", "nodes: 2,", 1)
	var all []*experiment.SearchResult
	for _, workers := range []int{1, 3} {
		sc, err := scenario.Parse("search.yaml", []byte(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, _ := experiment.ParseObjective(sc, "throughput", nil)
		r, err := (&experiment.Search{Scenario: sc, Axes: searchSpace(t, space...), Objective: o, Seeds: 3, Options: experiment.Options{Workers: workers}}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if !reflect.DeepEqual(all[0].Best, all[1].Best) || !reflect.DeepEqual(all[0].Neighbours, all[1].Neighbours) {
		t.Errorf("%+v\n%+v", all[0].Best, all[1].Best)
	}
}

func TestParseSpace(t *testing.T) {
	for text, want := range map[string][]string{
		"policy.fbq.limits=[1000s],[2000s]":     {"[1000s]", "[2000s]"},
		"policy.fbq.limits=[1000s..8000s/4]":    {"[1000s]", "[2000s]", "[4000s]", "[8000s]"},
		"policy.delay.node-skips=0,1..3/5":      {"0", "1", "2", "3"}, // whole numbers, each once
		"policy.delay.node-wait=0.5s..2s/3,10s": {"0.5s", "1s", "2s", "10s"},
		"policy.fbq.limits=[50s, 100s..400s/3]": {"[50s, 100s]", "[50s, 200s]", "[50s, 400s]"},
		"policy.sita.predict=input,tasks":       {"input", "tasks"},
		"policy.tags.capacities=[20%, 80%]":     {"[20%, 80%]"},
	} {
		a, err := experiment.ParseSpace(text)
		if err != nil || !slices.Equal(a.Values, want) {
			t.Errorf("%s: %q, %v; want %q", text, a.Values, err, want)
		}
	}
	for _, text := range []string{"policy.fbq.limits", "policy.fbq.limits=[5s..1s/3]", "policy.fbq.limits=[0s..1s/3]", "policy.fbq.limits=[1s..2min/3]", "policy.fbq.limits=[1s..2s/1]"} {
		if a, err := experiment.ParseSpace(text); err == nil {
			t.Errorf("%s was read as %q", text, a.Values)
		}
	}
}

func TestSearchRefusals(t *testing.T) {
	s, err := scenario.Parse("search.yaml", []byte(searchScenario), nil)
	if err != nil {
		t.Fatal(err)
	}
	for objective, bounds := range map[string][]string{"mean_wiat": nil, "class:none.mean_wait": nil, "mean_wait": {"median_wait<=+10%"}, "mean_elapsed": {"median_wait"}} {
		_, err := experiment.ParseObjective(s, objective, bounds)
		var input *strict.InputError
		if !errors.As(err, &input) {
			t.Errorf("objective %s, %v: %v", objective, bounds, err)
		}
	}
	o, _ := experiment.ParseObjective(s, "mean_wait", nil)
	for _, space := range []string{"cluster.racks=1,2", "policy.fbq.limits=[5s],[2s, 1s]", "policy.fbq.limitz=[5s]"} {
		_, err := (&experiment.Search{Scenario: s, Axes: searchSpace(t, space), Objective: o, Seeds: 2, Options: experiment.Options{}}).Run(context.Background())
		var input *strict.InputError
		if !errors.As(err, &input) {
			t.Errorf("space %s: %v", space, err)
		}
	}
}

// The last axis runs fastest, and a slip of the keyboard does not fill the memory.
func TestCombinations(t *testing.T) {
	got, err := experiment.Combinations([]experiment.Axis{{Path: "a", Values: []string{"1", "2"}}, {Path: "b", Values: []string{"x", "y", "z"}}}, "grid", "points")
	if err != nil || len(got) != 6 || got[1][0].Value != "1" || got[1][1].Value != "y" || got[3][0].Value != "2" {
		t.Errorf("%v, %v", got, err)
	}
	wide := experiment.Axis{Path: "a", Values: make([]string, 1001)}
	if _, err := experiment.Combinations([]experiment.Axis{wide, wide}, "search", "candidates"); err == nil || !strings.Contains(err.Error(), "the search has more than 1000000 candidates") {
		t.Errorf("%v", err)
	}
}
