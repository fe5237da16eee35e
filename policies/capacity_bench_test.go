// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"fmt"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// BenchmarkCapacityQueues is the cost of one task, its end and the next start, on a full cluster of 4,000
// slots, by the number of queues. Every queue has two users who want room.
func BenchmarkCapacityQueues(b *testing.B) {
	for _, queues := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(queues), func(b *testing.B) { benchmarkQueues(b, queues) })
	}
}

func benchmarkQueues(b *testing.B, queues int) {
	topology := racks(model.Slots, 1, 1000, model.Room{4, 0})
	state := cluster.New(topology)
	env := &policy.Env{Cluster: state, Blocks: hdfs.NewStore(topology, 1, nil, 1), Seed: 1}
	e, _ := policies.All.Find("capacity")
	built, err := e.New(env, e.Params())
	if err != nil {
		b.Fatal(err)
	}
	driver := policy.Drive(env, built)
	for i := range 2 * queues {
		j := state.AddJob(0, &model.Job{ID: model.JobID(i), Maps: 20_000, User: fmt.Sprint("u", i%2), Queue: fmt.Sprint("q", i/2), Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}})
		driver.Submit(0, j)
		j.Admit()
		driver.Admitted(0, j)
		driver.Wants(0, j, 0, true)
	}
	var running []cluster.Attempt
	offer := policy.Offer{}
	serve := func(node model.NodeID) bool {
		offer.Node, offer.Free = node, state.Nodes[node].Free
		offer.Beat.Sequence++
		d := driver.Pick(&offer)
		if d.Task.Job == model.None {
			return false
		}
		if _, err := state.Start(d.Task, node); err != nil {
			b.Fatal(err)
		}
		driver.Started(0, state.Job(d.Task.Job), d.Task, node)
		running = append(running, cluster.Attempt{Task: d.Task, Node: node})
		return true
	}
	for node := range model.NodeID(1000) {
		for state.Nodes[node].Free[0] > 0 && serve(node) {
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		at := i * 7919 % len(running)
		a := running[at]
		running[at] = running[len(running)-1]
		running = running[:len(running)-1]
		state.End(a.Task, a.Node, false) // so that tasks never run out
		driver.Killed(0, state.Job(a.Task.Job), a.Task, a.Node, 0)
		if !serve(a.Node) {
			b.Fatal("room stays free")
		}
	}
}
