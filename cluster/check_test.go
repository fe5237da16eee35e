// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// busy returns a sound state: two nodes of (2 map, 1 reduce) slots; job 0 runs maps 0 and 2 on node 0
// and has ended map 1; job 1 waits for admission.
func busy(t *testing.T) (*State, []Attempt) {
	t.Helper()
	topology := &model.Topology{Racks: 1, Hosts: 2, Classes: []model.NodeClass{{Room: model.Room{2, 1}, Speed: 1}}, Nodes: make([]model.Node, 2)}
	need := [model.Kinds]model.Room{{1, 0}, {0, 1}}
	s := New(topology)
	s.AddJob(0, &model.Job{ID: 0, Maps: 5, Reduces: 2, Need: need}).Admit()
	s.AddJob(0, &model.Job{ID: 1, Maps: 1, Need: need})
	s.Active++
	for i, node := range []model.NodeID{0, 1, 0} {
		if _, err := s.Start(model.Task{Index: int32(i)}, node); err != nil {
			t.Fatal(err)
		}
	}
	s.End(model.Task{Index: 1}, 1, true)
	attempts := []Attempt{{model.Task{Index: 0}, 0}, {model.Task{Index: 2}, 0}}
	if err := s.Check(attempts); err != nil {
		t.Fatal("the sound state:", err)
	}
	return s, attempts
}

// A check that cannot fail proves nothing: every fault planted here must be named.
func TestCheckFindsPlantedFaults(t *testing.T) {
	for _, c := range []struct {
		name, says string
		plant      func(s *State, running []Attempt) []Attempt
	}{
		{"an oversold node", "node 0 is oversold", func(s *State, r []Attempt) []Attempt {
			s.Nodes[0].Free[0] = 1 // room that is not there
			task := model.Task{Index: 3}
			if _, err := s.Start(task, 0); err != nil {
				panic(err)
			}
			s.Nodes[0].Free[0] = -1 // what three maps leave of two slots
			return append(r, Attempt{task, 0})
		}},
		{"lost room", "node 1: room", func(s *State, r []Attempt) []Attempt { s.Nodes[1].Free[0]--; return r }},
		{"room out of nothing", "node 1: room", func(s *State, r []Attempt) []Attempt { s.Nodes[1].Free[1]++; return r }},
		{"a task that runs twice", "runs on node 0 and on node 1", func(_ *State, r []Attempt) []Attempt {
			return append(r, Attempt{r[0].Task, 1})
		}},
		{"a running task that nobody runs", "1 run", func(_ *State, r []Attempt) []Attempt { return r[:1] }},
		{"a task on another node", "node 0: room", func(_ *State, r []Attempt) []Attempt { r[0].Node = 1; return r }},
		{"a running task marked pending", "marked pending", func(s *State, r []Attempt) []Attempt {
			s.Job(0).started[model.Map].clear(2)
			return r
		}},
		{"a task that ended twice", "2 running, 2 done", func(s *State, r []Attempt) []Attempt { s.Job(0).Done[model.Map]++; return r }},
		{"a lost end", "0 done", func(s *State, r []Attempt) []Attempt { s.Job(0).Done[model.Map]--; return r }},
		{"a wrong count of the node", "counted 3", func(s *State, r []Attempt) []Attempt { s.Nodes[0].Running++; return r }},
		{"a wrong count of the job", "1 map tasks counted as running, 2 run", func(s *State, r []Attempt) []Attempt {
			s.Job(0).Running[model.Map]--
			return r
		}},
		{"a wrong sum of the cluster", "cluster: used", func(s *State, r []Attempt) []Attempt { s.Used[1]++; return r }},
		{"a wrong count of jobs", "1 jobs active, 2 counted", func(s *State, r []Attempt) []Attempt { s.Active++; return r }},
		{"a pending task that is passed over", "remembered 4", func(s *State, r []Attempt) []Attempt { s.Job(0).next[model.Map] = 4; return r }},
		{"a task of a job that has gone", "its job is not there", func(s *State, r []Attempt) []Attempt {
			s.Job(0).Leave()
			s.Active--
			s.RemoveJob(s.Job(0))
			return r
		}},
		{"a task of an ended job", "its job is ended", func(s *State, r []Attempt) []Attempt {
			s.Job(0).Leave()
			s.Active--
			return r
		}},
		{"a job that runs before it is admitted", "job 1 is waiting for admission and runs", func(s *State, r []Attempt) []Attempt {
			s.Job(1).Running[model.Map] = 1
			return r
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, attempts := busy(t)
			err := s.Check(c.plant(s, attempts))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("says %v, want %q", err, c.says)
			}
		})
	}
}

// All faults come at once.
func TestCheckReportsEveryFault(t *testing.T) {
	s, attempts := busy(t)
	s.Nodes[1].Free[0]--
	s.Active++
	err := s.Check(append(attempts, attempts[0]))
	for _, want := range []string{"node 1: room", "counted", "task {0 map 0} runs on node 0 and on node 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
}

// The refusal tells what is wrong in the words of the model.
func TestRefusalsSayWhy(t *testing.T) {
	s, _ := busy(t)
	for _, c := range []struct {
		task model.Task
		node model.NodeID
		says string
	}{
		{model.Task{Job: 0, Index: 3}, 0, "task needs 1 map + 0 reduce slots, node has 0 map + 1 reduce slots free"},
		{model.Task{Job: 0, Index: 0}, 1, "task was started already"},
		{model.Task{Job: 0, Index: 1}, 1, "task was started already"}, // it has ended, and is not pending either
		{model.Task{Job: 0, Index: 5}, 1, "job has 5 map tasks"},
		{model.Task{Job: 0, Kind: model.Reduce}, 1, "job may not start another reduce task now (0 eligible, 0 running, 0 done)"},
		{model.Task{Job: 1}, 1, "job is waiting for admission"},
		{model.Task{Job: 2}, 1, "no such job, kind or node"},
		{model.Task{Job: 0, Index: 3}, 2, "no such job, kind or node"},
		{model.Task{Job: model.None}, 0, "no such job, kind or node"},
	} {
		if _, err := s.Start(c.task, c.node); err == nil || err.Error() != c.says {
			t.Errorf("start of %v on %d: %v, want %q", c.task, c.node, err, c.says)
		}
	}
}
