// SPDX-License-Identifier: Apache-2.0

package hybrid

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Planning is an Order whose orders inside plan recurring jobs, each on the machines of its kind. A job that turns out to
// be of another kind than was forecast, or that is stolen, follows no plan.
type Planning struct{ *Order }

var (
	_ policy.Planner        = Planning{}
	_ policy.OutputObserver = Planning{}
)

// Plan implements policy.Planner: each kind is planned with the jobs that are judged to be of it, and with the lengths that
// their tasks have on its machines.
func (p Planning) Plan(forecasts []policy.Forecast) {
	var parts [2][]policy.Forecast
	for _, f := range forecasts {
		s := sideOf(p.judge(&cluster.Job{ID: f.Job, Total: f.Tasks, Input: f.Input, Recurring: true}) > 0)
		for k := range model.Kind(model.Kinds) {
			f.Length[k] = p.lengthOn(s, &f, k)
		}
		parts[s] = append(parts[s], f)
	}
	for s := range parts {
		p.inner[s].Plan(parts[s])
	}
}

// lengthOn returns how long a task takes on the machines of a side, the mean over the containers for it.
func (p Planning) lengthOn(s side, f *policy.Forecast, k model.Kind) model.Time {
	t := p.cluster.Topology
	sum, containers := 0.0, 0
	for _, n := range t.Nodes {
		if class := &t.Classes[n.Class]; p.of[n.Class] == s {
			fit := class.Room.Times(f.Need[k])
			sum += float64(fit) * float64(f.On(class, k))
			containers += fit
		}
	}
	if containers == 0 {
		return f.Length[k]
	}
	return model.Time(sum / float64(containers))
}

// MapMade implements policy.OutputObserver.
func (p Planning) MapMade(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	p.inner[p.jobs.Of(j).side].MapMade(now, j, index, node, output)
}

// MapLost implements policy.OutputObserver.
func (p Planning) MapLost(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	p.inner[p.jobs.Of(j).side].MapLost(now, j, index, node, output)
}
