// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"runtime"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// TestRunHoldsNoWorkload: whoever keeps a run keeps what it says, not the collector and the jobs with a million lengths that
// the collector knew.
func TestRunHoldsNoWorkload(t *testing.T) {
	freed := make(chan string, 2)
	topology := &model.Topology{Model: model.Slots, Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: model.Room{1, 1}, Speed: 1}}, Nodes: []model.Node{{}}}
	collect := func() *Run {
		job := &model.Job{Maps: 1, After: model.None, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}, MapLength: model.Lengths{Fixed: make([]model.Time, 1000)}}
		runtime.AddCleanup(&job.MapLength.Fixed[0], func(what string) { freed <- what }, "the lengths")
		c := NewCollector(topology, []model.Job{*job})
		runtime.AddCleanup(c, func(what string) { freed <- what }, "the collector")
		for i, kind := range []record.Kind{record.JobSubmitted, record.JobAdmitted, record.TaskStarted, record.TaskEnded, record.JobEnded} {
			c.Record(&record.Event{Time: model.Time(i) * model.Second, Kind: kind, Length: model.Second})
		}
		return c.Run(nil)
	}
	run := collect()
	for range 2 {
		runtime.GC()
		select {
		case <-freed:
		case <-time.After(10 * time.Second):
			t.Fatal("the run still holds its collector or its jobs")
		}
	}
	if len(run.Jobs) != 1 {
		t.Errorf("%d jobs", len(run.Jobs))
	}
}
