// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/internal/slab"
	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// fate is what the twin knows of a task.
type fate uint8

const (
	pending fate = iota
	running
	done
)

// machine drives a State and a twin that keeps one fate for each task and the list of running attempts.
type machine struct {
	state   *State
	jobs    []model.Job
	known   []*Job                // by job: nil before it comes; ended ones are remembered after they have gone
	tasks   []map[model.Task]fate // by job
	running []Attempt
	most    int // jobs that were there at a time
}

func newMachine(t *rapid.T) *machine {
	m := &machine{}
	room := map[model.RoomModel][]model.Room{
		model.Slots: {{2, 1}, {6, 2}}, model.Containers: {{3, 0}, {8, 0}}, model.Yarn: {{4096, 4}, {2048, 8}},
	}
	kind := rapid.SampledFrom([]model.RoomModel{model.Slots, model.Containers, model.Yarn}).Draw(t, "model")
	topology := &model.Topology{Model: kind, Racks: rapid.IntRange(1, 3).Draw(t, "racks")}
	for _, r := range room[kind] {
		topology.Classes = append(topology.Classes, model.NodeClass{Room: r, Speed: 1})
	}
	for i := range rapid.IntRange(1, 40).Draw(t, "nodes") {
		topology.Nodes = append(topology.Nodes, model.Node{Class: uint8(i % 2), Rack: model.RackID(i % topology.Racks), Host: model.HostID(i)})
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		j := model.Job{ID: model.JobID(i), User: fmt.Sprint("u", i%2), Queue: fmt.Sprint("q", i%3), After: model.None,
			Maps:    rapid.SampledFrom([]int32{0, 1, 5, 63, 64, 65, 130}).Draw(t, "maps"), // around the words of a taskSet
			Reduces: rapid.Int32Range(0, 4).Draw(t, "reduces"),
			Need:    [model.Kinds]model.Room{kind.Need(model.Map), kind.Need(model.Reduce)}}
		if kind == model.Yarn {
			j.Need = [model.Kinds]model.Room{{int32(512 * (1 + i)), 1}, {1024, 2}}
		}
		m.jobs = append(m.jobs, j)
		m.tasks = append(m.tasks, map[model.Task]fate{})
	}
	m.known = make([]*Job, len(m.jobs))
	m.state = New(topology)
	return m
}

func (m *machine) count(job model.JobID, k model.Kind, f fate) (n int32) {
	for i := range m.jobs[job].Tasks(k) {
		if m.tasks[job][model.Task{Job: job, Kind: k, Index: i}] == f {
			n++
		}
	}
	return n
}

// free is the twin's room on a node: what it has minus what runs there.
func (m *machine) free(node model.NodeID) model.Room {
	t := m.state.Topology
	free := t.Classes[t.Nodes[node].Class].Room
	for _, a := range m.running {
		if a.Node == node {
			free = free.Sub(m.jobs[a.Task.Job].Need[a.Task.Kind])
		}
	}
	return free
}

// legal is the twin's opinion on a start; the task and the node may not even exist.
func (m *machine) legal(t model.Task, node model.NodeID) bool {
	if t.Job < 0 || int(t.Job) >= len(m.jobs) || t.Kind >= model.Kinds || node < 0 || int(node) >= len(m.state.Nodes) {
		return false
	}
	j := m.known[t.Job]
	return j != nil && j.Phase == Admitted && t.Index >= 0 && t.Index < m.jobs[t.Job].Tasks(t.Kind) && m.tasks[t.Job][t] == pending &&
		m.count(t.Job, t.Kind, running)+m.count(t.Job, t.Kind, done) < j.Eligible[t.Kind] &&
		m.free(node).Fits(m.jobs[t.Job].Need[t.Kind])
}

// copyOf returns a copy of the state that shares nothing that may change.
func copyOf(s *State) *State {
	c := *s
	c.Nodes, c.byID, c.bySlot, c.free = slices.Clone(s.Nodes), slices.Clone(s.byID), slab.Of[Job]{}, slices.Clone(s.free)
	c.bySlot.Grow(s.bySlot.Len())
	for slot := range s.bySlot.Len() {
		j, own := s.bySlot.At(slot), c.bySlot.At(slot)
		*own = *j
		for k := range own.started {
			own.started[k].large = slices.Clone(own.started[k].large)
		}
		if c.byID[own.ID] == j {
			c.byID[own.ID] = own
		}
	}
	return &c
}

// start tries a start, legal or not.
func (m *machine) start(t *rapid.T, task model.Task, node model.NodeID) {
	legal, before := m.legal(task, node), copyOf(m.state)
	_, err := m.state.Start(task, node)
	if legal != (err == nil) {
		t.Fatalf("start of %v on node %d: %v; the twin says legal: %t", task, node, err, legal)
	}
	if err != nil {
		if !reflect.DeepEqual(before, m.state) {
			t.Fatalf("the refused start of %v on node %d changed the state from\n%+v to\n%+v", task, node, before, m.state)
		}
		return
	}
	m.tasks[task.Job][task] = running
	m.running = append(m.running, Attempt{task, node})
}

func (m *machine) end(t *rapid.T, to fate) {
	if len(m.running) == 0 {
		t.Skip("nothing runs")
	}
	i := rapid.IntRange(0, len(m.running)-1).Draw(t, "attempt")
	a := m.running[i]
	m.running = slices.Delete(m.running, i, i+1)
	m.state.End(a.Task, a.Node, to == done)
	m.tasks[a.Task.Job][a.Task] = to
	if j := m.known[a.Task.Job]; j.Complete() {
		j.Leave()
		m.state.Active--
	}
}

// job draws a job that has come; it may have ended and gone.
func (m *machine) job(t *rapid.T) *Job {
	j := m.known[rapid.IntRange(0, len(m.jobs)-1).Draw(t, "job")]
	if j == nil {
		t.Skip("not there yet")
	}
	return j
}

// checkJobs compares the jobs that the state has with those that came and have not gone.
func (m *machine) checkJobs(t *rapid.T) {
	var there []*Job
	slots := map[int32]bool{}
	for _, j := range m.known {
		if j == nil || j.Slot == model.None {
			continue
		}
		there = append(there, j)
		if slots[j.Slot] || m.state.Job(j.ID) != j || m.state.At(j.Slot) != j {
			t.Fatalf("job %d in slot %d; the state has job %v there", j.ID, j.Slot, m.state.At(j.Slot))
		}
		slots[j.Slot] = true
	}
	if got := m.state.Jobs(); !slices.Equal(got, there) {
		t.Fatalf("jobs %v, the twin says %v", got, there)
	}
	if int(m.state.bySlot.Len()) > m.most {
		t.Fatalf("%d slots, and never more than %d jobs at a time", m.state.bySlot.Len(), m.most)
	}
}

func (m *machine) check(t *rapid.T) {
	if err := m.state.Check(m.running); err != nil {
		t.Fatal(err)
	}
	m.checkJobs(t)
	var used [model.Dims]int64
	for _, j := range m.known {
		if j == nil {
			continue
		}
		m.checkJob(t, j)
		for d := range used {
			used[d] += j.Used(d)
		}
	}
	for d, free := range m.state.Free() {
		if free != m.state.Topology.Total()[d]-used[d] {
			t.Fatalf("free %v, total %v, used %v", m.state.Free(), m.state.Topology.Total(), used)
		}
	}
}

// checkJob recounts a job from the fates of its tasks.
func (m *machine) checkJob(t *rapid.T, j *Job) {
	for k := range model.Kind(model.Kinds) {
		first, started := int32(model.None), make([]uint64, max(int(j.Total[k]+63)/64, len(taskSet{}.small)))
		for i := j.Total[k] - 1; i >= 0; i-- {
			if m.tasks[j.ID][model.Task{Job: j.ID, Kind: k, Index: i}] == pending {
				first = i
			} else {
				started[i>>6] |= 1 << (i & 63)
			}
		}
		runs, ended := m.count(j.ID, k, running), m.count(j.ID, k, done)
		if j.Running[k] != runs || j.Done[k] != ended || j.Pending(k) != m.count(j.ID, k, pending) || j.Wants(k) != j.Eligible[k]-runs-ended {
			t.Fatalf("job %d, %s: %+v; the twin says %d running, %d done", j.ID, k, j, runs, ended)
		}
		if j.Phase == Admitted && (j.First(k) != first || !slices.Equal(j.Started(k), started)) {
			t.Fatalf("job %d, %s: first %d, started %x; the twin says %d, %x", j.ID, k, j.First(k), j.Started(k), first, started)
		}
	}
	if done := m.count(j.ID, model.Map, done) == j.Total[model.Map]; j.MapsDone() != done {
		t.Fatalf("job %d: maps done %t, the twin says %t", j.ID, j.MapsDone(), done)
	}
}

func TestStateFollowsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		legalStart := func(t *rapid.T) bool {
			j := m.job(t)
			k := model.Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
			node := model.NodeID(rapid.IntRange(0, len(m.state.Nodes)-1).Draw(t, "node"))
			for i := range j.Total[k] {
				i = (i*7 + int32(node)) % j.Total[k] // not in order of index
				if task := (model.Task{Job: j.ID, Kind: k, Index: i}); m.legal(task, node) {
					m.start(t, task, node)
					return true
				}
			}
			return false
		}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				id := rapid.IntRange(0, len(m.jobs)-1).Draw(t, "job")
				if m.known[id] != nil {
					t.Skip("known already")
				}
				j := m.state.AddJob(0, &m.jobs[id])
				m.known[id], m.most = j, max(m.most, len(m.state.Jobs()))
				if rapid.Bool().Draw(t, "admit at once") && j.Total != [model.Kinds]int32{} {
					j.Admit()
					m.state.Active++
				}
			},
			"go": func(t *rapid.T) {
				if j := m.job(t); j.Phase == Ended && j.Slot != model.None {
					gone := *j // its memory is another job's from now on
					m.state.RemoveJob(j)
					gone.Slot = model.None // the twin's mark
					m.known[gone.ID] = &gone
				}
			},
			"a node comes": func(t *rapid.T) {
				m.state.AddNode(model.Node{Class: uint8(rapid.IntRange(0, 1).Draw(t, "class"))})
			},
			"reduces eligible": func(t *rapid.T) {
				if j := m.job(t); j.Phase == Admitted {
					least := j.Running[model.Reduce] + j.Done[model.Reduce]
					j.Eligible[model.Reduce] = rapid.Int32Range(least, j.Total[model.Reduce]).Draw(t, "eligible")
				}
			},
			"start": func(t *rapid.T) {
				if !legalStart(t) {
					t.Skip("no legal start")
				}
			},
			"start many": func(t *rapid.T) {
				for range 20 {
					legalStart(t)
				}
			},
			"start anything": func(t *rapid.T) {
				m.start(t, model.Task{
					Job:   model.JobID(rapid.IntRange(-1, len(m.jobs)).Draw(t, "job")),
					Kind:  model.Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
					Index: rapid.Int32Range(-1, 140).Draw(t, "index"),
				}, model.NodeID(rapid.IntRange(-1, len(m.state.Nodes)).Draw(t, "node")))
			},
			"end":  func(t *rapid.T) { m.end(t, done) },
			"kill": func(t *rapid.T) { m.end(t, pending) },
			"":     m.check,
		})
	})
}

// Weight, goal, queue and user of a job come from the workload, its times from when it is submitted.
func TestJobOfWorkload(t *testing.T) {
	s := New(&model.Topology{Racks: 1, Classes: []model.NodeClass{{Room: model.Room{1, 1}}}, Nodes: []model.Node{{}}})
	a := s.AddJob(12, &model.Job{ID: 0, User: "ann", Queue: "prod", Goal: 30, Weight: 2, Priority: model.High})
	if !slices.Equal(s.Queues, []string{"prod"}) || !slices.Equal(s.Users, []string{"ann"}) || s.Job(1) != nil {
		t.Errorf("before its submission a job is known: queues %v, users %v", s.Queues, s.Users)
	}
	b := s.AddJob(13, &model.Job{ID: 1, User: "bob", Queue: "prod"})
	c := s.AddJob(13, &model.Job{ID: 2, User: "ann", Queue: "test"})
	if !slices.Equal(s.Queues, []string{"prod", "test"}) || !slices.Equal(s.Users, []string{"ann", "bob"}) {
		t.Errorf("queues %v, users %v", s.Queues, s.Users)
	}
	if a.Weight != 2 || b.Weight != 1 || a.Priority != model.High ||
		a.Queue != b.Queue || a.User != c.User || c.Queue != 1 || b.User != 1 {
		t.Errorf("jobs %+v, %+v, %+v", a, b, c)
	}
	if a.Goal != 42 || b.Goal != model.Forever || a.Phase != Submitted || a.Submit != 12 {
		t.Errorf("goals %v and %v", a.Goal, b.Goal)
	}
}
