// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

func parsed(t *testing.T, src string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// holds fails the test if the check returns an error.
func holds(t *testing.T, check func() error) {
	t.Helper()
	if err := check(); err != nil {
		t.Error(err)
	}
}

const cancelScenario = `
cluster: {classes: [{nodes: 4, map-slots: 2, reduce-slots: 1}]}
workload: {generate: {jobs: 5, arrivals: {interval: 5s}, classes: [{name: a, maps: 3}]}}
policies: [fifo, fair]
`

// cancelAfter returns a context that ends when the given number of runs is done, and the options that do it.
func cancelAfter(runs int) (context.Context, Options) {
	ctx, cancel := context.WithCancel(context.Background())
	if runs == 0 {
		cancel()
	}
	return ctx, Options{Workers: 1, Progress: func(p Progress) {
		if p.Done >= runs {
			cancel()
		}
	}}
}

// TestCompareCancelled stops a comparison of 2 policies and 5 seeds between two runs: the seeds that
// both policies have finished are kept, and nothing else.
func TestCompareCancelled(t *testing.T) {
	s := parsed(t, cancelScenario)
	queries := []metrics.Query{{Metric: "mean_elapsed"}}
	whole, err := Compare(context.Background(), s, s.Policies, 5, queries, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for runs := range 10 {
		t.Run(fmt.Sprint(runs), func(t *testing.T) {
			holds(t, func() error {
				ctx, opt := cancelAfter(runs)
				c, err := Compare(ctx, s, s.Policies, 5, queries, opt)
				if kept := runs / 2; kept == 0 {
					if !errors.Is(err, context.Canceled) {
						return fmt.Errorf("no seed done: got %v, want context.Canceled", err)
					}
					return nil
				} else if err != nil || !c.Stopped || len(c.Seeds) != kept {
					return fmt.Errorf("%d runs done: %v, stopped %v, %d seeds kept, want %d", runs, err, c.Stopped, len(c.Seeds), kept)
				}
				for p := range c.Policies {
					for i, v := range c.Values[p][0] {
						if v != whole.Values[p][0][i] {
							return fmt.Errorf("policy %d, seed %d: %v, want %v", p, i, v, whole.Values[p][0][i])
						}
					}
				}
				return nil
			})
		})
	}
}

// TestSweepCancelled stops a sweep between two runs: it must say so, and the journal has what was done.
func TestSweepCancelled(t *testing.T) {
	s := parsed(t, cancelScenario)
	for runs := range 6 {
		t.Run(fmt.Sprint(runs), func(t *testing.T) {
			holds(t, func() error {
				g, err := NewGrid(s, []Axis{{"policy", []string{"fifo", "fair", "srpt"}}}, 2)
				if err != nil {
					return err
				}
				j, err := OpenJournal(t.TempDir(), g, "test")
				if err != nil {
					return err
				}
				defer j.Close()
				ctx, opt := cancelAfter(runs)
				if _, err := Sweep(ctx, g, j, opt); !errors.Is(err, context.Canceled) {
					return fmt.Errorf("%d of 6 runs done: got %v, want context.Canceled", runs, err)
				}
				if j.Len() != runs {
					return fmt.Errorf("%d runs in the journal, want %d", j.Len(), runs)
				}
				return nil
			})
		})
	}
}

// TestReferenceCancelled stops a run while the reference run times are computed.
func TestReferenceCancelled(t *testing.T) {
	s := parsed(t, `{cluster: {classes: [{nodes: 4, map-slots: 50}]}, workload: {jobs: [{name: a, maps: 70000, no-input: true}]}}`)
	holds(t, func() error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := NewRepetition(s, 1).Simulate(ctx, s.Policy, Options{}, nil); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("got %v, want context.Canceled", err)
		}
		return nil
	})
}
