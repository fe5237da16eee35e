// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// Break makes things go wrong in a case: nodes and racks are lost and return, tasks straggle, some are tried twice.
func (c *Case) Break(d Draw) {
	f := &c.Config.Faults
	for range d("losses", 0, 4) {
		loss := mishap.Loss{Node: model.NodeID(d("lost-node", 0, len(c.Topology.Nodes)-1)),
			At: model.Time(d("lost-at", 0, 40)) * model.Second / 2, For: model.Time(d("lost-for", 1, 20)) * model.Second}
		if d.chance("lost-rack", 4) {
			rack := int32(c.Topology.Nodes[loss.Node].Rack)
			loss.Node, loss.Rack = 0, &rack
		}
		f.Losses = append(f.Losses, loss)
	}
	if d.chance("random-losses", 3) {
		f.MeanUptime, f.MeanRepair = 20*model.Minute, 5*model.Second
	}
	f.Expiry = []model.Time{0, 3 * model.Second, 10 * model.Minute}[d("expiry", 0, 2)]
	f.Stragglers = costs.Stragglers{Share: model.Fraction(d("stragglers", 0, 2)) * 0.2, Slowdown: 3, CV: 0.5}
	f.Speculation = mishap.Speculate{On: d.chance("speculation", 2), Interval: 2 * model.Second, Slower: 1.2,
		After: model.Second, Share: 0.5}
}

// TestFaults runs every policy with nodes that come and go: all invariants hold at every event, every
// task ends exactly once in the end, nothing runs on a lost node, and a second run gives the same events.
func TestFaults(t *testing.T) {
	eachPolicy(t, func(t *rapid.T, e *policy.Entry) {
		c := Generate(fromRapid(t))
		if rapid.Bool().Draw(t, "shared") {
			c.Share(fromRapid(t))
		}
		c.Break(fromRapid(t))
		params, text := Params(fromRapid(t), e)
		if !suits(c, params) {
			return
		}
		log, collector, alone := &record.Log{}, metrics.NewCollector(c.Topology, c.Jobs), metrics.NewCollector(c.Topology, c.Jobs)
		in := c.Input(e, params, record.Tee{log, collector, alone})
		in.Check, in.Estimates = 1, collector.Estimates()
		events := 0
		in.Inspect = func(now model.Time, _ *cluster.State) error { // lost nodes can keep a task from ending for long
			if events++; events > 500_000 {
				return fmt.Errorf("the run does not end: it is %v", now)
			}
			return nil
		}
		again := &record.Log{}
		must := func(err error) {
			if err != nil {
				t.Fatalf("%v\n%s%+v\n%v", err, text, c.Config.Faults, c)
			}
		}
		result, err := engine.Run(in)
		must(err)
		must(sameTraffic(result.Traffic, log.Events))
		must(auditFaults(c, log.Events, false))
		run := collector.Run(nil)
		must(run.Check())
		if !c.Config.Faults.Nodes() { // else a policy knows how much room is left when a job starts
			must(sameForecasts(run, alone.Run(nil)))
		}
		_, err = engine.Run(c.Input(e, params, again))
		must(err)
		must(sameEvents(log.Events, again.Events))
	})
}

// faultAudit is an accountant of attempts for runs in which things go wrong.
type faultAudit struct {
	c       *Case
	running map[model.Task]map[uint8]model.NodeID
	numbers map[model.Task]uint8 // next number
	done    map[model.Task]bool
	maps    []int32 // ended, by job
	used    []model.Room
	lost    []bool
	refused []bool // by job

	restarts bool // jobs may begin anew
}

func auditFaults(c *Case, events []record.Event, restarts bool) error {
	a := &faultAudit{c: c, running: map[model.Task]map[uint8]model.NodeID{}, numbers: map[model.Task]uint8{}, done: map[model.Task]bool{},
		maps: make([]int32, len(c.Jobs)), used: make([]model.Room, len(c.Topology.Nodes)), lost: make([]bool, len(c.Topology.Nodes)),
		refused: make([]bool, len(c.Jobs)), restarts: restarts}
	for i := range events {
		e := &events[i]
		if i > 0 && e.Time > events[i-1].Time {
			for n := range a.lost {
				if a.lost[n] && !a.used[n].IsZero() {
					return fmt.Errorf("before %v: tasks hold %v on lost node %d", e.Time, a.used[n], n)
				}
			}
		}
		if e.Attempt == 255 {
			return nil // attempts stop counting here
		}
		if err := a.event(e); err != nil {
			return fmt.Errorf("at %v, %v of job %d, %v %d, attempt %d, node %d: %w", e.Time, e.Kind, e.Task.Job, e.Task.Kind, e.Task.Index, e.Attempt, e.Node, err)
		}
	}
	return nil
}

func (a *faultAudit) event(e *record.Event) error {
	switch e.Kind {
	case record.NodeLost:
		a.lost[e.Node] = true
	case record.NodeReturned:
		a.lost[e.Node] = false
	case record.TaskStarted:
		return a.start(e)
	case record.TaskEnded, record.TaskKilled, record.TaskDropped:
		return a.stop(e)
	case record.TaskComputing:
		if a.maps[e.Task.Job] != a.c.Jobs[e.Task.Job].Maps {
			return fmt.Errorf("%d of %d maps done", a.maps[e.Task.Job], a.c.Jobs[e.Task.Job].Maps)
		}
	case record.TaskUndone:
		if !a.done[e.Task] || e.Task.Kind != model.Map && !a.restarts {
			return fmt.Errorf("the task had not ended, or is not a map")
		}
		a.done[e.Task] = false
		if e.Task.Kind == model.Map {
			a.maps[e.Task.Job]--
		}
	case record.JobRefused:
		a.refused[e.Task.Job] = true
	case record.JobAdmitted:
		if a.refused[e.Task.Job] {
			return fmt.Errorf("the job was refused")
		}
	case record.JobEnded:
		return a.jobEnded(e.Task.Job)
	}
	return nil
}

func (a *faultAudit) start(e *record.Event) error {
	node := &a.c.Topology.Nodes[e.Node]
	a.used[e.Node] = a.used[e.Node].Add(a.c.Jobs[e.Task.Job].Need[e.Task.Kind])
	switch {
	case a.lost[e.Node]:
		return fmt.Errorf("the node is lost")
	case !a.c.Topology.Classes[node.Class].Room.Fits(a.used[e.Node]):
		return fmt.Errorf("node oversold: %v", a.used[e.Node])
	case a.done[e.Task]:
		return fmt.Errorf("the task has ended")
	case e.Attempt < a.numbers[e.Task]:
		return fmt.Errorf("attempt %d was there before", e.Attempt)
	case len(a.running[e.Task]) > 0 && !a.c.Config.Faults.Speculation.On || len(a.running[e.Task]) > 1:
		return fmt.Errorf("%d attempts run already", len(a.running[e.Task]))
	}
	a.numbers[e.Task] = e.Attempt + 1
	if a.running[e.Task] == nil {
		a.running[e.Task] = map[uint8]model.NodeID{}
	}
	a.running[e.Task][e.Attempt] = e.Node
	return nil
}

func (a *faultAudit) stop(e *record.Event) error {
	if e.Kind == record.TaskDropped && e.Node == model.None {
		return nil
	}
	if node, ok := a.running[e.Task][e.Attempt]; !ok || node != e.Node {
		return fmt.Errorf("the attempt does not run there")
	}
	delete(a.running[e.Task], e.Attempt)
	a.used[e.Node] = a.used[e.Node].Sub(a.c.Jobs[e.Task.Job].Need[e.Task.Kind])
	if e.Length < 0 {
		return fmt.Errorf("worked for %v", e.Length)
	}
	if e.Kind == record.TaskEnded {
		if a.done[e.Task] {
			return fmt.Errorf("the task ended before")
		}
		a.done[e.Task] = true
		if e.Task.Kind == model.Map {
			a.maps[e.Task.Job]++
		}
	}
	return nil
}

func (a *faultAudit) jobEnded(id model.JobID) error {
	for k := range model.Kind(model.Kinds) {
		for i := range a.c.Jobs[id].Tasks(k) {
			t := model.Task{Job: id, Kind: k, Index: i}
			if !a.done[t] || len(a.running[t]) > 0 {
				return fmt.Errorf("%v %d: done %v, %d attempts run", k, i, a.done[t], len(a.running[t]))
			}
		}
	}
	return nil
}
