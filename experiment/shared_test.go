// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

func sharedScenario(t *testing.T) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("shared.yaml", []byte(`
cluster: {racks: 2, classes: [{nodes: 4, map-slots: 2, reduce-slots: 1}]}
workload:
  jobs:
    - {name: a, maps: 20, reduces: 2, map-length: 10s, reduce-length: 10s}
    - {name: b, submit: 5s, maps: 8, map-length: 10s}
policy: delay
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Points that differ by policy alone share a repetition for each seed, from their first run to their last.
func TestShared(t *testing.T) {
	grid := &Grid{Seeds: 2}
	for _, set := range [][]strict.Setting{nil, {{Path: "policy.delay.node-skips", Value: "9"}}, {{Path: "cluster.racks", Value: "3"}}, {{Path: "seed", Value: "2"}}} {
		point, err := sharedScenario(t).With(set)
		if err != nil {
			t.Fatal(err)
		}
		grid.scenarios = append(grid.scenarios, point)
	}
	sh := grid.shared()
	for p := range grid.scenarios {
		for rep := range 2 {
			sh.expect(p, rep)
		}
	}
	first, other := sh.of(0, 0), sh.of(0, 1)
	if sh.of(1, 0) != first || sh.of(1, 1) != other || other == first || other.Seed != first.Seed+1 {
		t.Error("policies on one scenario must share the repetition of each seed")
	}
	if sh.of(2, 0) == first || sh.of(3, 0) == first || sh.of(3, 0).Seed != 2 {
		t.Error("another cluster and another seed are other repetitions")
	}
	sh.done(0, 0)
	if sh.of(1, 0) != first {
		t.Error("a run is still to come")
	}
	if sh.done(1, 0); sh.of(1, 0) == first || sh.of(0, 1) != other {
		t.Error("the repetition must be forgotten with its last run, the other one not")
	}
}

// A sweep that shares workloads between its points, and works out beside them how long jobs take alone, finds what each run finds that
// is made for itself.
func TestSweepShares(t *testing.T) {
	grid, err := NewGrid(sharedScenario(t), []Axis{{"policy.delay.node-skips", []string{"0", "3", "9"}}, {"cluster.racks", []string{"1", "2"}}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		journal, err := OpenJournal(t.TempDir(), grid, "test")
		if err != nil {
			t.Fatal(err)
		}
		defer journal.Close()
		values, err := Sweep(t.Context(), grid, journal, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			alone, err := grid.Measure(t.Context(), i, Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(values[i], alone, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
				t.Errorf("%d workers, run %d: %v, by itself %v", workers, i, values[i], alone)
			}
		}
	}
}

// What goes wrong while jobs run alone is the fault of every run that needs to know how long they take.
func TestFaultAlone(t *testing.T) {
	s := sharedScenario(t)
	r := NewRepetition(s, 1)
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("a fault")
	r.alone = func() ([]model.Time, error) {
		return nil, guarded("the runs of jobs alone", func() error { panic(fault) })
	}
	for _, workers := range []int{1, 2} {
		_, err := r.Simulate(context.Background(), s.Policy, Options{Workers: workers}.withOneBeside(), nil)
		if err == nil || !strings.Contains(err.Error(), "internal fault in the runs of jobs alone: a fault") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// What a sweep refuses is said of the point that it is about, also where points share a repetition.
func TestSharedRefusal(t *testing.T) {
	s := parsed(t, choosy[:strings.Index(choosy, "policies:")])
	grid, err := NewGrid(s, []Axis{{"policy", []string{"fifo", "{capacity: {queues: [{name: a, capacity: 100}]}}"}}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	repetition := NewRepetition(grid.Scenario(0), 1)
	if _, err := grid.measure(context.Background(), 1, repetition, Options{}); err == nil || !strings.Contains(err.Error(), "policy.capacity.queues") {
		t.Errorf("refused with: %v", err)
	}
}
