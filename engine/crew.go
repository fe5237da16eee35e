// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// crew starts and ends attempts: it changes the state, tells the policy, the executor and the record, and
// sees to what the end of a task sets off in its job.
type crew struct {
	*world
	floor   *floor
	manager manager // nil without application masters
	// complete is called when the last task of a job has ended.
	complete func(now model.Time, j *cluster.Job)
	attended bool              // there are application masters or second attempts
	idled    []model.NodeID    // nodes whose room came free beside the one in hand
	doomed   []*cluster.Job    // jobs that are to begin anew
	within   [model.Dims]int64 // what a job may use of the free room, worked out last
}

// manager is who sees to application masters. Once it has been told of a job, the job is admitted when its
// master has started.
type manager interface {
	// submitted lets a job ask for its master.
	submitted(now model.Time, j *cluster.Job)
	// moved is told when an attempt at a task takes room on a node, when it has given it back, and when what it did
	// there is lost.
	moved(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, how move)
	// over is told when a job has ended or was refused.
	over(now model.Time, id model.JobID)
}

// move is what an attempt does with its room.
type move uint8

const (
	taken  move = iota
	done        // given back, the work done
	killed      // given back without
	undone      // its work was done, and is lost
)

// start applies a decision: the task of the job, which is nil if it is not there, takes room on a node and begins to work, unless it is
// a reduce whose maps are not all done.
func (c *crew) start(now model.Time, j *cluster.Job, t model.Task, node model.NodeID) error {
	if err := c.state.StartOf(j, t, node); err != nil {
		return err
	}
	own := &j.Driven
	own.Held[c.pool(t.Kind)] = model.LimitRoom
	own.Limit = own.Held[c.waits(j)]
	c.result.Started++
	var number uint8
	if noted(j, retried) {
		number = c.run(j).begin(t)
	}
	locality := c.locality(j, t, node)
	beat := &c.floor.offer.Beat
	beat.Tasks[t.Kind]++
	if locality == model.Remote {
		beat.OffSwitch++
	}
	c.floor.starts = j
	c.driver.Started(now, j, t, node)
	c.floor.starts = nil
	c.records.SendStart(now, t, node, number, locality, own.Limit)
	if c.manager != nil {
		c.manager.moved(now, j, t, node, taken)
	}
	c.exec.Start(now, j, t, node, number, locality)
	if c.shared {
		if t.Kind == model.Reduce {
			c.watchMaps(now, j)
		}
		c.ramp(j)
	}
	c.updateWants(now, j, t.Kind)
	return nil
}

// ended gives back the room of an attempt whose work is done and offers it.
func (c *crew) ended(now model.Time, j *cluster.Job, a *exec.Attempt) {
	if c.failed != nil {
		return
	}
	t, node, since, length := a.Task, a.Node, a.Since, a.Worked(now)
	c.state.Finish(j, t.Kind, node)
	if c.sizes != nil {
		c.sizes.Ended(t)
	}
	c.records.SendEnd(now, t, node, a.Number, since, length)
	c.driver.Done(now, j, t, node, since, length)
	if c.attended {
		c.attend(now, j, c.run(j), t, node, length)
	}
	complete := j.Complete() // a reduce without work may end, and with it the job, in what the end of a map sets off
	if t.Kind == model.Map {
		c.exec.MapEnded(now, j, t.Index, node)
		if j.Driven.Notes != 0 || c.shared || c.driver.HearsOutput || j.MapsDone() { // mostly it is one among many
			c.mapEnded(now, j, t.Index, node)
		}
	} else if c.shared {
		c.ramp(j)
	}
	if complete {
		c.complete(now, j)
	} else if !j.Complete() {
		c.updateWants(now, j, t.Kind)
	}
	pool := c.pool(t.Kind)
	c.floor.freed(now, node, pool)
	if len(c.idled) > 0 {
		c.offerIdled(now, pool)
	}
	if c.shared && t.Kind == model.Map && j.Phase == cluster.Admitted {
		c.watchMaps(now, j) // unless the next one has started by now
	}
}

// attend tells who sees to masters of the end of a task, and ends its other attempt.
func (c *crew) attend(now model.Time, j *cluster.Job, r *jobRun, t model.Task, node model.NodeID, length model.Time) {
	if c.manager != nil {
		c.manager.moved(now, j, t, node, done)
	}
	if c.in.Config.Faults.Speculation.On {
		r.ended[t.Kind].Add(length)
	}
	if _, doubled := r.seconds[t]; doubled {
		c.dropOther(now, j, t)
	}
}

// offerIdled offers the room of a pool on nodes where it came free beside that in hand.
func (c *crew) offerIdled(now model.Time, pool int) {
	for len(c.idled) > 0 && c.failed == nil {
		other := c.idled[0]
		c.idled = c.idled[1:]
		c.floor.freed(now, other, pool)
	}
}

// mapEnded does what the end of a map sets off: slow start, the end of the map phase.
func (c *crew) mapEnded(now model.Time, j *cluster.Job, index int32, node model.NodeID) {
	if noted(j, traced) {
		c.run(j).where[index] = node
	}
	if j.Total[model.Reduce] > 0 && c.driver.HearsOutput { // to work it out takes a division
		c.driver.Made(now, j, index, node, c.run(j).spec.MapOutput(index))
	}
	released := false
	if noted(j, slowed) && j.Done[model.Map] >= c.mapsFirst(j) {
		c.release(now, j)
		released = true
	} else if c.shared {
		c.ramp(j)
	}
	if j.MapsDone() {
		c.exec.MapsOver(now, j)
	}
	if released && !c.shared {
		c.updateWants(now, j, model.Reduce)
		c.floor.wake(now, c.pool(model.Reduce))
	}
}

// dropOther ends the other attempt of a task that has just ended; its room is offered afterwards.
func (c *crew) dropOther(now model.Time, j *cluster.Job, t model.Task) {
	r := c.run(j)
	started := r.seconds[t]
	delete(r.seconds, t)
	if !started {
		c.state.Single(t)
		c.records.Send(record.Event{Time: now, Kind: record.TaskDropped, Task: t, Node: model.None, Stage: record.Waiting})
		return
	}
	for _, id := range c.exec.OfJob(j, func(a *exec.Attempt) bool { return a.Task == t }) {
		a := c.kill(now, id, record.TaskDropped, func(a *exec.Attempt) { c.state.Drop(t, a.Node) })
		c.told(now, j, a)
		c.idled = append(c.idled, a.Node)
	}
}

// killAttempt ends an attempt without its work done. Its task is pending again, unless it has another
// attempt.
func (c *crew) killAttempt(now model.Time, id exec.ID) {
	t := c.exec.At(id).Task
	j := c.state.Job(t.Job)
	r := c.run(j)
	r.again(j, t, c.exec.At(id).Number)
	kind, leave := record.TaskKilled, func(a *exec.Attempt) {
		c.state.End(t, a.Node, false)
		c.reopen(j, t)
	}
	if _, doubled := r.seconds[t]; doubled {
		delete(r.seconds, t)
		kind, leave = record.TaskDropped, func(a *exec.Attempt) { c.state.Drop(t, a.Node) }
	}
	c.told(now, j, c.kill(now, id, kind, leave))
}

// kill takes an attempt out of the executor and, by leave, out of the state.
func (c *crew) kill(now model.Time, id exec.ID, kind record.Kind, leave func(*exec.Attempt)) *exec.Attempt {
	a, worked := c.exec.Kill(now, id)
	c.result.Killed++
	leave(&a)
	c.records.Send(record.Event{Time: now, Kind: kind, Task: a.Task, Node: a.Node, Attempt: a.Number, Since: a.Since, Length: worked, Stage: a.Stage})
	return &a
}

// told tells the policy and the resource manager of a killed attempt.
func (c *crew) told(now model.Time, j *cluster.Job, a *exec.Attempt) {
	c.driver.Killed(now, j, a.Task, a.Node, a.Since)
	if c.manager != nil {
		c.manager.moved(now, j, a.Task, a.Node, killed)
	}
}

// reopen makes a pending map findable by its blocks.
func (c *crew) reopen(j *cluster.Job, t model.Task) {
	if t.Kind == model.Map && j.Reads && c.in.Replication > 0 {
		c.blocks.Index(t.Job, j.Total[model.Map]).Restore(t.Index)
	}
}

// updateWants tells the policy when the job begins or ceases to want room of a pool, after the
// tasks of kind k have changed.
func (c *crew) updateWants(now model.Time, j *cluster.Job, k model.Kind) {
	if c.yarn {
		return
	}
	own, kinds := &j.Driven, j.Driven.Wants
	if c.shared {
		kinds = [model.Kinds]bool{j.Wants(model.Map) > 0, j.Wants(model.Reduce) > 0}
	} else {
		kinds[k] = j.Wants(k) > 0
	}
	if kinds == own.Wants {
		return
	}
	pool, before, wants := int(k), own.Wants[k], kinds[k]
	if c.shared {
		pool, before, wants = 0, own.Wants != [model.Kinds]bool{}, kinds != [model.Kinds]bool{}
	}
	own.Wants = kinds
	if wants != before {
		c.floor.want(pool, wants)
		c.driver.Wants(now, j, pool, wants)
		if limit := own.Held[c.waits(j)]; limit != own.Limit { // maps are to start again, or no longer
			own.Limit = limit
			c.records.SendLimit(now, record.JobBlocked, j.ID, limit)
		}
	}
	if c.driver.Kinds != nil {
		c.driver.Kinds.Look(now, j)
	}
}
