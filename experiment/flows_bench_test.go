// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// busy is 100 nodes that tasks on cores, disks and links keep busy for 90 % of the time.
const busy = `
cluster: {room: containers, racks: 5, oversubscription: 4, classes: [{nodes: 100, containers: 8, disk-streams: [100%, 85%, 75%, 70%]}]}
durations: resources
reference: false
workload:
  generate:
    jobs: 300
    arrivals: {process: poisson, interval: 9s}
    classes:
      - {name: large, share: 1, input: 40GB, maps: 300, reduces: 30, shuffle-ratio: 1, output-ratio: 1}
      - {name: small, share: 3, input: 4GB, maps: 30, reduces: 4, shuffle-ratio: 0.5, output-ratio: 0.2}
policy: fair
`

// costs simulates once for each round and reports what the run, a task and an activity cost in processor
// time, the last also in heap operations of the same process, and how large the run is.
func costs(b *testing.B, s *scenario.Scenario) {
	unit := heapunit.PushPop(3600)
	var took time.Duration
	tasks, activities := int64(0), int64(0)
	for range b.N {
		start := heapunit.CPU()
		run, err := NewRepetition(s, 1).Simulate(context.Background(), scenario.Named("fair", nil), Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		took += heapunit.CPU() - start
		tasks += run.Tasks
		activities += run.Activities
		all := metrics.All(run, 0)
		use, _ := all.Value("utilisation_container")
		makespan, _ := all.Value("makespan")
		b.ReportMetric(use, "utilisation")
		b.ReportMetric(makespan/3600, "simulated-h")
		b.ReportMetric(float64(run.Activities), "activities")
		b.ReportMetric(float64(run.Refreshes), "ticks")
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(float64(took.Microseconds())/float64(tasks), "cpu-us/task")
	b.ReportMetric(float64(took.Microseconds())/float64(activities), "cpu-us/activity")
	b.ReportMetric(float64(took)/float64(unit)/float64(activities), "heap-ops/activity")
	b.ReportMetric(heapunit.Resident(), "MB")
}

// BenchmarkFacebookExact simulates 15 minutes of the trace with exact rates: every start and end of a
// flow is solved.
func BenchmarkFacebookExact(b *testing.B) {
	costs(b, networked(b, facebookScenario(b, ", to: 15min"), "exact", "rack"))
}

// BenchmarkResources simulates a busy cluster whose tasks share cores, disks and links.
func BenchmarkResources(b *testing.B) {
	s, err := scenario.Parse("busy.yaml", []byte(busy), nil)
	if err != nil {
		b.Fatal(err)
	}
	costs(b, s)
}
