// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// find returns the entry of the name with its default parameters.
func find(name string) (*policy.Entry, any) {
	e, ok := policies.Choosable.Find(name)
	if !ok {
		panic("simtest: no policy " + name)
	}
	if e.Params == nil {
		return e, nil
	}
	return e, e.Params()
}

// small returns a case of one class of nodes in one rack, with fixed rules and no jobs.
func small(m model.RoomModel, nodes int, room model.Room) *Case {
	c := &Case{Config: engine.DefaultConfig(), Seed: 1, Replication: 1,
		Topology: &model.Topology{Model: m, Racks: 1, Hosts: nodes, Classes: []model.NodeClass{{Name: "worker", Room: room, Speed: 1}}}}
	for i := range nodes {
		c.Topology.Nodes = append(c.Topology.Nodes, model.Node{Host: model.HostID(i)})
	}
	c.setSlowStart(0)
	c.setRampUp(50)
	return c
}

// add appends a job whose tasks take one unit of room and the given length; change may alter it.
func (c *Case) add(submit model.Time, maps, reduces int32, length model.Time, change func(*model.Job)) {
	m := c.Topology.Model
	id := len(c.Jobs)
	j := model.Job{ID: model.JobID(id), Name: fmt.Sprint("job", id), User: "u", Queue: "q", Submit: submit, After: model.None,
		Priority: model.Normal, Maps: maps, Reduces: reduces, Need: [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)},
		MapLength: model.Lengths{Mean: length}, ReduceLength: model.Lengths{Mean: length}}
	if change != nil {
		change(&j)
	}
	c.Jobs = append(c.Jobs, j)
}

// run runs the case with its checks on and returns its events.
func (c *Case) run(e *policy.Entry, params any) ([]record.Event, error) {
	log := &record.Log{}
	in := c.Input(e, params, log)
	in.Check, in.Inspect = 1, progressGuard(in.Jobs)
	_, err := engine.Run(in)
	return log.Events, err
}

// simplest draws the least value of everything.
func simplest(_ string, lo, _ int) int { return lo }

// environment returns what a policy is built on in the case, without an oracle.
func environment(c *Case) *policy.Env {
	return &policy.Env{Cluster: cluster.New(c.Topology), Seed: c.Seed,
		Blocks: hdfs.NewStore(c.Topology, c.Replication, nil, c.Seed), Sizes: noSizes{}}
}

// noSizes is an oracle for policies that are built but not run.
type noSizes struct{}

func (noSizes) Remaining(model.JobID) model.Time { return 0 }
func (noSizes) Total(model.JobID) model.Time     { return 0 }
