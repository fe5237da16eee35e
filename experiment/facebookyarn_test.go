// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// BenchmarkFacebookYarn compares yarn-capacity with fair on the day and on a tenth of its jobs, on 600 nodes with room for
// eight containers each. cpu-ms is the least of the runs, without reading the trace.
func BenchmarkFacebookYarn(b *testing.B) {
	b.Run("tenth", func(b *testing.B) { facebookYarn(b, ", thin: 0.1") })
	b.Run("day", func(b *testing.B) { facebookYarn(b, "") })
}

func facebookYarn(b *testing.B, more string) {
	s, err := facebookScenario(b, more).With([]strict.Setting{{Path: "cluster", Value: "{room: yarn, racks: 30, classes: [{nodes: 600, memory: 8GiB, vcores: 8}]}"}})
	if err != nil {
		b.Fatal(err)
	}
	yarn := handover.DefaultConfig()
	yarn.Properties = map[string]string{"yarn.scheduler.capacity.root.queues": "default", "yarn.scheduler.capacity.root.default.capacity": "100"}
	for _, policy := range []scenario.PolicyChoice{scenario.Named("fair", nil), scenario.Named("yarn-capacity", &yarn)} {
		b.Run(policy.Name, func(b *testing.B) {
			best := time.Hour
			for range b.N {
				r := NewRepetition(s, 1)
				if err := r.prepare(context.Background()); err != nil {
					b.Fatal(err)
				}
				start := heapunit.CPU()
				if _, err := r.Simulate(context.Background(), policy, Options{}, nil); err != nil {
					b.Fatal(err)
				}
				best = min(best, heapunit.CPU()-start)
			}
			b.ReportMetric(float64(best.Milliseconds()), "cpu-ms")
		})
	}
}
