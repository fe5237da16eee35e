// SPDX-License-Identifier: Apache-2.0

// Package cluster is the concrete state of a shared cluster: nodes with their free room, and jobs
// with their pending, running and finished tasks. It holds what a resource manager could know: no
// task lengths, no bytes that tasks have yet to make, no future arrivals. A driver (the engine, a
// live cluster) changes it, policies read it.
//
// Jobs come with AddJob and go with RemoveJob, nodes come with AddNode and go with Lose; memory
// follows the jobs that are there. Starting or ending a task is O(1).
package cluster

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/internal/slab"
	"github.com/yardmaster/yardmaster/model"
)

// State is the cluster at one moment.
type State struct {
	Topology *model.Topology // of the nodes that have come so far
	Nodes    []Node
	Queues   []string // names of the queues that jobs have named so far, indexed by Job.Queue
	Users    []string // names of the users, indexed by Job.User
	Total    [model.Dims]int64
	Used     [model.Dims]int64
	Active   int   // jobs admitted and not ended
	Changes  int64 // while it stays the same, jobs that are there and admitted want what they wanted

	byID   []*Job // nil before the job comes and after it has gone
	bySlot slab.Of[Job]
	free   []int32 // free slots, the last one being taken next
	queues interner
	users  interner
	list   []*Job // scratch of Jobs

	classes []classRoom
}

// Node is one worker.
type Node struct {
	Free    model.Room
	Room    model.Room
	Rack    model.RackID
	Held    model.Room // by containers that are not tasks
	Running int32
	Lost    bool // it has no room until it returns
}

// New returns a cluster of the topology's nodes without any job. The state keeps a copy of the
// topology, which grows with AddNode.
func New(topology *model.Topology) *State {
	own := *topology
	own.Nodes = slices.Clone(topology.Nodes)
	s := &State{Topology: &own, Nodes: make([]Node, len(own.Nodes)), Total: own.Total(), classes: make([]classRoom, len(own.Classes))}
	for i := range s.Nodes {
		s.Nodes[i] = newNode(&own, s.classes, own.Nodes[i])
	}
	return s
}

// newNode returns a node of a topology, whose room is added to that of its class.
func newNode(t *model.Topology, classes []classRoom, n model.Node) Node {
	room := t.Classes[n.Class].Room
	classes[n.Class].furnish(room, 1)
	return Node{Free: room, Room: room, Rack: n.Rack}
}

// AddNode adds a node that nobody has seen before and returns its number. Its rack and class are
// known to the topology.
func (s *State) AddNode(n model.Node) model.NodeID {
	s.Topology.Nodes = append(s.Topology.Nodes, n)
	s.Topology.Hosts = max(s.Topology.Hosts, int(n.Host)+1)
	s.Nodes = append(s.Nodes, newNode(s.Topology, s.classes, n))
	for d, v := range s.Topology.Classes[n.Class].Room {
		s.Total[d] += int64(v)
	}
	return model.NodeID(len(s.Nodes) - 1)
}

// AddJob makes a job known that is submitted now, and returns it, valid until it is removed. No two jobs have the same ID.
func (s *State) AddJob(now model.Time, spec *model.Job) *Job {
	slot := s.bySlot.Len()
	if n := len(s.free); n > 0 {
		slot, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.bySlot.Grow(slot + 1)
	}
	j := s.bySlot.At(slot)
	*j = newJob(spec, now)
	j.Slot = slot
	j.Queue, s.Queues = s.queues.id(spec.Queue, s.Queues)
	j.User, s.Users = s.users.id(spec.User, s.Users)
	for int(j.ID) >= len(s.byID) {
		s.byID = append(s.byID, nil)
	}
	s.byID[j.ID] = j
	return j
}

// RemoveJob forgets a job that has left. Its slot, and its memory with it, goes to a job that comes later.
func (s *State) RemoveJob(j *Job) {
	s.byID[j.ID] = nil
	s.free = append(s.free, j.Slot)
}

// Job returns the job with the ID, or nil if it is not there.
func (s *State) Job(id model.JobID) *Job {
	if id < 0 || int(id) >= len(s.byID) {
		return nil
	}
	return s.byID[id]
}

// Len returns the number of jobs that are there.
func (s *State) Len() int { return int(s.bySlot.Len()) - len(s.free) }

// At returns the job in a slot, which must be taken.
func (s *State) At(slot int32) *Job { return s.bySlot.At(slot) }

// Jobs returns the jobs that are there in order of their IDs. The list is valid until the next call.
// It costs O(jobs log jobs), so decisions do not use it.
func (s *State) Jobs() []*Job {
	s.list = s.list[:0]
	for slot := range s.bySlot.Len() {
		if j := s.bySlot.At(slot); s.byID[j.ID] == j { // else it has gone
			s.list = append(s.list, j)
		}
	}
	slices.SortFunc(s.list, func(a, b *Job) int { return cmp.Compare(a.ID, b.ID) })
	return s.list
}

// interner numbers strings in order of first appearance.
type interner map[string]int32

// id returns the number of the name among those seen so far, and the names with it.
func (in *interner) id(name string, names []string) (int32, []string) {
	if id, ok := (*in)[name]; ok {
		return id, names
	}
	if *in == nil {
		*in = interner{}
	}
	id := int32(len(names))
	(*in)[name] = id
	return id, append(names, name)
}

// Start is StartOf for the job with the number that the task names, which it returns.
func (s *State) Start(t model.Task, node model.NodeID) (*Job, error) {
	j := s.Job(t.Job)
	if err := s.StartOf(j, t, node); err != nil {
		return nil, err
	}
	return j, nil
}

// StartOf takes room on node for a pending task of the job. It fails, and changes nothing, if the job is nil or not the task's, if it
// may not start a task of that kind now, the task is not pending, or the room does not suffice.
func (s *State) StartOf(j *Job, t model.Task, node model.NodeID) error {
	if j == nil || node < 0 || int(node) >= len(s.Nodes) || t.Kind >= model.Kinds {
		return fmt.Errorf("no such job, kind or node")
	}
	n, need := &s.Nodes[node], &j.Need[t.Kind]
	if j.ID != t.Job || j.Phase != Admitted || t.Index < 0 || t.Index >= j.Total[t.Kind] || j.started[t.Kind].has(t.Index) ||
		j.Wants(t.Kind) <= 0 || !n.Free.Holds(need) {
		return unstartable(s.Topology.Model, j, t, n)
	}
	n.Free.Take(need)
	n.Running++
	s.use(node, need, 1)
	j.take(t.Kind, t.Index)
	return nil
}

// unstartable says why the task may not start on the node, in words for the person who has to find the cause.
func unstartable(m model.RoomModel, j *Job, t model.Task, n *Node) error {
	switch {
	case j.ID != t.Job:
		return fmt.Errorf("the task is not one of job %d", j.ID)
	case j.Phase != Admitted:
		return fmt.Errorf("job is %v", j.Phase)
	case t.Index < 0 || t.Index >= j.Total[t.Kind]:
		return fmt.Errorf("job has %d %s tasks", j.Total[t.Kind], t.Kind)
	case j.started[t.Kind].has(t.Index):
		return fmt.Errorf("task was started already")
	case j.Wants(t.Kind) <= 0:
		return fmt.Errorf("job may not start another %s task now (%d eligible, %d running, %d done)",
			t.Kind, j.Eligible[t.Kind], j.Running[t.Kind], j.Done[t.Kind])
	}
	return fmt.Errorf("task needs %s, node has %s free", m.Describe(j.Need[t.Kind]), m.Describe(n.Free))
}

// Let sets how many tasks of kind k of the job may have been started by now.
func (s *State) Let(j *Job, k model.Kind, eligible int32) {
	if j.Eligible[k] != eligible {
		j.Eligible[k] = eligible
		s.Changes++
	}
}

// End gives back the room of a running task. A task that was killed (done false) is pending again.
func (s *State) End(t model.Task, node model.NodeID, done bool) {
	j := s.byID[t.Job]
	if done {
		s.Finish(j, t.Kind, node)
		return
	}
	s.leave(j, t.Kind, node)
	j.reopen(t)
}

// Finish gives back the room of a running task of the job whose work is done.
func (s *State) Finish(j *Job, k model.Kind, node model.NodeID) {
	s.leave(j, k, node)
	j.Done[k]++
}

// leave gives back the room of a running attempt of the job.
func (s *State) leave(j *Job, k model.Kind, node model.NodeID) {
	n, need := &s.Nodes[node], &j.Need[k]
	n.Free.Give(need)
	n.Running--
	s.use(node, need, -1)
	j.Running[k]--
}

func (s *State) use(node model.NodeID, need *model.Room, sign int64) {
	s.Changes++
	s.Used[0] += sign * int64(need[0]) // a loop takes longer
	s.Used[1] += sign * int64(need[1])
	if len(s.classes) == 1 { // its room is that of the cluster
		return
	}
	free := &s.classes[s.Topology.Nodes[node].Class].free
	for d := range need {
		free[d] -= sign * int64(need[d])
	}
}

// classRoom is what the nodes of a class have together.
type classRoom struct {
	free [model.Dims]int64 // counts where there are several classes
	live int               // nodes that are not lost
}

// furnish adds the room of a node of the class, empty, or takes it away.
func (c *classRoom) furnish(room model.Room, sign int) {
	c.live += sign
	for d, v := range room {
		c.free[d] += int64(sign) * int64(v)
	}
}

// FreeOf returns the unused room of the nodes of a class, and how many of them there are.
func (s *State) FreeOf(class uint8) (free [model.Dims]int64, nodes int) {
	c := &s.classes[class]
	if len(s.classes) == 1 {
		return s.Free(), c.live
	}
	return c.free, c.live
}

// Free returns the unused room of the whole cluster.
func (s *State) Free() (free [model.Dims]int64) {
	for d := range free {
		free[d] = s.Total[d] - s.Used[d]
	}
	return free
}
