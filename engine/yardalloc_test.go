// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"runtime"
	"testing"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
)

// TestYarnAllocations: a container that is given, handed over, started and ended takes no memory of its own. Jobs take some,
// and their lists grow, so that what long jobs allocate beyond short ones is divided by the containers that they have
// beyond them; a list that doubles as it grows may show as one allocation for many hundreds of them.
func TestYarnAllocations(t *testing.T) {
	const jobs, short, long = 10, 500, 20500
	c, queues := yarnForest(jobs, 3)
	entry, _ := policies.Managers.Find("yarn-capacity")
	topology := gridTopology(100)
	topology.Model, topology.Classes[0].Room = model.Yarn, model.Room{8192, 8}
	for _, replication := range []int{0, 3} {
		mallocs := func(maps int32) float64 {
			list := make([]model.Job, jobs)
			need := model.Room{1024, 1}
			for i := range list {
				list[i] = model.Job{ID: model.JobID(i), User: "u", Queue: queues[i%len(queues)], After: model.None, Maps: maps, Reduces: 10, Input: model.Bytes(maps) << 27,
					Need: [model.Kinds]model.Room{need, need}, Priority: model.Normal, MapLength: model.Lengths{Mean: 20 * model.Second}, ReduceLength: model.Lengths{Mean: 20 * model.Second}}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := engine.Run(&engine.Input{Topology: topology, Jobs: list, Config: engine.DefaultConfig(), Replication: replication, Policy: entry, Params: &c, Seed: 1, Recorder: &record.Tee{}}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return float64(after.Mallocs - before.Mallocs)
		}
		mallocs(short) // whatever is made once in a process
		few, many := mallocs(short), mallocs(long)
		each := (many - few) / (jobs * (long - short))
		t.Logf("replication %d: %.0f and %.0f allocations, %.4f for each container", replication, few, many, each)
		if each > 0.002 {
			t.Errorf("replication %d: %.4f allocations for each container", replication, each)
		}
	}
}
