// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"runtime"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
)

// discard is a recorder that keeps nothing, so that a run's own memory can be seen.
type discard struct{}

func (discard) Record(*record.Event) {}

// heldMemory runs the jobs under a policy and returns the most memory that the run held when it was looked
// at, beside what it was given, and the most jobs that were there at a time.
func heldMemory(tb testing.TB, topology *model.Topology, jobs []model.Job, name string, every int) (bytes int64, active int) {
	entry, _ := policies.All.Find(name)
	in := &engine.Input{Topology: topology, Jobs: jobs, Config: engine.DefaultConfig(), Replication: 3, Policy: entry, Params: entry.Defaults(), Seed: 1, Recorder: discard{}}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, looks := heap(), 0
	in.Inspect = func(_ model.Time, s *cluster.State) error {
		active = max(active, s.Active)
		if looks++; looks%every == 0 {
			bytes = max(bytes, heap()-before)
		}
		return nil
	}
	if _, err := engine.Run(in); err != nil {
		tb.Fatal(err)
	}
	return bytes, active
}

// TestMemoryFollowsActiveJobs: eight times as many jobs at the same load need eight times the time, not the
// memory. What history costs is some words for each job: its arrival, and its place in indexes by job.
func TestMemoryFollowsActiveJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 16 simulations")
	}
	const perJob = 80
	topology := gridTopology(100)
	jobs := make([]model.Job, 12000) // 20 maps of 20 s every 0.85 s on 600 slots: a load of 0.8
	for i := range jobs {
		jobs[i] = job(i, 0.85*float64(i), 20, 1, model.Slots)
		jobs[i].Input, jobs[i].User = 20*128*model.MiB, string(rune('a'+i%7))
		jobs[i].MapLength = model.Lengths{Mean: 20 * model.Second, Noise: model.ExponentialNoise, CV: 1}
		jobs[i].Goal = model.Hour
	}
	for _, name := range []string{"fifo", "fair", "delay", "srpt", "deadline-max", "fbq", "comp", "capacity"} {
		short, activeShort := heldMemory(t, topology, jobs[:len(jobs)/8], name, 2000)
		long, activeLong := heldMemory(t, topology, jobs, name, 16000)
		more := int64(len(jobs) - len(jobs)/8)
		t.Logf("%-12s %6d jobs, at most %3d there: %7d bytes; %6d jobs, at most %3d: %7d bytes", name, len(jobs)/8, activeShort, short, len(jobs), activeLong, long)
		if grown := long - short*int64(max(activeLong, activeShort))/int64(max(activeShort, 1)); grown > more*perJob {
			t.Errorf("%s: %d bytes more for %d more jobs, at most %d for each", name, grown, more, perJob)
		}
	}
}
