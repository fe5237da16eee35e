// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/internal/heapunit"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// yarnForest returns a configuration with about that many leaves below that many levels, all alike, and their paths.
func yarnForest(leaves, depth int) (handover.Config, []string) {
	const prefix = "yarn.scheduler.capacity."
	c := handover.DefaultConfig()
	c.Properties = map[string]string{"yarn.app.mapreduce.am.resource.mb": "1024", prefix + "user-limit-factor": "-1", prefix + "maximum-applications": "1000000"}
	width := max(1, int(math.Round(math.Pow(float64(leaves), 1/float64(depth)))))
	level := []string{"root"}
	for d := range depth {
		n := width
		if d == depth-1 {
			n = max(1, leaves/len(level))
		}
		var next []string
		for _, parent := range level {
			names := make([]string, n)
			for i := range names {
				names[i] = fmt.Sprintf("q%d", i)
				next = append(next, parent+"."+names[i])
				c.Properties[prefix+parent+"."+names[i]+".capacity"] = "1w"
			}
			c.Properties[prefix+parent+".queues"] = strings.Join(names, ",")
		}
		level = next
	}
	return c, level
}

// runYarn runs jobs of ten maps and a reduce on 100 nodes of eight containers and returns what it cost in processor time.
func runYarn(tb testing.TB, c *handover.Config, queues []string, jobs int, gap model.Time) time.Duration {
	topology := gridTopology(100)
	topology.Model, topology.Classes[0].Room = model.Yarn, model.Room{8192, 8}
	list := make([]model.Job, jobs)
	for i := range list {
		need := model.Room{1024, 1}
		list[i] = model.Job{ID: model.JobID(i), Name: fmt.Sprint("job", i), User: fmt.Sprint("u", i%10), Queue: queues[i*7919%len(queues)], After: model.None,
			Submit: model.Time(i) * gap, Maps: 10, Reduces: 1, Need: [model.Kinds]model.Room{need, need}, Priority: model.Normal,
			MapLength: model.Lengths{Mean: 20 * model.Second}, ReduceLength: model.Lengths{Mean: 20 * model.Second}}
	}
	entry, _ := policies.Managers.Find("yarn-capacity")
	start := heapunit.CPU()
	if _, err := engine.Run(&engine.Input{Topology: topology, Jobs: list, Config: engine.DefaultConfig(), Policy: entry, Params: c, Seed: 1, Recorder: &record.Tee{}}); err != nil {
		tb.Fatal(err)
	}
	return heapunit.CPU() - start
}

// BenchmarkYarnQueues is the named grid of queues: jobs that arrive at a load of 0.4 in trees of 1 to 10,000 queues. With a
// higher load the masters of many queues, each of which may always have one, would fill the cluster for ever.
func BenchmarkYarnQueues(b *testing.B) {
	for _, leaves := range []int{1, 10, 100, 1000, 10000} {
		for _, depth := range []int{1, 3, 5} {
			if leaves == 1 && depth > 1 {
				continue
			}
			c, queues := yarnForest(leaves, depth)
			b.Run(fmt.Sprintf("queues=%d/depth=%d", leaves, depth), func(b *testing.B) {
				least := time.Hour
				for range b.N {
					least = min(least, runYarn(b, &c, queues, 3000, 900*model.Millisecond))
				}
				b.ReportMetric(float64(least.Nanoseconds())/33000, "ns/task")
			})
		}
	}
}

// BenchmarkYarnWaiting is jobs that come all at once, so that nearly all of them wait for their masters.
func BenchmarkYarnWaiting(b *testing.B) {
	c, queues := yarnForest(1, 1)
	for _, jobs := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprintf("applications=%d", jobs), func(b *testing.B) {
			least := time.Hour
			for range b.N {
				rounds := 10000 / jobs
				cost := time.Duration(0)
				for range rounds {
					cost += runYarn(b, &c, queues, jobs, 0)
				}
				least = min(least, cost)
			}
			b.ReportMetric(float64(least.Nanoseconds())/110000, "ns/task")
		})
	}
}
