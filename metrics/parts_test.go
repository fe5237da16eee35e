// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Node 0 is part 1, nodes 1 and 2 are part 2, a map and a reduce slot each. One job: a map of 10 s on
// node 0; a map of 30 s on node 1; a reduce that holds node 2 from 10 s on, computes from 30 s on and
// ends at 40 s. The run takes 40 s.
func TestParts(t *testing.T) {
	const s = model.Second
	top := &model.Topology{Model: model.Slots, Racks: 1, Hosts: 3, Classes: []model.NodeClass{{Room: model.Room{1, 1}, Speed: 1}}, Nodes: make([]model.Node, 3)}
	jobs := []model.Job{{Name: "a", After: model.None, Maps: 2, Reduces: 1, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}}}
	c := NewCollector(top, jobs)
	c.Divide([]int{0, 1, 1})
	task := func(k model.Kind, i int32) model.Task { return model.Task{Kind: k, Index: i} }
	for _, e := range []record.Event{
		{Time: 0, Kind: record.JobSubmitted}, {Time: 0, Kind: record.JobAdmitted},
		{Time: 0, Kind: record.TaskStarted, Task: task(model.Map, 0), Node: 0},
		{Time: 0, Kind: record.TaskStarted, Task: task(model.Map, 1), Node: 1},
		{Time: 10 * s, Kind: record.TaskEnded, Task: task(model.Map, 0), Node: 0, Length: 10 * s},
		{Time: 10 * s, Kind: record.TaskStarted, Task: task(model.Reduce, 0), Node: 2},
		{Time: 30 * s, Kind: record.TaskEnded, Task: task(model.Map, 1), Node: 1, Length: 30 * s},
		{Time: 30 * s, Kind: record.TaskComputing, Task: task(model.Reduce, 0), Node: 2},
		{Time: 40 * s, Kind: record.TaskEnded, Task: task(model.Reduce, 0), Node: 2, Length: 10 * s},
		{Time: 40 * s, Kind: record.JobEnded},
	} {
		c.Record(&e)
	}
	g := All(c.Run(nil), 0)
	for text, want := range map[string]float64{
		"part:1.work_share":         10.0 / 50,
		"part:2.work_share":         40.0 / 50,
		"part:1.utilisation_map":    10.0 / 40,
		"part:2.utilisation_map":    30.0 / 80,
		"part:1.utilisation_reduce": 0,
		"part:2.utilisation_reduce": 30.0 / 80, // with the time in which it merely held its slot
	} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := q.Of(g); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g, %t; want %g", text, got, ok, want)
		}
	}
	for _, text := range []string{"part:0.work_share", "part:3.work_share", "part:x.work_share"} {
		q, _ := ParseQuery(text)
		if v, ok := q.Of(g); ok {
			t.Errorf("%s is %g, though there is no such part", text, v)
		}
	}
}

// Three ranges with enough jobs, whose means are 1, 2 and 3, and one with too few: the mean of the
// means is 2, their standard deviation 1.
func TestRanges(t *testing.T) {
	run := &Run{}
	add := func(n int, size, slowdown float64) {
		for range n {
			j := Job{ID: model.JobID(len(run.Jobs)), Size: model.Seconds(size), Reference: 10 * model.Second, Finish: model.Seconds(10 * slowdown)}
			run.Jobs = append(run.Jobs, j)
		}
	}
	add(5, 10, 1)
	add(3, 31.5, 1) // still below 10 times the root of 10
	add(6, 100, 2)
	add(5, 32000, 3)
	add(leastInRange-1, 1e6, 99)
	for text, want := range map[string]float64{"range_mean_slowdown": 2, "range_cv_slowdown": 0.5, "size:10-32.jobs": 8, "size:100-32000.mean_slowdown": 2} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := q.Of(All(run, 0)); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g, %t; want %g", text, got, ok, want)
		}
	}
}
