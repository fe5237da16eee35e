// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// doom asks the policy which jobs are to begin anew, and reports whether there are any. If so no room is offered until they
// have: other attempts may be about to start or to end.
func (c *crew) doom() bool {
	for j := c.driver.Restarter.NextRestart(); j != nil; j = c.driver.Restarter.NextRestart() {
		c.doomed = append(c.doomed, j)
	}
	if len(c.doomed) > 0 {
		c.floor.halted, c.floor.changed = true, true
	}
	return c.floor.halted
}

// restartDoomed makes these jobs begin anew, unless they have ended by now.
func (c *crew) restartDoomed(now model.Time) {
	for _, j := range c.doomed {
		if j.Phase == cluster.Admitted {
			c.restart(now, j)
		}
	}
	c.doomed, c.floor.halted = c.doomed[:0], false
}

// restart makes a job begin anew: what runs of it is killed, what was done is pending again, and its slow start has yet
// to pass. What it has sent over links stays sent.
func (c *crew) restart(now model.Time, j *cluster.Job) {
	r := c.run(j)
	for _, id := range c.exec.OfJob(j, func(*exec.Attempt) bool { return true }) {
		node := c.exec.At(id).Node
		c.killAttempt(now, id)
		c.floor.markAll(node)
	}
	for k := range model.Kind(model.Kinds) {
		for i := range j.Total[k] {
			if j.Started(k)[i>>6]>>(i&63)&1 != 0 {
				c.undo(now, j, model.Task{Job: j.ID, Kind: k, Index: i})
			}
		}
	}
	if j.Total[model.Reduce] > 0 && !noted(j, slowed) {
		j.Driven.Notes = j.Driven.Notes&^yields | slowed
		c.state.Let(j, model.Reduce, 0)
		c.recordEligible(now, j, -r.let)
	}
	if err := c.exec.Leave(now, j, false); err != nil {
		c.fail(err)
	}
	c.exec.Enter(j, r.spec)
	if noted(j, slowed) && c.mapsFirst(j) == 0 {
		c.release(now, j)
	}
	c.updateWants(now, j, model.Map)
	c.updateWants(now, j, model.Reduce)
}

// undo takes back what a task has done, which is pending again.
func (c *crew) undo(now model.Time, j *cluster.Job, t model.Task) {
	r, node := c.run(j), model.NodeID(model.None)
	if t.Kind == model.Map && r.where != nil {
		node, r.where[t.Index] = r.where[t.Index], node
	}
	r.again(j, t, r.tries[t])
	c.state.Undo(t)
	c.reopen(j, t)
	if c.sizes != nil {
		c.sizes.Undone(t)
	}
	c.records.Send(record.Event{Time: now, Kind: record.TaskUndone, Task: t, Node: node})
	if node != model.None {
		c.driver.Lost(now, j, t.Index, node, r.spec.MapOutput(t.Index))
	}
	if c.manager != nil {
		c.manager.moved(now, j, t, node, undone)
	}
}
