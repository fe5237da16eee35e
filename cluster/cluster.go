// SPDX-License-Identifier: Apache-2.0

// Package cluster is the concrete state of a shared cluster: nodes with their free room, and jobs
// with their pending, running and finished tasks. It holds what a resource manager could know: no
// task lengths, no future arrivals. The engine changes it, policies read it.
//
// Jobs and nodes live in flat arrays indexed by their IDs; starting or ending a task is O(1).
package cluster

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
)

// State is the cluster at one moment.
type State struct {
	Topology *model.Topology
	Nodes    []Node
	Jobs     []Job    // all jobs of the workload; those not submitted yet have Phase Future
	Queues   []string // names of the queues, indexed by Job.Queue
	Users    []string // names of the users, indexed by Job.User
	Total    [model.Dims]int64
	Used     [model.Dims]int64
	Active   int // jobs admitted and not ended
}

// Node is one worker.
type Node struct {
	Free    model.Room
	Room    model.Room
	Rack    model.RackID
	Held    model.Room // by containers that are no tasks
	Running int32
	Lost    bool // it has no room until it returns
}

// New returns an empty cluster that will run the given jobs.
func New(topology *model.Topology, jobs []model.Job) *State {
	s := &State{
		Topology: topology,
		Nodes:    make([]Node, len(topology.Nodes)),
		Jobs:     make([]Job, len(jobs)),
		Total:    topology.Total(),
	}
	for i := range s.Nodes {
		n := topology.Nodes[i]
		room := topology.Classes[n.Class].Room
		s.Nodes[i] = Node{Free: room, Room: room, Rack: n.Rack}
	}
	queues, users := interner{index: map[string]int32{}}, interner{index: map[string]int32{}}
	for i := range jobs {
		s.Jobs[i].init(&jobs[i], queues.id(jobs[i].Queue), users.id(jobs[i].User))
	}
	s.Queues, s.Users = queues.names, users.names
	return s
}

// interner numbers strings in order of first appearance.
type interner struct {
	index map[string]int32
	names []string
}

func (in *interner) id(name string) int32 {
	if id, ok := in.index[name]; ok {
		return id
	}
	id := int32(len(in.names))
	in.index[name] = id
	in.names = append(in.names, name)
	return id
}

// Start takes room on node for a pending task. It fails, and changes nothing, if the job may not
// start a task of that kind now, the task is not pending, or the room does not suffice.
func (s *State) Start(t model.Task, node model.NodeID) error {
	if err := s.startable(t, node); err != nil {
		return err
	}
	j, n := &s.Jobs[t.Job], &s.Nodes[node]
	need := j.Need[t.Kind]
	n.Free = n.Free.Sub(need)
	n.Running++
	s.use(need, 1)
	j.take(t.Kind, t.Index)
	return nil
}

// startable says why the task may not start on node, in the words of a person who has to find out.
func (s *State) startable(t model.Task, node model.NodeID) error {
	if t.Job < 0 || int(t.Job) >= len(s.Jobs) || node < 0 || int(node) >= len(s.Nodes) || t.Kind >= model.Kinds {
		return fmt.Errorf("no such job, kind or node")
	}
	j, n := &s.Jobs[t.Job], &s.Nodes[node]
	switch {
	case j.Phase != Admitted:
		return fmt.Errorf("job is %v", j.Phase)
	case t.Index < 0 || t.Index >= j.Total[t.Kind]:
		return fmt.Errorf("job has %d %s tasks", j.Total[t.Kind], t.Kind)
	case j.started[t.Kind].has(t.Index):
		return fmt.Errorf("task was started already")
	case j.Wants(t.Kind) <= 0:
		return fmt.Errorf("job may not start another %s task now (%d eligible, %d running, %d done)",
			t.Kind, j.Eligible[t.Kind], j.Running[t.Kind], j.Done[t.Kind])
	case !n.Free.Fits(j.Need[t.Kind]):
		m := s.Topology.Model
		return fmt.Errorf("task needs %s, node has %s free", m.Describe(j.Need[t.Kind]), m.Describe(n.Free))
	}
	return nil
}

// End gives back the room of a running task. A task that was killed (done false) is pending again.
func (s *State) End(t model.Task, node model.NodeID, done bool) {
	s.leave(t, node)
	j := &s.Jobs[t.Job]
	if done {
		j.Done[t.Kind]++
		return
	}
	j.reopen(t)
}

// leave gives back the room of a running attempt.
func (s *State) leave(t model.Task, node model.NodeID) {
	j, n := &s.Jobs[t.Job], &s.Nodes[node]
	need := j.Need[t.Kind]
	n.Free = n.Free.Add(need)
	n.Running--
	s.use(need, -1)
	j.Running[t.Kind]--
}

func (s *State) use(need model.Room, sign int64) {
	for d, v := range need {
		s.Used[d] += sign * int64(v)
	}
}

// Free returns the unused room of the whole cluster.
func (s *State) Free() (free [model.Dims]int64) {
	for d := range free {
		free[d] = s.Total[d] - s.Used[d]
	}
	return free
}
