// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// gridJobs makes jobs of about 417 maps each, as many as 24,000 jobs with ten million tasks have,
// with lognormal numbers of tasks, one reduce in twenty tasks, arriving at a load of 0.9.
func gridJobs(nodes, tasks int) []model.Job {
	const mapSlots, mean = 6, 20.0
	sizes := rng.New(1, "grid-size")
	var jobs []model.Job
	at := 0.0
	for left := tasks; left > 0; {
		id := len(jobs)
		r := sizes.At(uint64(id), 0, 0)
		n := min(int(math.Exp(r.NormFloat64()*1.2)*203)+1, left)
		left -= n
		reduces := n / 20
		jobs = append(jobs, model.Job{
			ID: model.JobID(id), Name: fmt.Sprint("job", id), User: fmt.Sprint("u", id%10), Queue: "default", After: model.None,
			Submit: model.Seconds(at), Maps: int32(n - reduces), Reduces: int32(reduces),
			Need:         [model.Kinds]model.Room{{1, 0}, {0, 1}},
			Input:        model.Bytes(n) * 128 * model.MiB,
			MapLength:    model.Lengths{Mean: model.Seconds(mean), Noise: model.LogNormalNoise, CV: 0.5},
			ReduceLength: model.Lengths{Mean: model.Seconds(2 * mean), Noise: model.LogNormalNoise, CV: 0.5},
		})
		at += r.ExpFloat64() * 417 * 0.95 * mean / (0.9 * float64(nodes) * mapSlots)
	}
	return jobs
}

func gridTopology(nodes int) *model.Topology {
	t := &model.Topology{Racks: max(nodes/20, 1), Hosts: nodes, Classes: []model.NodeClass{{Name: "worker", Room: model.Room{6, 2}, Speed: 1}}}
	for i := range nodes {
		t.Nodes = append(t.Nodes, model.Node{Rack: model.RackID(i * t.Racks / nodes), Host: model.HostID(i)})
	}
	return t
}

func runGrid(tb testing.TB, topology *model.Topology, jobs []model.Job, name string) engine.Result {
	return runLaps(tb, topology, jobs, name, &heapunit.Laps{})
}

// runLaps is runGrid with laps.
func runLaps(tb testing.TB, topology *model.Topology, jobs []model.Job, name string, laps *heapunit.Laps) engine.Result {
	entry, _ := policies.All.Find(name)
	var params any
	if entry.Params != nil {
		params = entry.Params()
	}
	return runEntry(tb, topology, jobs, entry, params, engine.DefaultConfig(), laps)
}

// lap is after how many events a lap ends: about a millisecond, so that some of each kind fall between what else the machine does.
const lap = 4096

func runEntry(tb testing.TB, topology *model.Topology, jobs []model.Job, entry *policy.Entry, params any, config engine.Config, laps *heapunit.Laps) engine.Result {
	laps.Start()
	defer laps.Lap()
	c := metrics.NewCollector(topology, jobs)
	r, err := engine.Run(&engine.Input{Topology: topology, Jobs: jobs, Config: config, Replication: 3,
		Policy: entry, Params: params, Seed: 1, Recorder: c, Estimates: c.Estimates(), Pace: lap, Progress: func(engine.Progress) bool {
			laps.Lap()
			return true
		}})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

var gridPolicies = []string{"fifo", "fair", "delay"}

// BenchmarkGrid is the named grid: nodes x tasks x policy. heap-ops/task is the cost of a task in
// pushes and pops on a bare heap of as many pending events, measured in the same process.
func BenchmarkGrid(b *testing.B) {
	for _, nodes := range []int{100, 1_000, 10_000} {
		for _, tasks := range []int{100_000, 1_000_000, 10_000_000} {
			topology, jobs := gridTopology(nodes), gridJobs(nodes, tasks)
			for _, name := range gridPolicies {
				b.Run(fmt.Sprintf("nodes=%d/tasks=%d/%s", nodes, tasks, name), func(b *testing.B) {
					b.ReportAllocs()
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					unit, laps := heapunit.PushPop(nodes*8), heapunit.Laps{}
					b.ResetTimer()
					for range b.N {
						r := runLaps(b, topology, jobs, name, &laps)
						unit = min(unit, heapunit.PushPop(nodes*8))
						b.ReportMetric(float64(r.Offers)/float64(r.Started), "offers/task")
					}
					perTask := float64(laps.Least().Nanoseconds()) / float64(tasks)
					b.ReportMetric(perTask, "ns/task")
					b.ReportMetric(perTask/float64(unit.Nanoseconds()), "heap-ops/task")
				})
			}
		}
	}
}

// BenchmarkEveryPolicy is one cell of the grid for every policy, in slots and in containers. make profile shows it to
// the compiler.
func BenchmarkEveryPolicy(b *testing.B) {
	const nodes, tasks = 1_000, 300_000
	slots, slotJobs := gridTopology(nodes), gridJobs(nodes, tasks)
	containers, containerJobs := gridTopology(nodes), slices.Clone(slotJobs)
	containers.Model, containers.Classes[0].Room = model.Containers, model.Room{8}
	for i := range containerJobs {
		j := &containerJobs[i]
		j.Need, j.Shuffle = [model.Kinds]model.Room{{1}, {1}}, j.Input/2
	}
	for i := range policies.All {
		name := policies.All[i].Name
		b.Run("slots/"+name, func(b *testing.B) {
			for range b.N {
				runGrid(b, slots, slotJobs, name)
			}
		})
		b.Run("containers/"+name, func(b *testing.B) {
			for range b.N {
				runGrid(b, containers, containerJobs, name)
			}
		})
	}
}

// TestNoAllocationPerTask: memory follows jobs, not tasks or events.
func TestNoAllocationPerTask(t *testing.T) {
	topology, jobs := gridTopology(100), gridJobs(100, 100_000)
	for _, name := range []string{"fair", "capacity"} {
		allocs := testing.AllocsPerRun(1, func() { runGrid(t, topology, jobs, name) })
		if perTask := allocs / 100_000; perTask > 0.1 {
			t.Errorf("%s: %.3f allocations per task", name, perTask)
		}
	}
}
