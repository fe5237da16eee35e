// SPDX-License-Identifier: Apache-2.0

package course

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/rackplan"
	"github.com/yardmaster/yardmaster/record"
)

// Job sort is planned with maps in rack 0 and a reduce in rack 1. Both of its maps run there, its reduce in rack 0; a job that
// was not planned runs in rack 1.
func TestCourse(t *testing.T) {
	const s = model.Second
	topology := &model.Topology{Racks: 2, Nodes: []model.Node{{Rack: 0}, {Rack: 1}}}
	jobs := []model.Job{{ID: 0, Name: "sort", Period: 1}, {ID: 1, Name: "scan"}}
	plan := &rackplan.File{Jobs: []rackplan.FileJob{{Name: "sort", Start: 0, MapsEnd: 10 * s, End: 15 * s,
		MapRacks: []rackplan.FileShare{{Rack: 0, Tasks: 2}}, ReduceRacks: []rackplan.FileShare{{Rack: 1, Tasks: 1}}},
		{Name: "never"}}}
	c := New(plan, topology, jobs)
	task := func(kind record.Kind, at model.Time, job model.JobID, k model.Kind, node model.NodeID) {
		c.Record(&record.Event{Kind: kind, Time: at, Task: model.Task{Job: job, Kind: k}, Node: node})
	}
	task(record.TaskStarted, 1*s, 0, model.Map, 0)
	task(record.TaskStarted, 2*s, 0, model.Map, 0)
	task(record.TaskStarted, 3*s, 1, model.Map, 1)
	task(record.TaskEnded, 4*s, 1, model.Map, 1)
	task(record.TaskKilled, 5*s, 0, model.Map, 0)
	task(record.TaskStarted, 6*s, 0, model.Map, 0)
	task(record.TaskEnded, 11*s, 0, model.Map, 0)
	task(record.TaskEnded, 12*s, 0, model.Map, 0)
	task(record.TaskDropped, 12*s, 0, model.Map, model.None)
	task(record.TaskStarted, 12*s, 0, model.Reduce, 0)
	task(record.TaskEnded, 20*s, 0, model.Reduce, 0)
	c.Record(&record.Event{Kind: record.JobEnded, Time: 20 * s, Node: model.None})
	const expected = `rack,job,kind,booked,planned_start,planned_end,started,first_start,last_end
0,sort,map,2,0,10,3,1,12
0,sort,reduce,0,,,1,12,20
1,scan,map,0,,,1,3,4
1,sort,reduce,1,10,15,0,,
`
	if found := string(c.CSV()); found != expected {
		t.Errorf("found\n%sexpected\n%s", found, expected)
	}
	chart := c.Chart()
	if len(chart.Bars) != 5 || chart.Racks != 2 || !chart.Bars[0].Planned || chart.Bars[1].To != 12 {
		t.Errorf("chart %+v", chart)
	}
}
