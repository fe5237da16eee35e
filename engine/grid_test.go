// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
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

// pushPop measures one push and pop on a bare 4-ary heap of n pending events: the unit of cost.
func pushPop(n int) time.Duration {
	type entry struct {
		time model.Time
		seq  uint64
	}
	before := func(a, b entry) bool { return a.time < b.time || a.time == b.time && a.seq < b.seq }
	var h []entry
	push := func(e entry) {
		h = append(h, e)
		i := len(h) - 1
		for i > 0 {
			p := (i - 1) / 4
			if !before(e, h[p]) {
				break
			}
			h[i] = h[p]
			i = p
		}
		h[i] = e
	}
	pop := func() entry {
		top, last := h[0], h[len(h)-1]
		h = h[:len(h)-1]
		for i := 0; ; {
			c := 4*i + 1
			if c >= len(h) {
				h[i] = last
				return top
			}
			least := c
			for k := c + 1; k < min(c+4, len(h)); k++ {
				if before(h[k], h[least]) {
					least = k
				}
			}
			if !before(h[least], last) {
				h[i] = last
				return top
			}
			h[i] = h[least]
			i = least
		}
	}
	draw, seq := uint64(1), uint64(0)
	next := func(now model.Time) entry {
		seq++
		return entry{now + model.Time(rng.Next(&draw)>>30), seq}
	}
	for range n {
		push(next(0))
	}
	rounds := max(2_000_000, 2*n)
	start := time.Now()
	for range rounds {
		push(next(pop().time))
	}
	return time.Since(start) / time.Duration(rounds)
}

func runGrid(tb testing.TB, topology *model.Topology, jobs []model.Job, name string) engine.Result {
	entry, _ := policies.All.Find(name)
	in := &engine.Input{Topology: topology, Jobs: jobs, Config: engine.DefaultConfig(), Replication: 3,
		Policy: entry, Seed: 1, Recorder: metrics.NewCollector(topology, jobs)}
	if entry.Params != nil {
		in.Params = entry.Params()
	}
	r, err := engine.Run(in)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func BenchmarkGrid(b *testing.B) {
	for _, nodes := range []int{100, 1_000, 10_000} {
		for _, tasks := range []int{100_000, 1_000_000, 10_000_000} {
			topology, jobs := gridTopology(nodes), gridJobs(nodes, tasks)
			unit := pushPop(nodes * 8)
			for _, name := range []string{"fifo", "fair", "delay"} {
				b.Run(fmt.Sprintf("nodes=%d/tasks=%d/%s", nodes, tasks, name), func(b *testing.B) {
					b.ReportAllocs()
					for range b.N {
						r := runGrid(b, topology, jobs, name)
						b.ReportMetric(float64(r.Offers)/float64(r.Started), "offers/task")
					}
					perTask := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(tasks)
					b.ReportMetric(perTask, "ns/task")
					b.ReportMetric(perTask/float64(unit.Nanoseconds()), "heap-ops/task")
				})
			}
		}
	}
}
