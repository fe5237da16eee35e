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

// BenchmarkFacebookYarn compares yarn-capacity with fair on a tenth of the day's jobs, on 600 nodes with room for eight
// containers each. cpu-ms is the least of the runs.
func BenchmarkFacebookYarn(b *testing.B) {
	s, err := facebookScenario(b, ", thin: 0.1").With([]strict.Setting{{Path: "cluster", Value: "{room: yarn, racks: 30, classes: [{nodes: 600, memory: 8GiB, vcores: 8}]}"}})
	if err != nil {
		b.Fatal(err)
	}
	yarn := handover.DefaultConfig()
	yarn.Properties = map[string]string{"yarn.scheduler.capacity.root.queues": "default", "yarn.scheduler.capacity.root.default.capacity": "100"}
	for _, policy := range []scenario.PolicyChoice{scenario.Named("fair", nil), scenario.Named("yarn-capacity", &yarn)} {
		b.Run(policy.Name, func(b *testing.B) {
			best := time.Hour
			for range b.N {
				start := heapunit.CPU()
				if _, err := NewRepetition(s, 1).Simulate(context.Background(), policy, Options{}, nil); err != nil {
					b.Fatal(err)
				}
				best = min(best, heapunit.CPU()-start)
			}
			b.ReportMetric(float64(best.Milliseconds()), "cpu-ms")
		})
	}
}
