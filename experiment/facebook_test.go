// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

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

// The real trace loads for less than 100 heap operations a job, which is a quarter of a second where one takes 100 ns.
// The least of several rounds counts: noise only adds.
func TestFacebookLoads(t *testing.T) {
	if heapunit.RaceDetector || testing.Short() {
		t.Skip("skipped under -short and the race detector: measures time")
	}
	const jobs, allowed = 24_442, 100
	least := math.Inf(1)
	unit := heapunit.PushPop(3600)
	for round := 0; round < 3 || round < 12 && least > allowed; round++ {
		start := heapunit.CPU()
		s := facebookScenario(t, "")
		spent := heapunit.CPU() - start
		after := heapunit.PushPop(3600)
		least = min(least, float64(spent)/jobs/(float64(unit+after)/2))
		unit = after
		if n := len(s.Jobs(1)); n != jobs {
			t.Fatalf("%d jobs", n)
		}
	}
	t.Logf("loading costs %.0f heap operations a job", least)
	if least > allowed {
		t.Errorf("loading costs %.0f heap operations a job, at most %d allowed", least, allowed)
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

// BenchmarkFacebook simulates the whole day under the policies of the first four papers. What a task costs, metrics
// included, is held against the heap: of several rounds the quickest of each lap counts, as of the heap its quickest
// moment does, because noise only adds. cpu-ns/task is that of the quickest round as a whole, with what collects garbage.
func BenchmarkFacebook(b *testing.B) {
	s := facebookScenario(b, "")
	for _, name := range []string{"fifo", "fair", "delay", "srpt", "sptp", "edf", "deadline-min", "deadline-max", "fbq", "tags", "sita", "comp", "capacity"} {
		b.Run(name, func(b *testing.B) {
			const pending = 3600
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			least, laps, tasks := math.Inf(1), heapunit.Laps{}, 0.0
			unit := heapunit.PushPop(pending)
			for range b.N {
				start := heapunit.CPU()
				laps.Start()
				run, err := NewRepetition(s, 1).Simulate(context.Background(), scenario.Named(name, nil), Options{Progress: func(Progress) { laps.Lap() }}, nil)
				laps.Lap()
				if err != nil {
					b.Fatal(err)
				}
				tasks = float64(run.Tasks)
				least = min(least, float64(heapunit.CPU()-start)/tasks)
				unit = min(unit, heapunit.PushPop(pending))
			}
			b.ReportMetric(least, "cpu-ns/task")
			b.ReportMetric(float64(laps.Least())/tasks/float64(unit), "heap-ops/task")
			b.ReportMetric(heapunit.Resident(), "MB")
		})
	}
}
