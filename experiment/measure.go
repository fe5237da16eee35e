// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"sync"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// shape is what jobs that take equally long have in common.
type shape struct {
	Maps, Reduces          int32
	Input, Shuffle, Output model.Bytes
	Cycles                 [model.Kinds]float64
}

// mostMaps bounds the maps of a job that is measured. A larger one is cut down to it, its reduces and bytes in
// proportion: tasks keep their bytes, and with thousands of them run in dozens of equal waves, so the mean length of a
// task stays what it is, and the elapsed time shrinks in proportion on either kind of machine. What does not shrink in
// proportion is a RAM disk: a job whose shuffle data overflows it may fit when it is cut down, and machines with one then
// look better than they are, for jobs of more than that many blocks.
const mostMaps = 4096

// measuredShape returns the shape in which a job is measured.
func measuredShape(j *model.Job) shape {
	s := shape{j.Maps, j.Reduces, j.Input, j.Shuffle, j.Output, j.Cycles}
	if s.Maps <= mostMaps {
		return s
	}
	f := float64(mostMaps) / float64(s.Maps)
	cut := func(b model.Bytes) model.Bytes { return model.Bytes(float64(b) * f) }
	s.Maps, s.Input, s.Shuffle, s.Output = mostMaps, cut(s.Input), cut(s.Shuffle), cut(s.Output)
	if s.Reduces > 0 {
		s.Reduces = max(1, int32(float64(s.Reduces)*f+0.5))
	}
	return s
}

// Taken is how long a job took alone on the machines of one class.
type Taken struct {
	Elapsed model.Time
	Lengths model.ClassLengths // means of its tasks
}

// measured keeps what was measured on machines, for all runs of a process: it depends on nothing else.
var before = struct {
	sync.Mutex
	byMachines map[string]map[shape][]Taken
}{byMachines: map[string]map[shape][]Taken{}}

// Measure runs each job alone on the machines of each class of a scenario, and returns how long it took, by job and
// class. Jobs that look alike are run once. The machines' own rules hold, whatever the workload and the policy.
// What was measured goes to the store, if there is one, and is not measured again.
func Measure(ctx context.Context, machines *scenario.Scenario, jobs []model.Job, workers int, store *MeasureLog) ([][]Taken, error) {
	key := result.Hash(machines.JSON())
	known := map[shape][]Taken{}
	before.Lock()
	if before.byMachines[key] == nil {
		before.byMachines[key] = known
	}
	known = before.byMachines[key]
	if store != nil {
		for s, taken := range store.known {
			known[s] = taken
		}
	}
	var todo []shape
	want := map[shape]bool{}
	for i := range jobs {
		s := measuredShape(&jobs[i])
		if known[s] == nil && !want[s] {
			want[s] = true
			todo = append(todo, s)
		}
	}
	before.Unlock()
	found := make([][]Taken, len(todo))
	err := each(ctx, len(todo), workers, func(ctx context.Context, i int) (err error) {
		if found[i], err = measure(ctx, machines, todo[i]); err != nil {
			return err
		}
		before.Lock()
		defer before.Unlock()
		known[todo[i]] = found[i]
		return store.keep(todo[i], found[i])
	})
	if err != nil {
		return nil, err
	}
	before.Lock()
	defer before.Unlock()
	out := make([][]Taken, len(jobs))
	for i := range jobs {
		out[i] = known[measuredShape(&jobs[i])]
	}
	return out, nil
}

// measure runs a job of the shape on each class of machines.
func measure(ctx context.Context, machines *scenario.Scenario, s shape) (list []Taken, err error) {
	entry, _ := policies.All.Find("fifo")
	for c := range machines.Cluster.Classes {
		config := machines.Cluster
		config.Classes = []cluster.ClassConfig{machines.Cluster.Classes[c]}
		top := config.Topology()
		job := model.Job{Name: "alone", Maps: s.Maps, Reduces: s.Reduces, Input: s.Input, Shuffle: s.Shuffle, Output: s.Output, Cycles: s.Cycles,
			After: model.None, Need: [model.Kinds]model.Room{top.Model.Need(model.Map), top.Model.Need(model.Reduce)}}
		stages := newStageRecorder(&job)
		in := input(ctx, machines, top, []model.Job{job}, machines.Seed)
		in.Policy, in.Recorder, in.Replication = entry, stages, min(in.Replication, len(top.Nodes))
		in.Config.Faults.None()
		if _, err := engine.Run(in); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("a job of %d maps and %d reduces alone on %s: %w", s.Maps, s.Reduces, config.Classes[0].Name, err)
		}
		list = append(list, stages.taken(config.Classes[0].Name))
	}
	return list, nil
}

// stageRecorder adds up what the tasks of a single job take.
type stageRecorder struct {
	job        *model.Job
	submitted  model.Time
	ended      model.Time
	mapsOver   model.Time
	started    [model.Kinds][]model.Time
	computing  []model.Time // by reduce
	sums       [model.Kinds]model.Time
	tails      model.Time
	mapsToCome int32
}

func newStageRecorder(j *model.Job) *stageRecorder {
	return &stageRecorder{job: j, mapsToCome: j.Maps, computing: make([]model.Time, j.Reduces),
		started: [model.Kinds][]model.Time{make([]model.Time, j.Maps), make([]model.Time, j.Reduces)}}
}

// Record implements record.Recorder.
func (r *stageRecorder) Record(e *record.Event) {
	t := e.Task
	switch e.Kind {
	case record.TaskStarted:
		r.started[t.Kind][t.Index] = e.Time
	case record.TaskComputing:
		r.computing[t.Index] = e.Time
	case record.TaskEnded:
		if t.Kind == model.Map {
			r.sums[model.Map] += e.Time - r.started[model.Map][t.Index]
			if r.mapsToCome--; r.mapsToCome == 0 {
				r.mapsOver = e.Time
			}
			return
		}
		r.sums[model.Reduce] += e.Time - r.computing[t.Index]
		r.tails += r.computing[t.Index] - max(r.mapsOver, r.started[model.Reduce][t.Index])
	case record.JobEnded:
		r.ended = e.Time
	}
}

// taken returns the means.
func (r *stageRecorder) taken(class string) Taken {
	mean := func(sum model.Time, n int32) model.Time {
		if n == 0 {
			return 0
		}
		return sum / model.Time(n)
	}
	return Taken{Elapsed: r.ended - r.submitted, Lengths: model.ClassLengths{Class: class, Map: mean(r.sums[model.Map], r.job.Maps),
		Reduce: mean(r.sums[model.Reduce], r.job.Reduces), ShuffleTail: mean(r.tails, r.job.Reduces)}}
}

// Label gives jobs the lengths that were measured, and, as their class, the class of machines on which they ended
// first; of equals the first.
func Label(jobs []model.Job, taken [][]Taken) {
	for i := range jobs {
		best := 0
		jobs[i].ByClass = nil
		for c := range taken[i] {
			jobs[i].ByClass = append(jobs[i].ByClass, taken[i][c].Lengths)
			if taken[i][c].Elapsed < taken[i][best].Elapsed {
				best = c
			}
		}
		jobs[i].Class = taken[i][best].Lengths.Class
	}
}
