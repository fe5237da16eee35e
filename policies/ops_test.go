// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// operations draws what happens at a desk: jobs come, tasks start, end and are killed.
type operations struct {
	running []cluster.Attempt
	started func(model.Task) // told of every start, for twins
}

// drawDesk draws jobs and builds the policy for them on a cluster of four nodes.
func drawDesk(t *rapid.T, name, params string, m model.RoomModel) (*desk, *operations) {
	room := model.Room{3, 2}
	if m == model.Yarn {
		room = model.Room{7 * 1024, 5}
	}
	jobs := plain(m, rapid.IntRange(1, 8).Draw(t, "jobs"), 0, 0)
	weight := rapid.SampledFrom([]float64{1, 2, 3, 0.5, 0})
	for i := range jobs {
		j := &jobs[i]
		j.Maps, j.Reduces = rapid.Int32Range(0, 6).Draw(t, "maps"), rapid.Int32Range(0, 3).Draw(t, "reduces")
		j.Priority = model.Priority(rapid.IntRange(0, model.Priorities-1).Draw(t, "priority"))
		j.Weight = weight.Draw(t, "weight")
		j.User = fmt.Sprint("u", rapid.IntRange(0, 2).Draw(t, "user"))
		j.Queue = fmt.Sprint("q", rapid.IntRange(0, 2).Draw(t, "queue"))
		if m == model.Yarn {
			for k := range j.Need {
				j.Need[k] = model.Room{256 * rapid.Int32Range(1, 8).Draw(t, "memory"), rapid.Int32Range(0, 3).Draw(t, "vcores")}
			}
		}
	}
	return newDesk(t, name, params, racks(m, 1, 4, room), jobs, nil), &operations{started: func(model.Task) {}}
}

// step does one random thing that is possible.
func (o *operations) step(t *rapid.T, d *desk) {
	d.now += model.Time(rapid.IntRange(0, 1).Draw(t, "time")) * model.Second
	id := model.JobID(rapid.IntRange(0, len(d.jobs)-1).Draw(t, "job"))
	j := d.jobs[id]
	switch op := rapid.SampledFrom([]string{"start", "start", "end", "kill", "release"}).Draw(t, "op"); {
	case j == nil:
		d.admit(id)
	case op == "release" && j.Phase == cluster.Admitted:
		d.release(id)
	case op == "start" && j.Phase == cluster.Admitted:
		o.start(t, d, j)
	case len(o.running) > 0:
		i := rapid.IntRange(0, len(o.running)-1).Draw(t, "attempt")
		a := o.running[i]
		o.running = append(o.running[:i], o.running[i+1:]...)
		d.end(a.Task, a.Node, op == "end")
	}
}

func (o *operations) start(t *rapid.T, d *desk, j *cluster.Job) {
	k := model.Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
	node := model.NodeID(rapid.IntRange(0, len(d.state.Nodes)-1).Draw(t, "node"))
	if j.Wants(k) <= 0 || !d.state.Nodes[node].Free.Fits(j.Need[k]) {
		return
	}
	task := model.Task{Job: j.ID, Kind: k, Index: j.First(k)}
	o.started(task)
	d.start(t, task, node)
	o.running = append(o.running, cluster.Attempt{Task: task, Node: node})
}
