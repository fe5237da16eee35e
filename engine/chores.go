// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// chores runs the set-up and clean-up tasks of jobs, as Hadoop 1's JobTracker does: in a map slot, whatever the policy says,
// clean-up tasks first. A job that was let in may start maps when its set-up task has ended, and ends with its clean-up
// task. A heartbeat that is given one of them is given no map.
type chores struct {
	*world
	floor   *floor
	lengths [stages]model.Time
	next    [stages]func(now model.Time, j *cluster.Job) // what waits for the task of a stage
	waiting [stages][]*cluster.Job                       // for a slot, in order
}

// The stages of a job for which there is a task.
const (
	cleanUp = iota
	setUp
	stages
)

// mapSlot is the room of such a task.
var mapSlot = model.Room{1, 0}

func newChores(w *world, f *floor, l *life) *chores {
	rules := &w.in.Config.Jobs
	f.lower(int(model.Map), mapSlot)
	return &chores{world: w, floor: f, lengths: [stages]model.Time{rules.CleanUp, rules.SetUp},
		next: [stages]func(model.Time, *cluster.Job){l.end, l.enter}}
}

// first lets the task of a stage wait for a slot, unless the job has none or has run it, and reports whether it waits.
func (c *chores) first(now model.Time, j *cluster.Job, stage int) bool {
	if c == nil || c.lengths[stage] == 0 || c.run(j).chored[stage] {
		return false
	}
	c.waiting[stage] = append(c.waiting[stage], j)
	c.floor.want(int(model.Map), true)
	c.floor.wake(now, int(model.Map))
	return true
}

// serve starts a task that waits in the room of the offer that stands, and reports whether there was one.
func (c *chores) serve(now model.Time) bool {
	o := &c.floor.offer
	for stage, waiting := range c.waiting {
		if len(waiting) == 0 || o.Pool != int(model.Map) || !c.state.Hold(o.Node, mapSlot) {
			continue
		}
		j := waiting[0]
		c.waiting[stage] = waiting[1:]
		c.run(j).chore = o.Node
		c.recordHeld(now, record.ChoreStarted, j.ID, o.Node, mapSlot)
		c.floor.want(int(model.Map), false)
		c.queue.Push(now+c.lengths[stage], event{kind: choreEnds, sub: uint8(stage), of: int32(j.ID)})
		return true
	}
	return false
}

// ended gives back the slot of such a task and lets its job go on.
func (c *chores) ended(now model.Time, id model.JobID, stage uint8) {
	j := c.state.Job(id)
	node := c.run(j).chore
	c.run(j).chored[stage] = true
	c.state.Unhold(node, mapSlot)
	c.recordHeld(now, record.ChoreEnded, id, node, mapSlot)
	c.next[stage](now, j)
	c.floor.freed(now, node, int(model.Map))
}
