// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Batch is a list of numbered runs, each of which gives some numbers.
type Batch interface {
	// Identity names the batch: two batches with the same identity have the same results.
	Identity(version string) string
	// Runs returns the number of runs.
	Runs() int
	// Width returns how many numbers a run gives.
	Width(run int) int
}

var (
	_ Batch = (*Grid)(nil)
	_ Batch = (*Contest)(nil)
)

// Contest is what a comparison compares: variants over seeds, and what is asked of each run. Its runs are numbered: the
// variant runs fastest, then the seed.
type Contest struct {
	Scenario *scenario.Scenario // of the results; the seeds begin with its own
	Variants []Variant
	Seeds    int
	Queries  []metrics.Query
}

// Runs implements Batch.
func (k *Contest) Runs() int { return k.Seeds * len(k.Variants) }

// Width implements Batch.
func (k *Contest) Width(int) int { return len(k.Queries) }

// Identity implements Batch. Where a trace lies does not matter, its content does.
func (k *Contest) Identity(version string) string {
	var b strings.Builder
	fmt.Fprintln(&b, version, k.Seeds, k.Queries)
	b.WriteString(describe(k.Scenario))
	for i := range k.Variants {
		v := &k.Variants[i]
		if v.Scenario != k.Scenario {
			b.WriteString(describe(v.Scenario))
		}
		fmt.Fprintf(&b, "%s\n", v.Policy.MarshalNode().JSON(""))
	}
	return result.Hash([]byte(b.String()))
}

// describe returns all that the runs on a scenario depend on.
func describe(s *scenario.Scenario) string {
	text := fmt.Sprintf("%s\n%t %v\n", s.JSON(), s.StandIn() != "", slices.Sorted(maps.Values(s.Inputs())))
	if m := s.Machines(); m != nil {
		text += string(m.JSON()) + "\n"
	}
	return text
}

// Measure simulates one run and returns what the queries find, NaN where there is nothing to measure.
func (k *Contest) Measure(ctx context.Context, run int, opt Options) ([]float64, error) {
	v := &k.Variants[run%len(k.Variants)]
	seed := k.Scenario.Seed + uint64(run/len(k.Variants))
	done, err := NewRepetition(v.Scenario, seed).Simulate(ctx, v.Policy, opt, nil)
	if err != nil {
		return nil, err
	}
	return found(k.Queries, metrics.All(done, k.Scenario.Warmup)), nil
}

// found returns what queries find, NaN where there is no such job.
func found(queries []metrics.Query, group *metrics.Group) []float64 {
	values := make([]float64, len(queries))
	for q := range queries {
		v, ok := queries[q].Of(group)
		if !ok {
			v = math.NaN()
		}
		values[q] = v
	}
	return values
}
