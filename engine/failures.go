// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// When a node is lost, what runs there is killed and pending again. Maps that ended there lose their
// output; they must run again if the job has reduces that do not have all their data yet. Reduces keep what
// they have fetched and fetch again what they had not. A lost node holds no blocks; where all holders of a
// block are lost, HDFS is taken to have made a new replica on some other node. Replicas that are being
// written to a lost node are written on.

// runner is an attempt that holds room.
type runner struct {
	task   model.Task
	node   model.NodeID
	number uint8
	stage  record.Stage
	worked model.Time
	slot   int32      // under network and resources, or None
	timer  des.Handle // of the event that ends it, if it waits for one
}

// planLosses makes events of the losses that are given and of the first random one of each node.
func (s *sim) planLosses() {
	f := &s.in.Config.Faults
	for _, l := range f.Losses {
		s.queue.Push(l.At, event{kind: nodeLost, node: l.Node})
		if l.For > 0 {
			s.queue.Push(l.At+l.For, event{kind: nodeReturns, node: l.Node})
		}
	}
	if f.MeanUptime > 0 {
		s.losses = make([]uint32, len(s.state.Nodes))
		for n := range s.state.Nodes {
			s.planLoss(0, model.NodeID(n))
		}
	}
}

// planLoss draws when a node that works is lost next, and for how long.
func (s *sim) planLoss(now model.Time, node model.NodeID) {
	f := &s.in.Config.Faults
	r := s.uptime.At(uint64(node), uint64(s.losses[node]), 0)
	s.losses[node]++
	at := now + max(1, model.Seconds(min(r.ExpFloat64()*f.MeanUptime.Seconds(), maxLength.Seconds())))
	back := at + max(1, model.Seconds(r.ExpFloat64()*f.MeanRepair.Seconds()))
	s.queue.Push(at, event{kind: nodeLost, node: node})
	s.queue.Push(back, event{kind: nodeReturns, node: node, attempt: 1})
}

// loseNode takes a node out with all that runs and lies there.
func (s *sim) loseNode(now model.Time, node model.NodeID) {
	if s.state.Nodes[node].Lost {
		return // two losses overlap
	}
	s.record(now, record.NodeLost, model.Task{Job: model.None}, node, 0)
	affected := map[model.JobID]bool{}
	for _, r := range s.runners(now, func(_ model.Task, n model.NodeID) bool { return n == node }) {
		affected[r.task.Job] = true
		s.killRunner(now, &r)
	}
	s.state.Lose(node)
	for p := range s.pools {
		s.mark(node, p)
	}
	jobs := s.state.Jobs()
	for _, j := range jobs {
		if j.Phase == cluster.Admitted && s.loseOutput(now, j, node) {
			affected[j.ID] = true
		}
	}
	if s.phys != nil {
		s.rereadFrom(now, node)
	}
	for _, j := range jobs {
		if affected[j.ID] {
			s.ramp(j)
			s.updateWants(now, j, model.Map)
			s.updateWants(now, j, model.Reduce)
			s.watchMaps(now, j)
		}
	}
	s.wakeAll(now)
}

// returnNode brings a node back, empty.
func (s *sim) returnNode(now model.Time, node model.NodeID, random bool) {
	if s.state.Nodes[node].Lost {
		s.state.Return(node)
		s.record(now, record.NodeReturned, model.Task{Job: model.None}, node, 0)
		for p := range s.pools {
			s.mark(node, p)
		}
		s.wakeAll(now)
	}
	if random {
		s.planLoss(now, node)
	}
}

// runners lists the attempts that keep accepts, in order of task and attempt.
func (s *sim) runners(now model.Time, keep func(model.Task, model.NodeID) bool) (list []runner) {
	s.queue.Each(func(h des.Handle, at model.Time, e *event) bool {
		t := model.Task{Job: e.job, Kind: e.task, Index: e.index}
		if (e.kind == taskEnd || e.kind == shuffleEnd) && keep(t, e.node) {
			r := runner{task: t, node: e.node, number: e.attempt, stage: record.Computing, worked: e.length - (at - now), slot: model.None, timer: h}
			if e.kind == shuffleEnd {
				r.stage = record.Shuffling
			}
			list = append(list, r)
		}
		return true
	})
	if s.phys != nil {
		list = append(list, s.slotRunners(now, keep)...)
	} else {
		for i := range s.jobs {
			for _, h := range s.jobs[i].held {
				if t := (model.Task{Job: model.JobID(i), Kind: model.Reduce, Index: h.index}); keep(t, h.node) {
					list = append(list, runner{task: t, node: h.node, number: h.attempt, stage: record.Waiting, slot: model.None})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b runner) int {
		return cmp.Or(cmp.Compare(a.task.Job, b.task.Job), cmp.Compare(a.task.Kind, b.task.Kind),
			cmp.Compare(a.task.Index, b.task.Index), cmp.Compare(a.number, b.number))
	})
	return list
}

func (s *sim) slotRunners(now model.Time, keep func(model.Task, model.NodeID) bool) (list []runner) {
	for i := range s.phys.attempts {
		a := &s.phys.attempts[i]
		if a.step == stepNone || a.step == stepFlush || !keep(a.task, a.node) {
			continue
		}
		r := runner{task: a.task, node: a.node, number: a.number, stage: record.Computing, worked: now - a.since, slot: int32(i)}
		if a.task.Kind == model.Reduce && a.step <= stepFetch {
			r.stage, r.worked = record.Waiting, 0
			if a.group != model.None && s.state.Job(a.task.Job).MapsDone() {
				r.stage, r.worked = record.Shuffling, now-a.since
			}
		}
		list = append(list, r)
	}
	return list
}

// stop takes an attempt out of whatever it waits for.
func (s *sim) stop(now model.Time, r *runner) {
	run := &s.jobs[r.task.Job]
	if r.slot != model.None {
		s.drop(now, r.slot)
	}
	s.queue.Cancel(r.timer)
	if r.stage == record.Waiting {
		run.held = slices.DeleteFunc(run.held, func(h held) bool { return h.index == r.task.Index && h.attempt == r.number })
	}
	if r.stage == record.Computing && r.task.Kind == model.Reduce {
		run.computing--
	}
	s.result.Killed++
	s.event.Length, s.event.Stage = r.worked, r.stage
}

// killRunner ends an attempt without its work done. Its task is pending again, unless it has another
// attempt.
func (s *sim) killRunner(now model.Time, r *runner) {
	j, run := s.state.Job(r.task.Job), &s.jobs[r.task.Job]
	s.stop(now, r)
	run.again(r.task, r.number)
	kind := record.TaskKilled
	if _, doubled := run.seconds[r.task]; doubled {
		kind = record.TaskDropped
		delete(run.seconds, r.task)
		s.state.Drop(r.task, r.node)
	} else {
		s.state.End(r.task, r.node, false)
		s.reopen(r.task)
	}
	s.record(now, kind, r.task, r.node, r.number)
	s.driver.Killed(now, j, r.task, r.node)
}

// reopen makes a pending map findable by its blocks.
func (s *sim) reopen(t model.Task) {
	if j := s.state.Job(t.Job); t.Kind == model.Map && j.Input > 0 && s.in.Replication > 0 {
		s.blocks.Index(t.Job, j.Total[model.Map]).Restore(t.Index)
	}
}

// again notes that the next attempt of a task has a higher number than this one.
func (r *jobRun) again(t model.Task, number uint8) {
	if r.attempts == nil {
		r.attempts = map[model.Task]uint8{}
	}
	if number < 255 {
		number++
	}
	r.attempts[t] = max(r.attempts[t], number)
}

// loseOutput makes the maps of a job that ended on a lost node run again, if some reduce still needs
// them, and reports whether it did.
func (s *sim) loseOutput(now model.Time, j *cluster.Job, node model.NodeID) bool {
	r := &s.jobs[j.ID]
	if r.where == nil || j.Total[model.Reduce]-j.Done[model.Reduce] <= r.computing {
		return false
	}
	var lost []int32
	wasDone := j.MapsDone()
	for i, n := range r.where {
		if n == node {
			lost = append(lost, int32(i))
			t := model.Task{Job: j.ID, Kind: model.Map, Index: int32(i)}
			r.where[i] = model.None
			r.again(t, r.attempts[t])
			s.state.Undo(t)
			s.reopen(t)
			if s.sizes != nil {
				s.sizes.undone(t)
			}
			s.record(now, record.TaskUndone, t, node, 0)
		}
	}
	if len(lost) == 0 {
		return false
	}
	if wasDone {
		s.waitAgain(now, j)
	}
	if s.phys != nil {
		s.loseFetches(now, j, lost, node)
	}
	return true
}

// waitAgain makes the reduces that copied after the last map wait for maps again.
func (s *sim) waitAgain(now model.Time, j *cluster.Job) {
	run := &s.jobs[j.ID]
	copying := s.runners(now, func(t model.Task, _ model.NodeID) bool { return t.Job == j.ID && t.Kind == model.Reduce })
	for i := range copying {
		r := &copying[i]
		if s.phys == nil && r.stage != record.Shuffling {
			continue
		}
		if s.phys != nil && (r.slot == model.None || s.phys.attempts[r.slot].step > stepFetch) {
			continue
		}
		s.queue.Cancel(r.timer)
		run.held = append(run.held, held{index: r.task.Index, node: r.node, slot: r.slot, attempt: r.number})
		if s.phys == nil || s.phys.attempts[r.slot].group != model.None {
			s.record(now, record.TaskWaiting, r.task, r.node, r.number)
		}
	}
}
