// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/metrics/fold"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"pgregory.net/rapid"
)

// twoRacks has nodes of 2, 2 and 4 containers.
func twoRacks() *model.Topology {
	return &model.Topology{Model: model.Containers, Racks: 2, Hosts: 3, Nodes: []model.Node{{}, {Rack: 1}, {Class: 1}},
		Classes: []model.NodeClass{{Room: model.Room{2}, Speed: 1}, {Room: model.Room{4}, Speed: 1}}}
}

func containerJobs(jobs ...model.Job) []model.Job {
	for i := range jobs {
		jobs[i].ID = model.JobID(i)
		jobs[i].Need = [model.Kinds]model.Room{{1}, {1}}
	}
	return jobs
}

// Job a has 4 maps of 100 B each, job b 6 maps of none. While both are in the cluster a map makes 400/10 = 40 B on
// average: the parts are 80, 80 and 160 B. Looks, every 10 s from 0 s:
//
//	 0 s    both are in the cluster, nothing runs                 0 of 3
//	 5 s    maps of a start on node 0 and twice on node 2
//	10 s    100 > 80, 0, 200 > 160                                2 of 3
//	12 s    a map on node 2 ends: 100
//	20 s    100 > 80, 0, 100                                      1 of 3
//	20 s    a map of a starts on node 1, before the look          2 of 3 instead
//	25 s    b ends; a map makes 400/4 = 100 B: 200, 200, 400
//	30 s    100, 100, 100                                         0 of 3
//	35 s    a ends: nobody is in the cluster at 40 s and 50 s
//
// 4 of 12.
func TestCongestedNodesByHand(t *testing.T) {
	jobs := containerJobs(model.Job{Maps: 4, Reduces: 1, Shuffle: 400}, model.Job{Maps: 6, Reduces: 1}, model.Job{})
	run := func(topology *model.Topology) *Run {
		c := NewCollector(topology, jobs)
		s := script{c}
		task := func(at model.Time, k record.Kind, index int32, node model.NodeID) {
			c.Record(&record.Event{Time: at * sec, Kind: k, Task: model.Task{Index: index}, Node: node, Locality: model.NoInput})
		}
		s.job(0, record.JobSubmitted, 0)
		s.job(0, record.JobSubmitted, 1)
		task(5, record.TaskStarted, 0, 0)
		task(5, record.TaskStarted, 1, 2)
		task(5, record.TaskStarted, 2, 2)
		task(12, record.TaskEnded, 1, 2)
		task(20, record.TaskStarted, 3, 1)
		s.job(25, record.JobEnded, 1)
		task(35, record.TaskEnded, 0, 0)
		task(35, record.TaskEnded, 2, 2)
		task(35, record.TaskEnded, 3, 1)
		s.job(35, record.JobEnded, 0)
		s.job(55, record.JobSubmitted, 2)
		s.job(55, record.JobEnded, 2)
		return c.Run(nil)
	}
	if got, ok := All(run(twoRacks()), 0).Value("congested_nodes"); !ok || got != 4.0/12 {
		t.Errorf("%v of node-time is congested, want 4 looks of 12", got)
	}
	one := twoRacks()
	one.Racks = 1
	if got := run(one).Network.CongestedNodes; got != 0 {
		t.Errorf("%v of node-time is congested in a single rack, want 0", got)
	}
	jobs[0].Reduces = 0
	if got := run(twoRacks()).Network.CongestedNodes; got != 0 {
		t.Errorf("%v of node-time is congested without shuffle data, want 0", got)
	}
}

// congestedTwin works the share out from all events anew for each look.
func congestedTwin(t *model.Topology, jobs []model.Job, events []record.Event) float64 {
	above, looks := 0, 0
	for at := model.Time(0); at < events[len(events)-1].Time; at += 10 * sec {
		making := make([]float64, len(t.Nodes))
		var shuffle, need, in float64
		for _, e := range events {
			j := &jobs[e.Task.Job]
			s := 0.0
			if j.Reduces > 0 && j.Maps > 0 {
				s = math.Floor(float64(j.Shuffle)/float64(j.Maps)) * float64(j.Maps)
			}
			sign := 1.0
			switch {
			case e.Time > at:
			case e.Kind == record.JobEnded || e.Kind == record.JobRefused:
				sign = -1
				fallthrough
			case e.Kind == record.JobSubmitted:
				in += sign
				shuffle += sign * s
				need += sign * float64(j.Maps) * float64(j.Need[model.Map][0])
			case e.Task.Kind == model.Map && e.Node != model.None:
				if e.Kind != record.TaskStarted {
					sign = -1
				}
				making[e.Node] += sign * s / float64(j.Maps)
			}
		}
		if in == 0 {
			continue
		}
		for n, m := range making {
			looks++
			if need > 0 && m > float64(t.Classes[t.Nodes[n].Class].Room[0])*shuffle/need*(1+1e-12) {
				above++
			}
		}
	}
	return ratio(float64(above), float64(looks))
}

func TestCongestedNodesTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology := twoRacks()
		if rapid.Bool().Draw(t, "yarn") {
			topology.Model = model.Yarn
			topology.Classes[0].Room, topology.Classes[1].Room = model.Room{2048, 4}, model.Room{4096, 8}
		}
		var jobs []model.Job
		for range rapid.IntRange(1, 4).Draw(t, "jobs") {
			maps := rapid.Int32Range(0, 6).Draw(t, "maps")
			jobs = append(jobs, model.Job{Maps: maps, Reduces: rapid.Int32Range(0, 1).Draw(t, "reduces"),
				Shuffle: model.Bytes(maps) * model.Bytes(rapid.Int64Range(0, 50).Draw(t, "output"))})
		}
		jobs = containerJobs(jobs...)
		if topology.Model == model.Yarn {
			for i := range jobs {
				jobs[i].Need[model.Map] = model.Room{rapid.Int32Range(100, 900).Draw(t, "need"), 1}
			}
		}
		events := drawMaps(t, jobs, len(topology.Nodes))
		c := NewCollector(topology, jobs)
		for i := range events {
			c.Record(&events[i])
		}
		if got, want := c.Run(nil).Network.CongestedNodes, congestedTwin(topology, jobs, events); got != want && fold.NewOutputs(topology, jobs) != nil {
			t.Fatalf("%v of node-time is congested, the twin says %v", got, want)
		}
	})
}

// drawMaps makes a history of jobs that come, run their maps anywhere, lose some of them, and end or are refused.
func drawMaps(t *rapid.T, jobs []model.Job, nodes int) (events []record.Event) {
	now := model.Time(0)
	add := func(k record.Kind, task model.Task, node model.NodeID) {
		now += model.Time(rapid.SampledFrom([]int64{0, 0, 1, 1e9, 5e9, 10e9, 37e9}).Draw(t, "gap"))
		events = append(events, record.Event{Time: now, Kind: k, Task: task, Node: node, Locality: model.NoInput})
	}
	type running struct {
		task model.Task
		node model.NodeID
	}
	for i := range jobs {
		add(record.JobSubmitted, model.Task{Job: model.JobID(i)}, model.None)
		if rapid.IntRange(0, 5).Draw(t, "refused") == 0 {
			add(record.JobRefused, model.Task{Job: model.JobID(i)}, model.None)
			jobs[i].Class = "refused"
		}
	}
	for i := range jobs {
		if jobs[i].Class == "refused" {
			continue
		}
		add(record.JobAdmitted, model.Task{Job: model.JobID(i)}, model.None)
		var open []running
		for m := range jobs[i].Maps {
			r := running{model.Task{Job: model.JobID(i), Index: m}, model.NodeID(rapid.IntRange(0, nodes-1).Draw(t, "node"))}
			add(record.TaskStarted, r.task, r.node)
			if rapid.IntRange(0, 4).Draw(t, "killed") == 0 {
				add(record.TaskKilled, r.task, r.node)
				add(record.TaskStarted, r.task, r.node)
			}
			open = append(open, r)
			if rapid.Bool().Draw(t, "ends") {
				add(record.TaskEnded, open[0].task, open[0].node)
				open = open[1:]
			}
		}
		for _, r := range open {
			add(record.TaskEnded, r.task, r.node)
		}
		add(record.JobEnded, model.Task{Job: model.JobID(i)}, model.None)
	}
	return events
}
