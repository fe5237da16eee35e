// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/rng"
)

// backlogJobs makes jobs of about a hundred tasks such that at any time as many of them wait or run as the
// backlog says: that many come at once, and each of the others when one before it has ended. Jobs have goals
// for the policies that go by them: to follow goals costs the metrics something.
func backlogJobs(waiting, jobs int, goals bool) (list []model.Job, tasks int) {
	sizes := rng.New(1, "backlog-size")
	for id := range jobs {
		r := sizes.At(uint64(id), 0, 0)
		n := min(int(math.Exp(r.NormFloat64()*0.8)*72)+1, 2000)
		reduces := n / 20
		tasks += n
		j := model.Job{
			ID: model.JobID(id), Name: fmt.Sprint("job", id), User: fmt.Sprint("u", id%50), Queue: fmt.Sprint("q", id%7), After: model.None,
			Submit: model.Time(id) * model.Millisecond, Maps: int32(n - reduces), Reduces: int32(reduces),
			Need:         [model.Kinds]model.Room{{1, 0}, {0, 1}},
			Input:        model.Bytes(n) * 128 * model.MiB,
			MapLength:    model.Lengths{Mean: 20 * model.Second, Noise: model.LogNormalNoise, CV: 0.5},
			ReduceLength: model.Lengths{Mean: 40 * model.Second, Noise: model.LogNormalNoise, CV: 0.5},
		}
		if goals {
			j.Goal = model.Hour + model.Time(r.ExpFloat64()*float64(6*model.Hour))
		}
		if id >= waiting {
			j.After, j.Submit = model.JobID(id-waiting), model.Millisecond
		}
		list = append(list, j)
	}
	return list, tasks
}

// goes reports whether a policy goes by goals.
func goes(name string) bool { return name == "edf" || strings.HasPrefix(name, "deadline") }

// BenchmarkBacklog is the cost of a task by the number of jobs that wait, for every policy: what waits must
// not cost anything while nothing about it changes.
func BenchmarkBacklog(b *testing.B) {
	topology := gridTopology(100)
	for _, waiting := range []int{10, 1_000, 8_000} {
		for i := range policies.All {
			name := policies.All[i].Name
			jobs, tasks := backlogJobs(waiting, 8_000, goes(name))
			b.Run(fmt.Sprintf("waiting=%d/%s", waiting, name), func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				unit, laps := heapunit.PushPop(800), heapunit.Laps{}
				for range b.N {
					r := runLaps(b, topology, jobs, name, &laps)
					unit = min(unit, heapunit.PushPop(800))
					b.ReportMetric(float64(r.Offers)/float64(r.Started), "offers/task")
				}
				perTask := float64(laps.Least().Nanoseconds()) / float64(tasks)
				b.ReportMetric(perTask, "ns/task")
				b.ReportMetric(perTask/float64(unit.Nanoseconds()), "heap-ops/task")
			})
		}
	}
}

// BenchmarkDelayByTime is the cost of a task while 8,000 jobs of a few maps wait for their data on a thousand nodes,
// by time alone: most of them accept none of the nodes that have room.
func BenchmarkDelayByTime(b *testing.B) {
	topology := gridTopology(1_000)
	jobs, tasks := backlogJobs(8_000, 8_000, false)
	for i := range jobs {
		j := &jobs[i]
		tasks -= int(j.Maps + j.Reduces)
		j.Maps, j.Reduces = j.Maps/20+1, 0
		tasks += int(j.Maps)
	}
	entry, _ := policies.All.Find("delay")
	params := entry.Params()
	node, errs := strict.Parse("params", []byte("{node-skips: 0, rack-skips: 0, node-wait: 15s, rack-wait: 15s}"))
	if errs == nil {
		errs = strict.Decode(node, params)
	}
	if errs != nil {
		b.Fatal(errs)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unit, laps := heapunit.PushPop(8_000), heapunit.Laps{}
	for range b.N {
		runEntry(b, topology, jobs, entry, params, engine.DefaultConfig(), &laps)
	}
	b.ReportMetric(float64(laps.Least().Nanoseconds())/float64(tasks)/float64(unit.Nanoseconds()), "heap-ops/task")
}
