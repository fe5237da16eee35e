// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// facebookScenario is the day of Facebook's 2010 trace on 30 racks of 20 nodes with 6 containers each.
func facebookScenario(tb testing.TB, more string) *scenario.Scenario {
	folder := os.Getenv("YARDMASTER_TRACES")
	if folder == "" {
		tb.Skip("skipped: YARDMASTER_TRACES is not set")
	}
	file := filepath.Join(folder, "FB-2010_samples_24_times_1hr_0.tsv")
	src := fmt.Sprintf("reference: false\ncluster: {room: containers, racks: 30, classes: [{nodes: 600, containers: 6}]}\nworkload: {trace: {file: %q%s}}\n", file, more)
	s, err := scenario.Parse("facebook.yaml", []byte(src), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// networked makes the scenario carry its data over links of 250 Mbit/s, and of 1 Gbit/s between racks.
func networked(tb testing.TB, s *scenario.Scenario, refresh, source string) *scenario.Scenario {
	s, err := s.With([]strict.Setting{{Path: "durations", Value: "network"}, {Path: "cluster.uplink", Value: "1Gbps"}, {Path: "cluster.classes[0].link", Value: "250Mbps"},
		{Path: "network.refresh", Value: refresh}, {Path: "shuffle.source", Value: source}})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkFacebookNetwork simulates the day with its data on links, rates refreshed every second.
func BenchmarkFacebookNetwork(b *testing.B) {
	for _, slice := range []struct{ name, more string }{{"hour", ", to: 1h"}, {"quarter", ", to: 6h"}, {"day", ""}} {
		b.Run(slice.name, func(b *testing.B) {
			costs(b, networked(b, facebookScenario(b, slice.more), "1s", "rack"))
		})
	}
}

// The real trace loads in under a second. The least of three counts: noise only adds.
func TestFacebookLoads(t *testing.T) {
	best := time.Hour
	for range 3 {
		start := heapunit.CPU()
		s := facebookScenario(t, "")
		best = min(best, heapunit.CPU()-start)
		if jobs := s.Jobs(1); len(jobs) != 24442 {
			t.Fatalf("%d jobs", len(jobs))
		}
	}
	if best > time.Second {
		t.Errorf("loading took %v", best)
	}
}

// An hour of it runs under every policy of the foundation with all invariants checked.
func TestFacebookHour(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: slow under -short")
	}
	s := facebookScenario(t, ", from: 2h, to: 2.2h")
	for _, name := range []string{"fifo", "fair", "delay"} {
		run, err := NewRepetition(s, 1).Simulate(context.Background(), scenario.Named(name, nil), Options{Check: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := len(s.Jobs(1)); len(run.Jobs) != want {
			t.Errorf("%s: %d of %d jobs ended", name, len(run.Jobs), want)
		}
	}
}

// BenchmarkFacebook simulates the whole day; ns/task is what a task costs, metrics included.
func BenchmarkFacebook(b *testing.B) {
	s := facebookScenario(b, "")
	unit := heapunit.PushPop(3600)
	for _, name := range []string{"fifo", "fair", "delay"} {
		b.Run(name, func(b *testing.B) {
			tasks := int64(0)
			for range b.N {
				run, err := NewRepetition(s, 1).Simulate(context.Background(), scenario.Named(name, nil), Options{}, nil)
				if err != nil {
					b.Fatal(err)
				}
				tasks = run.Tasks
			}
			perTask := float64(b.Elapsed().Nanoseconds()) / float64(tasks) / float64(b.N)
			b.ReportMetric(perTask, "ns/task")
			b.ReportMetric(perTask/float64(unit.Nanoseconds()), "heap-ops/task")
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys>>20), "MB")
		})
	}
}
