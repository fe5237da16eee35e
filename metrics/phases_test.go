// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Two jobs of a queue: the first has two maps, from 10 to 20 and from 30 to 40, so the map of the second, from 15 to 25,
// comes before its turn; a third job comes to the queue when no map waits. Maps of the first take 10..40, its reduce 22..80.
func TestPhases(t *testing.T) {
	jobs := slotJobs(model.Job{Name: "a", Queue: "q", Maps: 2, Reduces: 1}, model.Job{Name: "b", Queue: "q", Maps: 1}, model.Job{Name: "c", Queue: "q", Maps: 1})
	c := NewCollector(seriesTopology(model.Slots, model.Room{2, 2}), jobs)
	s := script{c}
	const m, r = model.Map, model.Reduce
	of := func(job model.JobID, at int, kind record.Kind, length int) {
		c.Record(&record.Event{Time: model.Time(at) * sec, Kind: kind, Task: model.Task{Job: job, Kind: m}, Length: model.Time(length) * sec})
	}
	for job := range model.JobID(3) {
		s.job(0, record.JobSubmitted, job)
		s.job(0, record.JobAdmitted, job)
	}
	s.task(10, record.TaskStarted, m, 0, 0)
	of(1, 15, record.TaskStarted, 0)
	s.task(20, record.TaskEnded, m, 0, 10)
	s.task(22, record.TaskStarted, r, 0, 0)
	of(1, 25, record.TaskEnded, 10)
	s.job(25, record.JobEnded, 1)
	s.task(30, record.TaskStarted, m, 1, 0)
	of(2, 31, record.TaskStarted, 0)
	of(2, 39, record.TaskEnded, 8)
	s.job(39, record.JobEnded, 2)
	s.task(40, record.TaskEnded, m, 1, 10)
	s.task(40, record.TaskShuffling, r, 0, 0)
	s.task(70, record.TaskComputing, r, 0, 0)
	s.task(80, record.TaskEnded, r, 0, 40)
	s.job(80, record.JobEnded, 0)
	run := c.Run(nil)
	if j := &run.Jobs[0]; j.MapTime() != 30*sec || j.ReduceTime() != 58*sec || j.EarlyMap || !run.Jobs[1].EarlyMap || run.Jobs[2].EarlyMap {
		t.Errorf("jobs %+v", run.Jobs)
	}
}

// A job that was refused, or has failed, waits for nothing: who comes behind it in the queue starts in its turn.
func TestTurnOfTheRefused(t *testing.T) {
	for _, how := range []record.Kind{record.JobRefused, record.JobFailed} {
		jobs := slotJobs(model.Job{Name: "a", Queue: "q", Maps: 2}, model.Job{Name: "b", Queue: "q", Maps: 1})
		c := NewCollector(seriesTopology(model.Slots, model.Room{2, 2}), jobs)
		s := script{c}
		s.job(0, record.JobSubmitted, 0)
		s.job(0, record.JobSubmitted, 1)
		s.job(0, how, 0)
		s.job(0, record.JobAdmitted, 1)
		map1 := model.Task{Job: 1}
		c.Record(&record.Event{Time: sec, Kind: record.TaskStarted, Task: map1})
		c.Record(&record.Event{Time: 2 * sec, Kind: record.TaskEnded, Task: map1, Length: sec})
		s.job(2, record.JobEnded, 1)
		if run := c.Run(nil); len(run.Jobs) != 1 || run.Jobs[0].EarlyMap {
			t.Errorf("%v: jobs %+v", how, run.Jobs)
		}
	}
}

// Maps of 10, 10 and 25 s have a mean of 15 s: the last is a straggler; of 10, 10 and 20 s none is.
func TestStraggling(t *testing.T) {
	jobs := slotJobs(model.Job{Name: "a", Maps: 3}, model.Job{Name: "b", Maps: 3}, model.Job{Name: "c", Reduces: 1})
	c := NewCollector(seriesTopology(model.Slots, model.Room{6, 1}), jobs)
	s := script{c}
	for job, lengths := range [][]int{{10, 10, 25}, {10, 10, 20}} {
		id, at := model.JobID(job), model.Time(100*job)
		s.job(at, record.JobSubmitted, id)
		s.job(at, record.JobAdmitted, id)
		for i, length := range lengths {
			task := model.Task{Job: id, Index: int32(i)}
			c.Record(&record.Event{Time: at * sec, Kind: record.TaskStarted, Task: task})
			c.Record(&record.Event{Time: (at + model.Time(length)) * sec, Kind: record.TaskEnded, Task: task, Length: model.Time(length) * sec})
		}
		s.job(at+25, record.JobEnded, id)
	}
	run := c.Run(nil)
	if got, _ := All(run, 0).Value("straggling"); got != 0.5 || !run.Jobs[0].Straggler {
		t.Errorf("a share of %g straggles: %+v", got, run.Jobs)
	}
}

// Of two jobs with a reduce one had it beside another's.
func TestReduceTimeAloneAndPaired(t *testing.T) {
	run := &Run{Jobs: []Job{
		{FirstReduce: 10 * sec, Finish: 40 * sec, Reduces: 1, Maps: 1},
		{ID: 1, FirstReduce: 10 * sec, Finish: 80 * sec, Reduces: 1, Paired: 1, Maps: 1, EarlyMap: true},
		{ID: 2, FirstReduce: model.None, Finish: 5 * sec},
	}}
	for name, want := range map[string]float64{"reduce_time_alone": 30, "reduce_time_paired": 70, "early_maps": 0.5, "max_reduce_time": 70} {
		if got, ok := All(run, 0).Value(name); !ok || got != want {
			t.Errorf("%s is %g, %t; want %g", name, got, ok, want)
		}
	}
	if _, ok := All(&Run{Jobs: run.Jobs[:1]}, 0).Value("reduce_time_paired"); ok {
		t.Error("without a paired reduce there is a mean time of paired reduces")
	}
}
