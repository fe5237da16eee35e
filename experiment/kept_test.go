// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// contests are two with three seeds in common: fifo of the first is plain of the second. Its other runs differ by a
// setting, a policy's parameter, or the seed.
func contests(t *testing.T) ([]*Contest, Options) {
	t.Helper()
	const src = `
cluster: {classes: [{nodes: 3, map-slots: 2, reduce-slots: 1}]}
workload:
  generate:
    jobs: 20
    arrivals: {process: poisson, interval: 20s}
    classes: [{name: job, maps: 6, reduces: 2, map-length: 10s, reduce-length: 10s, noise: {kind: lognormal, cv: 0.4}}]
`
	parse := func(name string, settings ...strict.Setting) *scenario.Scenario {
		s, err := scenario.Parse(name, []byte(src), settings)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	query, err := metrics.ParseQuery("mean_elapsed")
	if err != nil {
		t.Fatal(err)
	}
	first := parse("first.yaml", strict.Setting{Path: "policies", Value: "[fifo, srpt]"})
	second := parse("second.yaml", strict.Setting{Path: "seeds", Value: "4"}, strict.Setting{Path: "warmup", Value: "2"})
	later := parse("second.yaml", strict.Setting{Path: "workload.stretch", Value: "2"})
	plain := scenario.Named("fifo", nil)
	plain.As = "plain"
	fbq, err := second.Choice("fbq")
	if err != nil {
		t.Fatal(err)
	}
	list := []*Contest{
		{Scenario: first, Seeds: 3, Queries: []metrics.Query{query}, Variants: []Variant{{Scenario: first, Policy: first.Policies[0]}, {Scenario: first, Policy: first.Policies[1]}}},
		{Scenario: second, Seeds: 4, Queries: []metrics.Query{query}, Variants: []Variant{{Scenario: second, Policy: plain}, {Scenario: second, Policy: fbq}, {Scenario: later, Policy: plain}}},
	}
	opt := Options{Kept: NewKept()}
	for _, c := range list {
		opt.Kept.Expect(c)
	}
	return list, opt
}

// TestKept: runs that contests have in common are simulated once and forgotten when nobody asks any more; what is found
// of them is what is found of contests that share nothing.
func TestKept(t *testing.T) {
	list, opt := contests(t)
	compare := func(c *Contest, opt Options) [][][]float64 {
		out, err := c.Compare(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return out.Values
	}
	for i, left := range []int{3, 0} { // fifo and plain on the first three seeds
		if got, want := compare(list[i], opt), compare(list[i], Options{}); !reflect.DeepEqual(got, want) {
			t.Errorf("contest %d: %v, without sharing %v", i, got, want)
		}
		if n := len(opt.Kept.alone); n != 3+i {
			t.Errorf("jobs alone are known of %d workloads after contest %d, want one for each seed, whenever they are submitted: %d", n, i, 3+i)
		}
		if n := len(opt.Kept.runs); n != left {
			t.Errorf("%d runs are kept after contest %d, want %d", n, i, left)
		}
	}
}

// TestKeptIsTaken: the second contest really takes what the first has left.
func TestKeptIsTaken(t *testing.T) {
	list, opt := contests(t)
	if _, err := list[0].Compare(context.Background(), opt); err != nil {
		t.Fatal(err)
	}
	for name := range opt.Kept.runs {
		opt.Kept.runs[name] = &metrics.Run{}
	}
	c, err := list[1].Compare(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	for rep, v := range c.Values[0][0] {
		if math.IsNaN(v) != (rep < 3) {
			t.Errorf("seed %d of plain: %v; the first three were emptied", rep, v)
		}
	}
}
