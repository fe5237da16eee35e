// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/yardmaster/yardmaster/model"
)

// Attempt is a task that holds room on a node.
type Attempt struct {
	Task model.Task
	Node model.NodeID
}

// Check recomputes everything that State keeps incrementally from the list of running attempts and
// returns all disagreements: room oversold or lost, a task that runs twice, counts that do not
// match. It is slow and for tests and --check only.
func (s *State) Check(running []Attempt) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	used := make([]model.Room, len(s.Nodes))
	count := make([]int32, len(s.Nodes))
	perJob := make(map[model.JobID][model.Kinds]int32)
	seen := make(map[model.Task]model.NodeID, len(running))
	for _, a := range running {
		j := s.Job(a.Task.Job)
		if j == nil {
			fail("task %v runs but its job is not there", a.Task)
			continue
		}
		if other, twice := seen[a.Task]; twice && j.Doubled[a.Task.Kind] == 0 {
			fail("task %v runs on node %d and on node %d", a.Task, other, a.Node)
		}
		seen[a.Task] = a.Node
		if j.Phase != Admitted {
			fail("task %v runs but its job is %v", a.Task, j.Phase)
			continue
		}
		if !j.started[a.Task.Kind].has(a.Task.Index) && j.Doubled[a.Task.Kind] == 0 {
			fail("task %v runs but is marked pending", a.Task)
		}
		used[a.Node] = used[a.Node].Add(j.Need[a.Task.Kind])
		count[a.Node]++
		c := perJob[a.Task.Job]
		c[a.Task.Kind]++
		perJob[a.Task.Job] = c
	}
	var total [model.Dims]int64
	for i := range s.Nodes {
		n := &s.Nodes[i]
		used[i] = used[i].Add(n.Held)
		if n.Free.Add(used[i]) != n.Room || n.Running != count[i] {
			fail("node %d: room %v, free %v, used by %d tasks and masters %v, counted %d", i, n.Room, n.Free, count[i], used[i], n.Running)
		}
		for d := range n.Free {
			if n.Free[d] < 0 {
				fail("node %d is oversold: free %v", i, n.Free)
			}
			total[d] += int64(used[i][d])
		}
	}
	if total != s.Used {
		fail("cluster: used %v, running tasks hold %v", s.Used, total)
	}
	classes := make([]classRoom, len(s.classes))
	for i := range s.Nodes {
		c := &classes[s.Topology.Nodes[i].Class]
		if !s.Nodes[i].Lost {
			c.live++
		}
		for d, v := range s.Nodes[i].Free {
			c.free[d] += int64(v)
		}
	}
	for i := range classes {
		if free, live := s.FreeOf(uint8(i)); (classRoom{free, live}) != classes[i] {
			fail("nodes of class %d: %v free of %d nodes, counted %v", i, free, live, classes[i])
		}
	}
	active := 0
	for _, j := range s.Jobs() {
		if j.Phase == Admitted {
			active++
			errs = append(errs, j.check(perJob[j.ID])...)
		} else if j.Running != [model.Kinds]int32{} {
			fail("job %d is %v and runs %v tasks", j.ID, j.Phase, j.Running)
		}
	}
	if active != s.Active {
		fail("%d jobs active, %d counted", active, s.Active)
	}
	return errors.Join(errs...)
}

func (j *Job) check(running [model.Kinds]int32) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for k := range model.Kind(model.Kinds) {
		if j.Running[k] != running[k] {
			fail("job %d: %d %s tasks counted as running, %d run", j.ID, j.Running[k], k, running[k])
		}
		started := int32(0)
		for _, w := range j.started[k].words() {
			started += int32(bits.OnesCount64(w))
		}
		if started != j.Running[k]+j.Done[k]-j.Doubled[k] || started > j.Total[k] {
			fail("job %d: %d %s tasks started, %d running, %d done of %d, %d doubled", j.ID, started, k, j.Running[k], j.Done[k], j.Total[k], j.Doubled[k])
		}
		if first := j.started[k].nextClear(0, j.Total[k]); first != j.next[k] {
			fail("job %d: first pending %s task is %d, remembered %d", j.ID, k, first, j.next[k])
		}
	}
	return errs
}
