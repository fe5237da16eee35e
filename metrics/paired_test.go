// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Three jobs of two reduces on two nodes: those of job 0 share node 0 with each other only, job 1 meets
// job 2 on node 1, and a reduce of job 2 that was killed beside job 1 runs again alone.
func TestPairedReduces(t *testing.T) {
	jobs := make([]model.Job, 3)
	for i := range jobs {
		jobs[i] = model.Job{ID: model.JobID(i), Reduces: 2}
	}
	c := NewCollector(&model.Topology{Nodes: make([]model.Node, 2), Classes: make([]model.NodeClass, 1)}, jobs)
	now := model.Time(0)
	event := func(k record.Kind, job, index int32, node model.NodeID, attempt uint8) {
		now++
		c.Record(&record.Event{Time: now, Kind: k, Task: model.Task{Job: model.JobID(job), Kind: model.Reduce, Index: index}, Node: node, Attempt: attempt, Stage: record.Waiting})
	}
	for i := range int32(3) {
		event(record.JobSubmitted, i, 0, 0, 0)
		event(record.JobAdmitted, i, 0, 0, 0)
	}
	event(record.TaskStarted, 0, 0, 0, 0)
	event(record.TaskStarted, 0, 1, 0, 0)
	event(record.TaskStarted, 1, 0, 1, 0)
	event(record.TaskStarted, 2, 0, 1, 0) // pairs with job 1
	event(record.TaskStarted, 2, 1, 1, 0) // pairs with job 1, who is paired already
	event(record.TaskKilled, 2, 1, 1, 0)
	event(record.TaskKilled, 1, 0, 1, 0)
	event(record.TaskStarted, 2, 1, 1, 1) // beside its own job only
	for i, want := range []int32{0, 0, 1} {
		if got := c.rows[i].Paired; got != want {
			t.Errorf("job %d: %d paired reduces, expected %d", i, got, want)
		}
	}
}
