// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// TestNoStarvation submits a job to a saturated cluster while others of equal rank keep coming, more
// than can be served, and bounds its waiting.
//
// The bound: when the job arrives, at most `before` tasks of earlier jobs are unstarted. Under fifo
// those go first; under fair every earlier job has been served or comes first once, and no later
// job comes before this one. So its first task starts when as many tasks as there are earlier ones
// have been started, and one more slot is free: (before + slots) / slots rounds of the longest
// task. A locality delay adds its own time for each of these rounds.
func TestNoStarvation(t *testing.T) {
	for i := range policies.All {
		e := &policies.All[i]
		if e.Promises&policy.StarvationFree == 0 {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			var params any
			if e.Params != nil {
				params = e.Params()
			}
			rapid.Check(t, func(t *rapid.T) { starvesNobody(t, e, params) })
		})
	}
}

func starvesNobody(t *rapid.T, e *policy.Entry, params any) {
	c, before := stream(fromRapid(t))
	events, err := c.run(e, params)
	if err != nil {
		t.Fatal(err)
	}
	slots := int(c.Topology.Total()[0])
	bound := model.Time((before+slots)/slots+1) * (c.Jobs[0].MapLength.Mean + 10*model.Second)
	if wait := waited(events, model.JobID(c.victim())); wait > bound {
		t.Errorf("policy %s: job %d waited for %v; %d tasks came before it on %d slots, so at most %v\n%v", e.Name, c.victim(), wait, before, slots, bound, c)
	}
}

// TestNoStarvationWithoutGoal submits a job without a goal while jobs with goals that cannot be met keep
// the cluster full: it starts after the time patience, as soon as a task ends and needs are worked out.
func TestNoStarvationWithoutGoal(t *testing.T) {
	for _, name := range []string{"deadline-min", "deadline-max"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, _ := stream(fromRapid(t))
				for i := range c.Jobs {
					if i != c.victim() {
						c.Jobs[i].Goal = model.Second
					}
				}
				e, _ := find(name)
				events, err := c.run(e, paramsOf(e, "patience: 30s"))
				if err != nil {
					t.Fatal(err)
				}
				bound := 30*model.Second + c.Jobs[0].MapLength.Mean + 3*model.Second
				if wait := waited(events, model.JobID(c.victim())); wait > bound {
					t.Errorf("job %d waited for %v, at most %v are allowed\n%v", c.victim(), wait, bound, c)
				}
			})
		})
	}
}

// victim is the job that the stream must not starve: the one named so.
func (c *Case) victim() int {
	for i := range c.Jobs {
		if c.Jobs[i].Name == "victim" {
			return i
		}
	}
	return -1
}

// stream draws a saturated cluster: some jobs, the victim, then a stream of jobs that offers more
// work than the cluster can do. It returns how many tasks came before the victim.
func stream(d Draw) (c *Case, before int) {
	m := []model.RoomModel{model.Slots, model.Containers}[d("room", 0, 1)]
	c = small(m, d("nodes", 1, 3), model.Room{int32(d("slots", 1, 3)), 1 - int32(m)})
	c.Seed = uint64(d("seed", 1, 100))
	slots := int(c.Topology.Total()[0])
	length := model.Time(d("length", 1, 10)) * model.Second
	input := func(j *model.Job) { j.Input = model.Bytes(j.Maps) * model.MiB }
	for range d("earlier", 1, 5) {
		n := d("earlier-maps", 1, 6)
		before += n
		c.add(0, int32(n), 0, length, input)
	}
	c.add(model.Second, 1, 0, length, func(j *model.Job) { input(j); j.Name = "victim" })
	at := model.Second
	for range 40 { // each brings more than the slots can do until the next one
		n := d("later-maps", 1, 4)
		c.add(at, int32(n), 0, length, input)
		at += length * model.Time(n) * 8 / model.Time(10*slots)
	}
	return c, before
}

// waited returns how long the job waited for its first task.
func waited(events []record.Event, job model.JobID) model.Time {
	submit := model.Time(0)
	for i := range events {
		e := &events[i]
		if e.Task.Job != job {
			continue
		}
		if e.Kind == record.JobSubmitted {
			submit = e.Time
		}
		if e.Kind == record.TaskStarted {
			return e.Time - submit
		}
	}
	return model.Forever
}

// TestFifoOrder checks the rule itself: within a priority and a kind of task, jobs whose tasks take
// the same room start their first tasks in the order in which they were submitted.
func TestFifoOrder(t *testing.T) {
	e, _ := find("fifo")
	rapid.Check(t, func(t *rapid.T) {
		c := Generate(fromRapid(t))
		if c.Topology.Model == model.Yarn { // needs differ, and what fits goes first
			c.Jobs = c.Jobs[:0]
		}
		events, err := c.run(e, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := inOrder(c, events); err != nil {
			t.Errorf("%v\n%v", err, c)
		}
	})
}

func inOrder(c *Case, events []record.Event) error {
	type level struct {
		kind     model.Kind
		priority model.Priority
	}
	submitted := map[model.JobID]model.Time{}
	started := map[model.Task]bool{}
	last := map[level]model.JobID{}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case record.JobSubmitted:
			submitted[e.Task.Job] = e.Time
		case record.TaskStarted:
			id := e.Task.Job
			mark := model.Task{Job: id, Kind: e.Task.Kind}
			if started[mark] || e.Task.Kind == model.Reduce { // reduces follow their maps, not the order of jobs
				continue
			}
			started[mark] = true
			l := level{e.Task.Kind, c.Jobs[id].Priority}
			if before, ok := last[l]; ok && submitted[before] > submitted[id] {
				return fmt.Errorf("job %d, submitted at %v, started before job %d, submitted at %v", before, submitted[before], id, submitted[id])
			}
			last[l] = id
		}
	}
	return nil
}
