// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Output goes to the writing node, a node of another rack, and another node of that rack. How many is what
// the job says, else the scenario, else HDFS; never more than there are nodes.
func TestReplicas(t *testing.T) {
	for _, c := range []struct {
		name           string
		job, tasks, df int
		want           int
	}{
		{"the job's", 2, 3, 3, 2}, {"the scenario's", 0, 2, 3, 2}, {"HDFS's", 0, 0, 3, 3}, {"without locality one", 0, 0, 0, 1}, {"at most one for each node", 9, 0, 3, 6},
	} {
		topology := racks(3, 3)
		config := DefaultConfig()
		config.Tasks.Replication = c.tasks
		o := newOutputs(&Site{Topology: topology, Config: &config, Replication: c.df, Seed: 1})
		for index := range int32(50) {
			w := &work{node: 4, job: &jobWork{spec: &model.Job{Replicas: c.job}}, task: model.Task{Kind: model.Reduce, Index: index}}
			got := slices.Clone(o.replicas(w))
			if !slices.Equal(got, o.replicas(w)) {
				t.Fatalf("%s: the replicas of one attempt lie on %v and %v", c.name, got, o.replicas(w))
			}
			distinct := slices.Compact(slices.Sorted(slices.Values(got)))
			if len(got) != c.want || len(distinct) != c.want || got[0] != 4 {
				t.Fatalf("%s: replicas on %v, want %d nodes, the first 4", c.name, got, c.want)
			}
			if c.want > 1 && topology.Nodes[got[1]].Rack != 0 || c.want > 2 && topology.Nodes[got[2]].Rack != 0 {
				t.Fatalf("%s: replicas on %v; the second and third belong in rack 0", c.name, got)
			}
		}
	}
}
