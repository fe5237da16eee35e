// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rm"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// yard brings YARN's resource manager to the engine.
type yard struct {
	*world
	*handover.Cluster
	crew  *crew
	life  *life
	floor *handover.Floor
	nodes []*capacity.Node
	near  []*capacity.Node // scratch

	apps   rm.Ledger  // kept for the tuner alone
	tuning *tuning    // nil without a tuner
	file   *fileShare // nil unless a tuner's share stands in a file
}

func newYard(w *world, c *crew, l *life) *yard {
	y := &yard{world: w, Cluster: w.in.Yarn, crew: c, life: l}
	nodes := make([]capacity.Node, len(w.state.Nodes))
	for i := range nodes {
		n := &w.state.Nodes[i]
		nodes[i] = capacity.Node{Name: fmt.Sprintf("node%d", i), Rack: fmt.Sprintf("/rack%d", n.Rack), Total: handover.Resource(n.Room)}
		if t := w.in.Topology; t.Names != nil {
			nodes[i].Name, nodes[i].Rack = t.Names[i], t.RackNames[n.Rack]
		}
	}
	y.floor = handover.New(handover.Site{
		Settings: y.Settings, Changes: y.Changes, Rules: y.Rules, Nodes: nodes, Seed: w.in.Seed,
		NewMaster: func(job mapreduce.Work, t mapreduce.Tasks) mapreduce.Master {
			return y.NewMaster(&w.in.Jobs[job.Job], job, t)
		},
		At:    func(t model.Time, e handover.Event) { w.queue.Push(t, handOver(e)) },
		Alarm: func(t model.Time, e handover.Event) { w.queue.SetAlarm(t, handOver(e)) },
		Callbacks: handover.Callbacks{MasterGiven: y.given, MasterReady: y.ready, MasterGone: y.gone, Launch: y.launch, Kill: y.kill, Held: y.held, Open: y.recordRoom, AppFailed: y.failedApp,
			Watch: y.Watch, Decisions: w.in.Decisions, Fail: w.fail},
	})
	y.nodes = slices.Clone(y.floor.Manager().Nodes())
	return y
}

func handOver(e handover.Event) event { return event{kind: handsOver, sub: uint8(e.Kind), of: e.Of} }

// startTuner builds the tuner, if there is one, and lets it say which share acts from the beginning.
func (y *yard) startTuner() error {
	choice := y.in.Tuner
	if choice == nil {
		return nil
	}
	rules := &rm.Rules{} // for the picture of the hosts
	rules.SetDefaults()
	y.apps = rm.NewLedger()
	refreshed := newRefreshedShare(y)
	y.tuning = &tuning{world: y.world, apps: &y.apps, share: refreshed, rules: rules}
	if y.Reload != nil {
		file := rm.NewShare(refreshed.share, *y.Reload, y.in.Seed)
		y.file = &fileShare{shareFile{world: y.world, file: &file}, refreshed}
		y.tuning.share = y.file
	}
	if len(y.in.Jobs) > 0 {
		y.tuning.am = y.floor.Manager().Normalize(y.Master(&y.in.Jobs[0])).Memory
	}
	if err := y.tuning.start(choice); err != nil || y.file == nil {
		return err
	}
	return y.file.act()
}

// room returns what the state of the cluster books for a container. A scheduler that looks at memory alone may
// give out more vcores than there are.
func (y *yard) room(r queue.Resource) model.Room {
	if _, memory := y.Settings.Calculator.(queue.Memory); memory {
		r.VCores = 0
	}
	return handover.Room(r)
}

// submitted implements manager.
func (y *yard) submitted(now model.Time, j *cluster.Job) {
	spec := y.run(j).spec
	job := &handover.Job{ID: j.ID, Queue: spec.Queue, User: spec.User, Priority: handover.AppPriority(spec.Priority), Master: y.Master(spec)}
	job.Job, job.Total = j.ID, j.Total
	if y.Start != nil {
		job.Start = y.Start(spec)
	}
	for k, need := range j.Need {
		job.Size[k] = handover.Resource(need)
		j.Need[k] = y.room(job.Size[k])
	}
	if spec.Blocks != nil || j.Reads && y.in.Replication > 0 {
		job.Near = func(index int32) []*capacity.Node { return y.blockNodes(j, spec, index) }
	}
	if y.tuning != nil {
		y.apps.Add(j)
	}
	var no *capacity.Rejection
	switch err := y.floor.Submit(now, job); {
	case errors.As(err, &no): // too many applications, or a queue that a refresh has stopped
		y.life.refuse(now, j, model.LimitInit)
	case err != nil:
		y.fail(fmt.Errorf("job %q: %w", spec.Name, err))
	}
}

// blocked notes what holds a job back.
func (y *yard) blocked(now model.Time, j *cluster.Job, limit model.Limit) {
	if j.Driven.Limit != limit {
		j.Driven.Limit = limit
		y.records.SendLimit(now, record.JobBlocked, j.ID, limit)
	}
}

// limits are the names of holds in results.
var limits = [...]model.Limit{
	capacity.NotHeld: model.LimitHeartbeat, capacity.HeldByRoom: model.LimitRoom, capacity.HeldByUser: model.LimitUser,
	capacity.HeldByQueue: model.LimitQueueMax, capacity.HeldByParent: model.LimitParentMax, capacity.HeldByLocality: model.LimitLocality,
	capacity.HeldByMasters: model.LimitAMShare, capacity.HeldByUserMaster: model.LimitUserAMShare, capacity.HeldByParallel: model.LimitInit,
}

// held notes what a job waits for: containers that the scheduler does not give, or, if it has been given one for each
// task that waits, their hand-over.
func (y *yard) held(now model.Time, id model.JobID, a *capacity.Attempt, containers int) {
	j := y.state.Job(id)
	if j == nil || j.Phase != cluster.Submitted && j.Phase != cluster.Admitted {
		return
	}
	limit := limits[a.Hold()]
	if j.Phase == cluster.Admitted {
		waits := j.Pending(model.Map)
		if waits == 0 {
			waits = j.Pending(model.Reduce)
		}
		if waits == 0 {
			return // nothing that could be held back
		}
		if containers >= int(waits) {
			limit = model.LimitHandOver
		}
	}
	y.blocked(now, j, limit)
	if y.in.Held != nil {
		y.in.Held(now, id, limit, a.Why())
	}
}

// blockNodes returns the nodes that a map prefers.
func (y *yard) blockNodes(j *cluster.Job, spec *model.Job, index int32) []*capacity.Node {
	var ids []model.NodeID
	if spec.Blocks != nil {
		ids = spec.Blocks[index]
	}
	if len(ids) == 0 && j.Reads && y.in.Replication > 0 {
		ids = y.blocks.Index(j.ID, j.Total[model.Map]).Block(index)
	}
	y.near = y.near[:0]
	for _, id := range ids {
		y.near = append(y.near, y.nodes[id])
	}
	return y.near
}

// moved implements manager.
func (y *yard) moved(now model.Time, _ *cluster.Job, t model.Task, node model.NodeID, how move) {
	switch how {
	case done:
		y.floor.TaskEnded(now, t, node)
	case undone:
		y.floor.Undone(now, t)
	}
}

// over implements manager. The master of a job that has ended stays for a while; that of one that was refused or has failed is
// not there.
func (y *yard) over(_ model.Time, id model.JobID) {
	if y.tuning == nil {
		return
	}
	a := y.apps.App(id)
	y.apps.Finish(id)
	if !a.Holds {
		y.apps.End(a)
	}
}

// given notes that a master has got its container.
func (y *yard) given(now model.Time, id model.JobID, c *capacity.Container) {
	node := handover.NodeOf(c)
	if !y.state.Hold(node, y.room(c.Size)) {
		y.fail(fmt.Errorf("no room for the master of job %d on node %d", id, node))
	}
	y.state.Job(id).Driven.Limit = model.LimitRoom
	if y.tuning != nil {
		y.apps.Begin(y.apps.App(id), node)
		y.tuning.planSample(now)
	}
	y.recordHeld(now, record.AMStarted, id, node, handover.Room(c.Size))
}

// ready admits the job of a master that has started.
func (y *yard) ready(now model.Time, id model.JobID, _ *capacity.Container) {
	j := y.state.Job(id)
	y.blocked(now, j, model.LimitHandOver) // it will ask at its next heartbeat
	if j.Phase != cluster.Admitted {       // it is not a second attempt
		y.life.apply(now, j)
	}
}

// failedApp takes a job out whose master is lost for good.
func (y *yard) failedApp(now model.Time, id model.JobID) { y.life.abandon(now, y.state.Job(id)) }

// gone notes that a master has given its container back.
func (y *yard) gone(now model.Time, id model.JobID, c *capacity.Container) {
	node := handover.NodeOf(c)
	y.state.Unhold(node, y.room(c.Size))
	if y.tuning != nil {
		if a := y.apps.App(id); a.Job == nil {
			y.apps.End(a)
		} else {
			y.apps.Again(a)
		}
	}
	y.recordHeld(now, record.AMEnded, id, node, handover.Room(c.Size))
}

// launch starts a task in its container.
func (y *yard) launch(now model.Time, t model.Task, node model.NodeID) {
	if err := y.crew.start(now, y.state.Job(t.Job), t, node); err != nil {
		y.fail(fmt.Errorf("at %v: %s %d of job %d on node %d: %w", now, t.Kind, t.Index, t.Job, node, err))
	}
}

// kill ends a task that runs in a container.
func (y *yard) kill(now model.Time, t model.Task, node model.NodeID) {
	ids := y.exec.OfJob(y.state.Job(t.Job), func(a *exec.Attempt) bool { return a.Task == t && a.Node == node })
	if len(ids) == 0 { // of two attempts on one node either may go
		y.fail(fmt.Errorf("at %v: %s %d of job %d is to be killed on node %d, where it does not run", now, t.Kind, t.Index, t.Job, node))
		return
	}
	y.crew.killAttempt(now, ids[0])
}
