// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/hdfs"
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
		o := hdfs.NewOutputs(topology, usualReplicas(&Site{Config: &config, Replication: c.df}), 1)
		for index := range int32(50) {
			w := &work{node: 4, job: &jobWork{spec: &model.Job{Replicas: c.job}}, task: model.Task{Kind: model.Reduce, Index: index}}
			got := slices.Clone(w.replicas(&o))
			if !slices.Equal(got, w.replicas(&o)) {
				t.Fatalf("%s: the replicas of one attempt lie on %v and %v", c.name, got, w.replicas(&o))
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

// A remote file system with disks of 20 bytes per second: a map on the only other host reads its block from there and
// writes its output there, in one replica.
func TestRemoteStore(t *testing.T) {
	topology := racks(1, 1)
	topology.Classes = append(topology.Classes, topology.Classes[0])
	topology.Classes[1].Store, topology.Classes[1].Hardware.Disk = true, 20
	topology.Nodes[1].Class = 1
	r := newRig(t, topology, under(Resources))
	r.start(r.enter(model.Job{Maps: 1, Input: 1000, Output: 300}), model.Map, 0, 0)
	r.runAll()
	expect(t, "1000/20 + 300/20", r.ended, "map 0 at 65 after 65")
}

// A master's start shares the cores of its host with what runs there, on each core as fast as it is.
func TestMasterStarts(t *testing.T) {
	topology := racks(2)
	topology.Classes[0].Speed = 2
	topology.Classes[0].Hardware.Cores = 1
	booted := []string{}
	r := newRig(t, topology, func(s *Site) {
		s.Config.Durations, s.Config.Tasks.StartCPU = Resources, 6*model.Second
		s.Booted = func(now model.Time, job model.JobID) {
			booted = append(booted, fmt.Sprintf("job %d at %s", job, short(now)))
		}
	})
	j := r.enter(model.Job{Maps: 2, Reduces: 1})
	r.start(j, model.Map, 0, 0)
	r.start(j, model.Map, 1, 1)
	r.Boot(r.clock.now, 0, 7, 2*model.Second)
	r.Boot(r.clock.now, 1, 8, 0) // nothing to compute: at once
	r.settle()
	r.runAll()
	expect(t, "half a core until 2/2*2, then the map has it alone", r.ended, "map 1 at 3 after 3", "map 0 at 4 after 4")
	expect(t, "2/2*2", booted, "job 8 at 0", "job 7 at 2")
}

// What a process computes when it starts takes half as long on a core that is twice as fast.
func TestStartOnFastCore(t *testing.T) {
	topology := racks(1)
	topology.Classes[0].Speed = 2
	r := newRig(t, topology, func(s *Site) {
		s.Config.Durations, s.Config.Tasks.StartUp, s.Config.Tasks.StartCPU = Resources, model.Second, 4*model.Second
	})
	r.start(r.enter(model.Job{Maps: 1, Reduces: 1}), model.Map, 0, 0)
	r.runAll()
	expect(t, "1 + 4/2", r.ended, "map 0 at 3 after 3")
}
