// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Every line of a run in which everything happens is described, and every line that is described appears.
func TestLineKinds(t *testing.T) {
	top := seriesTopology(model.Yarn, model.Room{1, 1})
	top.Classes = append(top.Classes, model.NodeClass{Name: "other", Room: model.Room{2, 2}, Speed: 1})
	c := NewCollector(top, slotJobs(model.Job{Name: "j", Maps: 2, Goal: 60 * sec}))
	s := script{c}
	s.job(0, record.JobSubmitted, 0)
	s.job(0, record.JobAdmitted, 0)
	for i := range int32(2) {
		s.task(model.Time(5*i), record.TaskStarted, model.Map, i, 0)
		s.task(model.Time(5*i+5), record.TaskEnded, model.Map, i, 5)
	}
	for _, k := range []record.Kind{record.LinkLoads, record.HostSampled} {
		c.Record(&record.Event{Time: 10 * sec, Kind: k, Task: model.Task{Job: model.None}, Host: &record.Host{}})
	}
	s.job(12, record.JobEnded, 0)
	var drawn, known []string
	for _, l := range c.Run(nil).Series.Lines {
		drawn = append(drawn, l.Name)
	}
	for _, k := range LineKinds {
		known = append(known, k.Name)
	}
	slices.Sort(drawn)
	slices.Sort(known)
	if drawn = slices.Compact(drawn); !slices.Equal(drawn, known) {
		t.Errorf("lines %q, described are %q", drawn, known)
	}
}
