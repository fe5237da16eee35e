// SPDX-License-Identifier: Apache-2.0

package hybrid

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// inner is an order that writes down what it is told.
type inner struct {
	*kit.FairOrder
	racks []model.RackID
	told  []string
}

func (i *inner) Plan(forecasts []policy.Forecast) {
	for _, f := range forecasts {
		i.told = append(i.told, fmt.Sprintf("job %d: %v, %v", f.Job, f.Length[model.Map], f.Length[model.Reduce]))
	}
}

func (i *inner) Leave(j *cluster.Job) bool {
	i.told = append(i.told, fmt.Sprintf("job %d leaves", j.ID))
	return true
}

// Each kind is planned with its own jobs, in its own racks, with the lengths of tasks on its machines: those that were
// measured, or by speed. A job that is of another kind than was forecast leaves the plan.
func TestPlanning(t *testing.T) {
	top := twoClasses()
	top.Classes[0].Speed, top.Classes[1].Speed = 4, 1
	top.Classes = append(top.Classes, model.NodeClass{Name: "old", Room: model.Room{8, 0}, Speed: 0.5})
	top.Racks, top.Nodes = 3, append(top.Nodes, model.Node{Class: 2, Rack: 2})
	env := &policy.Env{Cluster: cluster.New(top)}
	var orders []*inner
	order, err := New(env, DefaultParams(), func(racks []model.RackID) kit.Order {
		orders = append(orders, &inner{FairOrder: kit.NewFairOrder(env, kit.DefaultFairParams()), racks: racks})
		return orders[len(orders)-1]
	})
	if err != nil {
		t.Fatal(err)
	}
	p := Planning{order}
	need := [model.Kinds]model.Room{{1, 0}, {1, 0}}
	length := [model.Kinds]model.Time{8 * model.Second, 4 * model.Second}
	p.Plan([]policy.Forecast{
		{Job: 0, Input: model.GiB, Need: need, Length: length},
		{Job: 1, Input: 64 * model.GiB, Need: need, Length: length},
		{Job: 2, Input: model.GiB, Need: need, Length: length, ByClass: []model.ClassLengths{{Class: "scale-up", Map: 3 * model.Second, Reduce: model.Second}}},
	})
	for _, large := range []bool{false, true} { // as forecast, and not
		j := &cluster.Job{ID: 2, Input: model.GiB}
		if large {
			j.Input = 64 * model.GiB
		}
		p.JobAdmitted(0, j)
		p.JobEnded(0, j)
	}
	for s, want := range [][]string{
		out: {"job 1: 12s, 6s", "job 2 leaves"}, // half of the containers take twice as long
		up:  {"job 0: 2s, 1s", "job 2: 3s, 1s", "job 2 leaves"},
	} {
		racks := [][]model.RackID{out: {1, 2}, up: {0}}[s]
		if got := orders[s]; !slices.Equal(got.told, want) || !slices.Equal(got.racks, racks) {
			t.Errorf("%v, racks %v: %q, want %q", side(s), got.racks, got.told, want)
		}
	}
}
