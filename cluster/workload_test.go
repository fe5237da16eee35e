// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

func TestValidateJobs(t *testing.T) {
	topology := &model.Topology{Model: model.Slots, Classes: []model.NodeClass{{Name: "worker", Room: model.Room{2, 1}}}, Nodes: make([]model.Node, 1)}
	for _, c := range []struct {
		why    string
		change func(*model.Job)
		want   []string
	}{
		{"a plain job", func(*model.Job) {}, nil},
		{"after the first", func(j *model.Job) { j.After = 0 }, nil},
		{"after itself", func(j *model.Job) { j.After = 1 }, []string{"[1].after"}},
		{"too many tasks", func(j *model.Job) { j.Maps, j.MapLength = 10_000_001, model.Lengths{} }, []string{"[1].maps"}},
		{"less than no tasks", func(j *model.Job) { j.Reduces = -1 }, []string{"[1].maps"}},
		{"negative output", func(j *model.Job) { j.Output = -1 }, []string{"[1].input"}},
		{"before the start", func(j *model.Job) { j.Submit = -1 }, []string{"[1].submit"}},
		{"a goal in the past", func(j *model.Job) { j.Goal = -1 }, []string{"[1].goal"}},
		{"maps that fit nowhere", func(j *model.Job) { j.Need[model.Map] = model.Room{3, 0} }, []string{"[1].maps"}},
		{"no reduces, whose need does not matter", func(j *model.Job) { j.Need[model.Reduce] = model.Room{0, 2} }, nil},
		{"longer than a year", func(j *model.Job) { j.MapLength = model.Lengths{Mean: 366 * model.Day} }, []string{"[1].map-length"}},
		{"one length for two maps", func(j *model.Job) { j.Maps = 2 }, []string{"[1].map-lengths"}},
	} {
		one := model.Job{After: model.None, Maps: 1, MapLength: model.Lengths{Fixed: []model.Time{model.Second}}, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}}
		jobs := []model.Job{one, one}
		c.change(&jobs[1])
		var got []string
		for _, p := range cluster.ValidateJobs(topology, jobs) {
			got = append(got, p.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
