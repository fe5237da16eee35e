// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// outputGrid is the time between two looks at the nodes' map output.
const outputGrid = 10 * model.Second

// Outputs follows how much output the running maps of each node make and counts the nodes above TrafficThreshold
// (diverse-2018, equation 3.3): the containers of the node times the mean output of a map over the jobs in the cluster.
// Where maps differ in what they need, a node has as many containers as maps of mean need fill it. Nodes are looked at
// on a grid of time, each time after all events of the moment, while there is a job in the cluster.
type Outputs struct {
	pool         int        // that maps draw from
	room         []int64    // of the pool, by node
	making       []int64    // bytes, by node
	each         []int64    // bytes that a map makes, by job: what a job is lies far away, and a division takes long
	jobs         int        // in the cluster
	shuffle      int64      // bytes, of these jobs
	need         int64      // of all their maps together
	next         model.Time // look
	looks, above int64      // nodes looked at; of these, above the threshold
}

// NewOutputs returns nil where nothing can cross racks: in a single one, or without shuffle data.
func NewOutputs(t *model.Topology, jobs []model.Job) *Outputs {
	if t.Racks < 2 {
		return nil
	}
	o := &Outputs{pool: t.Model.Pool(model.Map), room: make([]int64, len(t.Nodes)), making: make([]int64, len(t.Nodes)), each: make([]int64, len(jobs))}
	for n := range t.Nodes {
		o.room[n] = int64(t.Classes[t.Nodes[n].Class].Room[o.pool])
	}
	most := int64(0)
	for i := range jobs {
		o.each[i] = shuffled(&jobs[i]) / max(int64(jobs[i].Maps), 1)
		most = max(most, shuffled(&jobs[i]))
	}
	if most == 0 {
		return nil
	}
	return o
}

// shuffled is the map output of a job that its reduces fetch.
func shuffled(j *model.Job) int64 {
	if j.Maps == 0 || j.Reduces == 0 {
		return 0
	}
	return int64(j.Shuffle)
}

// Task takes in that a task takes room (by = 1) or gives it back (by = -1).
func (o *Outputs) Task(e *record.Event, by int64) {
	if e.Time > o.next {
		o.look(e.Time)
	}
	if e.Task.Kind == model.Map {
		o.making[e.Node] += by * o.each[e.Task.Job]
	}
}

// Record takes in any event of a job, which spec describes.
func (o *Outputs) Record(e *record.Event, spec *model.Job) {
	if by := e.Taken(); by != 0 {
		o.Task(e, by)
		return
	}
	if e.Time > o.next {
		o.look(e.Time)
	}
	switch e.Kind {
	case record.JobSubmitted:
		o.enter(spec, 1)
	case record.JobEnded, record.JobRefused, record.JobFailed:
		o.enter(spec, -1)
	}
}

// enter adds a job to those in the cluster (by = 1) or takes it out (by = -1).
func (o *Outputs) enter(spec *model.Job, by int64) {
	o.jobs += int(by)
	o.shuffle += by * shuffled(spec)
	o.need += by * int64(spec.Maps) * int64(spec.Need[model.Map][o.pool])
}

// look counts the nodes above the threshold for every look before now: nothing has changed since the first of them.
func (o *Outputs) look(now model.Time) {
	n := int64((now - o.next + outputGrid - 1) / outputGrid)
	o.next += model.Time(n) * outputGrid
	if o.jobs == 0 {
		return
	}
	o.looks += n * int64(len(o.making))
	for node, making := range o.making {
		if making > 0 && float64(making)*float64(o.need) > float64(o.room[node])*float64(o.shuffle) {
			o.above += n
		}
	}
}

// Share is the share of node-time above the threshold.
func (o *Outputs) Share() float64 {
	if o.looks == 0 {
		return 0
	}
	return float64(o.above) / float64(o.looks)
}
