// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// What the application masters of jobs do about their reduces: slow start, ramp-up and pre-emption (see
// the package mapreduce for the rules).

// mapsFirst returns how many maps of a job must have ended before its reduces may start: as the policy says,
// or as all jobs.
func (c *crew) mapsFirst(j *cluster.Job) int32 {
	if share, named := c.driver.SlowStart(j); named {
		return share.CeilOf(j.Total[model.Map])
	}
	if y := c.in.Yarn; y != nil && y.MapsFirst != nil {
		return y.MapsFirst(c.run(j).spec)
	}
	return c.in.Config.Jobs.MapsFirst(j.Total[model.Map])
}

// release lets the reduces of a job start: its slow start has passed.
func (c *crew) release(now model.Time, j *cluster.Job) {
	j.Driven.Notes &^= slowed
	c.ramp(j)
	let := j.Eligible[model.Reduce]
	c.run(j).let = let
	c.recordEligible(now, j, let)
}

func (c *crew) recordEligible(now model.Time, j *cluster.Job, more int32) {
	c.records.Send(record.Event{Time: now, Kind: record.TasksEligible, Task: model.Task{Job: j.ID, Kind: model.Reduce}, Node: model.None, Count: more})
}

// ramp sets how many reduces of the job may have been started by now.
func (c *crew) ramp(j *cluster.Job) {
	all, started := j.Total[model.Reduce], j.Done[model.Reduce]+j.Running[model.Reduce]-j.Doubled[model.Reduce]
	if noted(j, slowed) || started == all && j.Eligible[model.Reduce] == all { // those that have started stay eligible
		return
	}
	eligible := c.in.Config.Jobs.Eligible(j, c.shared, noted(j, yields), c.reach(j))
	if eligible > j.Eligible[model.Reduce] && c.shared {
		c.floor.changed = true // other nodes than the one in hand may have room for them
	}
	c.state.Let(j, model.Reduce, eligible)
}

// reach returns the free room of the nodes that a job may use, in memory that is used again.
func (c *crew) reach(j *cluster.Job) *[model.Dims]int64 {
	if c.driver.Confiner != nil {
		c.within = c.driver.Confiner.Reach(j)
	} else {
		for d := range c.within { // state.Free without the copy: to copy a pair that was just written takes long
			c.within[d] = c.state.Total[d] - c.state.Used[d]
		}
	}
	return &c.within
}

// stale reports whether a decision to start a reduce of the job, which is nil if it is not there, rests on an eligibility that other
// jobs' tasks have used up since it was worked out. If so it is corrected, and the policy must be asked again.
func (c *crew) stale(now model.Time, j *cluster.Job, k model.Kind) bool {
	if !c.shared || k != model.Reduce {
		return false
	}
	if j == nil || j.Phase != cluster.Admitted || j.Pending(model.Map) == 0 || j.Wants(model.Reduce) <= 0 {
		return false
	}
	c.ramp(j)
	if j.Wants(model.Reduce) > 0 {
		return false
	}
	c.updateWants(now, j, model.Reduce)
	return true
}

// watchMaps plans a look at a job whose maps have no room while its reduces hold some.
func (c *crew) watchMaps(now model.Time, j *cluster.Job) {
	if j.Running[model.Map] > 0 || j.Running[model.Reduce] == 0 || !c.shared || !c.in.Config.Jobs.Preempt || c.run(j).watched || !mapreduce.Starved(j, len(c.exec.Waiting(j))) {
		return
	}
	c.lookLater(now, j)
}

// lookLater plans the look.
func (c *crew) lookLater(now model.Time, j *cluster.Job) {
	rules := &c.in.Config.Jobs
	c.run(j).watched = true
	c.queue.Push(now+max(rules.PreemptAfter, model.Millisecond), jobEvent(preempt, j.ID))
}

// inTheWay returns which of the waiting reduces of a starved job makes way for its maps, or -1: the youngest of those in
// racks where the policy does not hold the maps back.
func (c *crew) inTheWay(j *cluster.Job, waiting []exec.ID) int {
	delayer, last := c.driver.Delayer, len(waiting)-1
	for delayer != nil && last >= 0 && delayer.DelaysMaps(j, c.state.Nodes[c.exec.At(waiting[last]).Node].Rack) {
		last--
	}
	return last
}

// preempt kills the youngest waiting reduces of a starved job, on one node, until a map fits there.
func (c *crew) preempt(now model.Time, id model.JobID) {
	j := c.state.Job(id)
	if j == nil || !c.run(j).watched || j.Phase != cluster.Admitted {
		return
	}
	r := c.run(j)
	r.watched = false
	waiting := c.exec.Waiting(j)
	if !mapreduce.Starved(j, len(waiting)) {
		return
	}
	last := c.inTheWay(j, waiting)
	if last < 0 { // room would not help its maps
		c.lookLater(now, j)
		return
	}
	j.Driven.Notes |= yields
	node := c.exec.At(waiting[last]).Node
	for i := last; i >= 0 && !c.state.Nodes[node].Free.Fits(j.Need[model.Map]); i-- {
		if id := waiting[i]; c.exec.At(id).Node == node {
			c.killAttempt(now, id) // takes it out of waiting, behind i nothing is looked at
		}
	}
	c.ramp(j)
	c.updateWants(now, j, model.Map)
	c.watchMaps(now, j)
	c.floor.freed(now, node, 0)
}
