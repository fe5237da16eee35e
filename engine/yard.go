// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Yarn is a cluster whose room YARN's resource manager gives.
type Yarn struct {
	Settings *capacity.Settings
	Rules    handover.Rules
	Names    []Name // of nodes, by number; nil: numbered ones
	// Master returns the size of a job's master.
	Master func(*model.Job) queue.Resource
	// NewMaster returns the master of a job.
	NewMaster func(mapreduce.Work, mapreduce.Tasks) mapreduce.Master
	// Near returns the nodes that a map of a job prefers; nil: those that hold its block.
	Near func(j *model.Job, index int32) []model.NodeID
	// Watch, if set, follows containers.
	Watch func(now model.Time, s handover.Step, c *capacity.Container, t model.Task)
}

// Validate returns the faults of a workload on a cluster with these settings: a queue that does not exist, a
// container above the largest that is given.
func (y *Yarn) Validate(t *model.Topology, jobs []model.Job) (problems []model.Problem) {
	most := queue.Resource{}
	for i := range t.Classes {
		most = most.Most(resource(t.Classes[i].Room))
	}
	most = most.Least(y.Settings.MaxAlloc)
	bad := func(job int, field, found, allowed string) {
		problems = append(problems, model.Problem{Path: fmt.Sprintf("[%d].%s", job, field), Found: found, Allowed: allowed})
	}
	leaves := y.Settings.Leaves()
	for i := range jobs {
		j := &jobs[i]
		if _, ok := leaves.Find(j.Queue); !ok {
			bad(i, "queue", fmt.Sprintf("%q", j.Queue), "a queue that takes applications: "+leaves.String())
		}
		if r := y.Master(j); !r.Within(most) {
			bad(i, "master", "an application master of "+describe(r), "at most "+describe(most))
		}
		for k, need := range j.Need {
			if r := resource(need); j.Tasks(model.Kind(k)) > 0 && !r.Within(most) {
				bad(i, model.Kind(k).String()+"-memory", "a container of "+describe(r), "at most "+describe(most))
			}
		}
	}
	return problems
}

func describe(r queue.Resource) string { return model.Yarn.Describe(room(r)) }

// Name is what a node and its rack are called.
type Name struct{ Node, Rack string }

// yard brings YARN's resource manager to the engine.
type yard struct {
	*world
	*Yarn
	crew  *crew
	life  *life
	floor *handover.Floor
	nodes []*capacity.Node
	near  []*capacity.Node // scratch
}

func newYard(w *world, c *crew, l *life) *yard {
	y := &yard{world: w, Yarn: w.in.Yarn, crew: c, life: l}
	nodes := make([]capacity.Node, len(w.state.Nodes))
	for i := range nodes {
		n := &w.state.Nodes[i]
		nodes[i] = capacity.Node{Name: fmt.Sprintf("node%d", i), Rack: fmt.Sprintf("/rack%d", n.Rack), Total: resource(n.Room)}
		if y.Names != nil {
			nodes[i].Name, nodes[i].Rack = y.Names[i].Node, y.Names[i].Rack
		}
	}
	y.floor = handover.New(handover.Site{
		Settings: y.Settings, Rules: y.Rules, Nodes: nodes, Seed: w.in.Seed, NewMaster: y.NewMaster, Cancel: w.queue.Cancel,
		At: func(t model.Time, e handover.Event) des.Handle {
			return w.queue.Push(t, event{kind: handsOver, sub: uint8(e.Kind), of: e.Of})
		},
		Callbacks: handover.Callbacks{MasterGiven: y.given, MasterReady: y.ready, MasterGone: y.gone, Launch: y.launch, Kill: y.kill,
			Watch: y.Watch, Fail: w.fail},
	})
	y.nodes = y.floor.Manager().Nodes()
	return y
}

func resource(r model.Room) queue.Resource {
	return queue.Resource{Memory: int64(r[0]), VCores: int64(r[1])}
}

func room(r queue.Resource) model.Room { return model.Room{int32(r.Memory), int32(r.VCores)} }

// room returns what the state of the cluster books for a container. A scheduler that looks at memory alone may
// give out more vcores than there are.
func (y *yard) room(r queue.Resource) model.Room {
	if _, memory := y.Settings.Calculator.(queue.Memory); memory {
		r.VCores = 0
	}
	return room(r)
}

// submitted implements manager.
func (y *yard) submitted(now model.Time, j *cluster.Job) {
	spec := y.run(j).spec
	job := &handover.Job{ID: j.ID, Queue: spec.Queue, User: spec.User, Master: y.Master(spec)}
	job.Job, job.Total = j.ID, j.Total
	for k, need := range j.Need {
		job.Size[k] = resource(need)
		j.Need[k] = y.room(job.Size[k])
	}
	if y.Near != nil || j.Input > 0 && y.in.Replication > 0 {
		job.Near = func(index int32) []*capacity.Node { return y.blockNodes(j, spec, index) }
	}
	var no *capacity.Rejection
	switch err := y.floor.Submit(now, job); {
	case errors.As(err, &no): // too many applications, or a queue that a refresh has stopped
		y.life.refuse(now, j, model.LimitInit)
	case err != nil:
		y.fail(fmt.Errorf("job %q: %w", spec.Name, err))
	}
}

// blockNodes returns the nodes that a map prefers.
func (y *yard) blockNodes(j *cluster.Job, spec *model.Job, index int32) []*capacity.Node {
	ids := []model.NodeID(nil)
	if y.Near != nil {
		ids = y.Near(spec, index)
	} else {
		ids = y.blocks.Index(j.ID, j.Total[model.Map]).Block(index)
	}
	y.near = y.near[:0]
	for _, id := range ids {
		y.near = append(y.near, y.nodes[id])
	}
	return y.near
}

// moved implements manager.
func (y *yard) moved(now model.Time, _ *cluster.Job, t model.Task, node model.NodeID, how move) {
	if how == done {
		y.floor.TaskEnded(now, t, node)
	}
}

// over implements manager: the master has seen to it.
func (y *yard) over(model.Time, model.JobID) {}

// given notes that a master has got its container.
func (y *yard) given(now model.Time, id model.JobID, c *capacity.Container) {
	node := y.floor.Node(c)
	if !y.state.Hold(node, y.room(c.Size)) {
		y.fail(fmt.Errorf("no room for the master of job %d on node %d", id, node))
	}
	y.run(y.state.Job(id)).limit = model.LimitRoom
	y.records.Send(record.Event{Time: now, Kind: record.AMStarted, Task: model.Task{Job: id}, Node: node, Room: room(c.Size)})
}

// ready admits the job of a master that has started.
func (y *yard) ready(now model.Time, id model.JobID, _ *capacity.Container) {
	y.life.apply(now, y.state.Job(id))
}

// gone notes that a master has given its container back.
func (y *yard) gone(now model.Time, id model.JobID, c *capacity.Container) {
	node := y.floor.Node(c)
	y.state.Unhold(node, y.room(c.Size))
	y.records.Send(record.Event{Time: now, Kind: record.AMEnded, Task: model.Task{Job: id}, Node: node, Room: room(c.Size)})
}

// launch starts a task in its container.
func (y *yard) launch(now model.Time, t model.Task, node model.NodeID) {
	if err := y.crew.start(now, t, node); err != nil {
		y.fail(fmt.Errorf("at %v: %s %d of job %d on node %d: %w", now, t.Kind, t.Index, t.Job, node, err))
	}
}

// kill ends a task that runs in a container.
func (y *yard) kill(now model.Time, t model.Task, node model.NodeID) {
	j := y.state.Job(t.Job)
	for _, id := range y.exec.OfJob(j, func(a *exec.Attempt) bool { return a.Task == t && a.Node == node }) {
		y.crew.killAttempt(now, id)
	}
}
