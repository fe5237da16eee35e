// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rng"
)

// faults makes nodes fail and looks for tasks that straggle.
//
// When a node is lost, what runs there is killed and pending again, and maps that read a block from it read
// another replica; where all holders of a block are lost, HDFS is taken to have made a new one on some
// other node. Replicas that are being written to it are written on.
//
// Hadoop waits for a node that is silent, ten minutes by default, before it gives it up. Until then the map
// output on its disks counts as there, and a node that returns in time brings it back. Maps whose output
// is given up must run again if the job has reduces that do not have all their data yet; reduces keep what
// they have fetched and fetch again what they had not.
type faults struct {
	*world
	floor  *floor
	crew   *crew
	rules  *mishap.Rules
	uptime *rng.Stream
	yard   *yard        // nil unless YARN's resource manager gives room
	losses []uint32     // by node: how many losses were drawn
	expiry []des.Handle // by node: when it is given up
}

func newFaults(w *world, f *floor, c *crew) *faults {
	return &faults{world: w, floor: f, crew: c, rules: &w.in.Config.Faults, uptime: rng.New(w.in.Seed, rng.NodeLoss),
		expiry: make([]des.Handle, len(w.state.Nodes))}
}

// plan makes events of the losses that are given and of the first random one of each node.
func (f *faults) plan() {
	for _, l := range f.rules.Losses {
		for _, node := range f.lost(l) {
			f.queue.Push(l.At, nodeEvent(nodeLost, node))
			if l.For > 0 {
				f.queue.Push(l.At+l.For, nodeEvent(nodeReturns, node))
			}
		}
	}
	if f.rules.MeanUptime > 0 {
		f.losses = make([]uint32, len(f.state.Nodes))
		for n := range f.state.Nodes {
			f.planLoss(0, model.NodeID(n))
		}
	}
}

// lost returns the nodes that a loss takes.
func (f *faults) lost(l mishap.Loss) (nodes []model.NodeID) {
	for i := range f.state.Nodes {
		if l.Takes(model.NodeID(i), f.state.Nodes[i].Rack) {
			nodes = append(nodes, model.NodeID(i))
		}
	}
	return nodes
}

// planLoss draws when a node that works is lost next, and for how long.
func (f *faults) planLoss(now model.Time, node model.NodeID) {
	r := f.uptime.At(uint64(node), uint64(f.losses[node]), 0)
	f.losses[node]++
	at := now + max(1, model.Seconds(min(r.ExpFloat64()*f.rules.MeanUptime.Seconds(), cluster.MaxLength.Seconds())))
	back := at + max(1, model.Seconds(r.ExpFloat64()*f.rules.MeanRepair.Seconds()))
	f.queue.Push(at, nodeEvent(nodeLost, node))
	f.queue.Push(back, event{kind: nodeReturns, random: true, of: int32(node)})
}

// lose takes a node out with all that runs and lies there.
func (f *faults) lose(now model.Time, node model.NodeID) {
	if f.state.Nodes[node].Lost {
		return // two losses overlap
	}
	f.recordNode(now, record.NodeLost, node)
	affected := map[*cluster.Job]bool{}
	for _, id := range f.exec.OnNode(node) {
		affected[f.state.Job(f.exec.At(id).Task.Job)] = true
		f.crew.killAttempt(now, id)
	}
	if f.yard != nil {
		f.yard.floor.Silence(now, node)
	}
	f.state.Lose(node)
	f.floor.markAll(node)
	if f.rules.Expiry == 0 {
		f.loseOutputs(now, node, affected)
		if f.yard != nil {
			f.yard.floor.GiveUp(now, node)
		}
	} else {
		f.expiry[node] = f.queue.Push(now+f.rules.Expiry, nodeEvent(nodeExpires, node))
	}
	f.exec.NodeLost(now, node)
	f.update(now, affected)
}

// giveUp takes the map output for lost that lies on a node which has not returned.
func (f *faults) giveUp(now model.Time, node model.NodeID) {
	affected := map[*cluster.Job]bool{}
	f.loseOutputs(now, node, affected)
	if f.yard != nil {
		f.yard.floor.GiveUp(now, node)
	}
	f.update(now, affected)
}

// loseOutputs makes maps of all jobs run again that ended on a node, and adds the jobs to those affected.
func (f *faults) loseOutputs(now model.Time, node model.NodeID, affected map[*cluster.Job]bool) {
	for _, j := range f.state.Jobs() {
		if j.Phase == cluster.Admitted && f.loseOutput(now, j, node) {
			affected[j] = true
		}
	}
}

// update sees to what jobs want after they have lost attempts or output.
func (f *faults) update(now model.Time, affected map[*cluster.Job]bool) {
	for _, j := range f.state.Jobs() {
		if affected[j] {
			f.crew.ramp(j)
			f.crew.updateWants(now, j, model.Map)
			f.crew.updateWants(now, j, model.Reduce)
			f.crew.watchMaps(now, j)
		}
	}
	f.floor.wakeAll(now)
}

// bring brings a node back, without any task, and draws its next loss if the last was a random one.
func (f *faults) bring(now model.Time, node model.NodeID, random bool) {
	if n := &f.state.Nodes[node]; n.Lost && !f.rules.Gone(now, node, n.Rack) {
		f.queue.Cancel(f.expiry[node])
		f.state.Return(node)
		f.recordNode(now, record.NodeReturned, node)
		if f.yard != nil {
			f.yard.floor.Return(now, node)
		}
		f.floor.markAll(node)
		f.floor.wakeAll(now)
	}
	if random {
		f.planLoss(now, node)
	}
}

func (f *faults) recordNode(now model.Time, kind record.Kind, node model.NodeID) {
	f.records.Send(record.Event{Time: now, Kind: kind, Task: model.Task{Job: model.None}, Node: node})
}

// loseOutput makes the maps of a job that ended on a lost node run again, if some reduce still needs
// them, and reports whether it did.
func (f *faults) loseOutput(now model.Time, j *cluster.Job, node model.NodeID) bool {
	r := f.run(j)
	if r.where == nil || j.Total[model.Reduce]-j.Done[model.Reduce] <= f.exec.Computing(j) {
		return false
	}
	var lost []int32
	wereOver := j.MapsDone()
	for i, n := range r.where {
		if n != node {
			continue
		}
		lost = append(lost, int32(i))
		t := model.Task{Job: j.ID, Kind: model.Map, Index: int32(i)}
		f.crew.undo(now, j, t)
	}
	if len(lost) == 0 {
		return false
	}
	f.exec.OutputLost(now, j, lost, node, wereOver)
	return true
}

// planLook makes an event of the next look for tasks of a job that straggle.
func (w *world) planLook(at model.Time, id model.JobID) {
	w.looks++
	w.queue.Push(at, jobEvent(speculation, id))
}

// look looks for tasks of a job that straggle, unless nothing but such looks is to come: then nothing runs, and nothing
// will.
func (s *sim) look(now model.Time, id model.JobID) {
	s.looks--
	if s.queue.Len() == s.looks {
		return
	}
	if s.slow != nil {
		s.slow.look(now, id)
	} else {
		s.faults.speculate(now, id)
	}
}

// speculate looks for a task of the job that seems to straggle and asks for a second attempt, if the job has
// nothing else to start. It looks again after the interval, until the job ends.
func (f *faults) speculate(now model.Time, id model.JobID) {
	j := f.state.Job(id)
	if j == nil || j.Phase != cluster.Admitted {
		return
	}
	rules := &f.rules.Speculation
	f.planLook(now+rules.Interval, id)
	for k := range model.Kind(model.Kinds) {
		most := max(1, int32(float64(rules.Share)*float64(j.Total[k])))
		ended := &f.run(j).ended[k]
		if j.Running[k] == 0 || j.Pending(k) > 0 || j.Doubled[k] >= most || ended.Count == 0 {
			continue
		}
		mean := ended.Mean()
		if t, found := f.slowest(now, j, k, max(rules.After, model.Time(rules.Slower*mean))); found {
			f.double(now, j, t)
		}
	}
}

// slowest finds the task without a second attempt whose attempt has worked longest, and longer than a
// given time.
func (f *faults) slowest(now model.Time, j *cluster.Job, k model.Kind, than model.Time) (slow model.Task, found bool) {
	for _, id := range f.exec.OfJob(j, func(a *exec.Attempt) bool { return a.Task.Kind == k }) {
		a := f.exec.At(id)
		if _, doubled := f.run(j).seconds[a.Task]; !doubled && a.Worked(now) > than {
			slow, found, than = a.Task, true, a.Worked(now)
		}
	}
	return slow, found
}

// double makes a running task pending for a second attempt.
func (f *faults) double(now model.Time, j *cluster.Job, t model.Task) {
	r := f.run(j)
	f.crew.attended = true
	if r.seconds == nil {
		r.seconds = map[model.Task]bool{}
	}
	r.seconds[t] = false
	r.again(j, t, r.tries[t])
	f.state.Double(t)
	f.crew.reopen(j, t)
	f.records.Send(record.Event{Time: now, Kind: record.TaskDoubled, Task: t, Node: model.None})
	f.driver.Doubled(now, j, t)
	f.crew.updateWants(now, j, t.Kind)
	f.floor.wakeAll(now)
}
