// SPDX-License-Identifier: Apache-2.0

// Package handover brings YARN's resource manager to a simulated cluster: nodes and masters send their
// heartbeats, containers are handed over step by step, and tasks run in them.
//
//	allocated   at a heartbeat of the node
//	acquired    at the next heartbeat of the master, which decides what to run in it
//	launched    when the process of the task has started: from now on an executor has it
//	ended       when the executor says so
//	completed   at the next heartbeat of the node: only now the room is free again
//
// A heartbeat that would change nothing is left out: that of a node without room or news while nothing is
// asked for, that of a master which has nothing to say or to hear. All others come at their time.
//
// Floor owns no clock: whoever drives it keeps the events that it asks for, and hands each back with Happen.
package handover

import (
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Event is what a Floor waits for.
type Event struct {
	Kind EventKind
	Of   int32 // number of the application or of the change, or how many tasks are ready
}

// EventKind is one of the kinds of event that a Floor knows.
type EventKind uint8

const (
	nodeBeats   EventKind = iota // the next node that has a reason sends its heartbeat
	masterBeats                  // a master sends its heartbeat
	masterReady                  // a master has started
	masterEnds                   // the process of a master ends
	tasksReady                   // the processes of tasks have started
	refreshes                    // the scheduler reads its settings again
	nodeReports                  // a node reports what has ended, out of turn
	looks                        // the monitor of pre-emption looks at the queues
)

// Site is what a Floor stands on.
type Site struct {
	Settings *settings.Scheduler
	Rules    Rules
	Changes  []Change        // of the settings, while applications run
	Nodes    []capacity.Node // names, racks and room, by number
	Seed     uint64
	// At keeps an event until its time has come. Alarm does the same with one that takes the place of the last one that it was
	// given: the next heartbeat of a node.
	At, Alarm func(t model.Time, e Event)
	// NewMaster returns the master of a job that is admitted.
	NewMaster func(w mapreduce.Work, tasks mapreduce.Tasks) mapreduce.Master
	Callbacks
}

// Callbacks is what a Floor tells whoever drives it.
type Callbacks struct {
	// MasterGiven is called when a master has got its container, MasterReady when it has started, and
	// MasterGone when it has given the container back.
	MasterGiven, MasterReady, MasterGone func(now model.Time, job model.JobID, c *capacity.Container)
	// Held is called when something else holds a job back, or the number of its containers changes that are given and
	// not launched.
	Held func(now model.Time, job model.JobID, a *capacity.Attempt, containers int)
	// Open is called when some nodes have room for the smallest container (true) after none had, and the other way round.
	Open func(now model.Time, some bool)
	// Launch starts a task in a container, Kill ends it.
	Launch func(now model.Time, t model.Task, node model.NodeID)
	Kill   func(now model.Time, t model.Task, node model.NodeID)
	// Watch, if set, follows containers. The task is of no job where it is not known, or is a master.
	Watch func(now model.Time, s Step, c *capacity.Container, t model.Task)
	// Decisions, if set, hears what the resource manager decides.
	Decisions Decisions
	// AppFailed is called when an application has failed: its master is lost and has no other attempt.
	AppFailed func(now model.Time, job model.JobID)
	// Fail is told of what makes a run impossible.
	Fail func(error)
}

// Decisions hears what the resource manager decides, step by step.
type Decisions interface {
	yarn.Log
	// Step is called before each thing that happens.
	Step(now model.Time)
	// Activated is called when the limits on masters let an attempt in.
	Activated(a *capacity.Attempt)
	// Noted is called when a container will be pre-empted unless things change.
	Noted(c *capacity.Container)
}

// Step is how far a container has come.
type Step uint8

// The steps.
const (
	Allocated Step = iota
	Acquired
	Launched
	Completed
	Aborted // instead of completed: taken away, or given back
)

// Floor is the nodes and masters of a cluster around its resource manager.
type Floor struct {
	Site
	rm    *yarn.Manager
	ready bool // all nodes are there
	now   model.Time
	nodes []node

	beats       beats
	watcher     watcher
	beating     model.NodeID // the node whose heartbeat is in hand, None if none is
	masterShare *float32     // as set last, nil if the settings say it

	apps     []*app // by number, from 1
	byJob    []*app // by job, nil for those without a master to come or to work
	launches launches
	answer   mapreduce.Answer // to the heartbeat in hand
}

// node is a node with what it will report.
type node struct {
	*capacity.Node
	pos    int // in the ring of heartbeats
	done   []yarn.Done
	silent bool // it sends no heartbeats
	lost   bool // and is given up
}

// New returns the floor of a cluster without applications.
func New(s Site) *Floor {
	f := &Floor{Site: s, beating: model.None, apps: []*app{nil}}
	f.rm = yarn.NewManager(s.Settings, f)
	f.watcher.floor = f
	f.watcher.configure()
	f.rm.OnActivate(f.activated)
	f.rm.OnHold(func(a *capacity.Attempt) { f.apps[a.App].held(a) })
	f.nodes = make([]node, len(s.Nodes))
	all := make([]*capacity.Node, len(s.Nodes))
	for i := range s.Nodes {
		c := s.Nodes[i]
		c.Number = i
		f.nodes[i].Node = &c
		all[i] = &c
	}
	f.rm.AddNodes(all)
	f.beats = newBeats(&f.Site)
	for pos, id := range f.beats.ring {
		f.nodes[id].pos = pos
		f.mark(id)
	}
	f.ready = true
	for i, c := range s.Changes {
		f.At(c.At, Event{refreshes, int32(i)})
	}
	return f
}

// Manager returns the resource manager, to look at.
func (f *Floor) Manager() *yarn.Manager { return f.rm }

// Happen takes an event whose time has come.
func (f *Floor) Happen(now model.Time, e Event) {
	f.set(now)
	switch e.Kind {
	case nodeBeats:
		f.beat(f.beats.take(f.now))
	case masterBeats:
		if a := f.apps[e.Of]; a.at == now {
			a.beat()
		}
	case masterReady:
		if a := f.apps[e.Of]; a.readyAt == now {
			a.ready()
		}
		return // nothing to plan
	case masterEnds:
		f.apps[e.Of].leave()
	case tasksReady:
		f.launched(e.Of)
		return // nothing to plan
	case refreshes:
		f.refresh(&f.Changes[e.Of])
	case nodeReports:
		f.beat(model.NodeID(e.Of))
	case looks:
		f.watcher.look()
		return
	}
	f.plan()
}

// set sets the clock, which the resource manager reads in milliseconds.
func (f *Floor) set(now model.Time) {
	f.now = now
	f.rm.At(int64(now / model.Millisecond))
	if f.Decisions != nil {
		f.Decisions.Step(now)
	}
}

// mark notes whether a node has room for a container. A node that is kept for one has none for others, and sends its heartbeats
// until these change nothing any more.
func (f *Floor) mark(id model.NodeID) {
	n := &f.nodes[id]
	before := f.beats.open.Len()
	kept := n.Reserved() != nil
	if kept && !n.silent && !f.rm.Idle(n.Node) {
		f.beats.news.Add(n.pos)
	}
	if !n.silent && !kept && f.rm.Tree().Fits(f.Settings.MinAlloc, n.Free()) {
		f.beats.open.Add(n.pos)
	} else {
		f.beats.open.Remove(n.pos)
	}
	if now := f.beats.open.Len(); f.Open != nil && f.ready && (before == 0) != (now == 0) {
		f.Open(f.now, now > 0)
	}
}

// report lets a node have something to say at its next heartbeat, or at once.
func (f *Floor) report(id model.NodeID) *node {
	n := &f.nodes[id]
	if !n.silent {
		f.beats.news.Add(n.pos)
		if f.Rules.AtOnce {
			f.At(f.now, Event{nodeReports, int32(id)})
		}
	}
	return n
}

// asked reports whether somebody asks for room and may get it.
func (f *Floor) asked() bool {
	tree := f.rm.Tree()
	return !f.rm.Dry() && tree.Some(tree.Queues[0].Pending)
}

// plan makes an event of the next heartbeat of a node, and of the next look at the queues.
func (f *Floor) plan() {
	f.beats.plan(f.now, f.asked())
	f.watcher.plan()
}

// beat is a node's heartbeat: it reports what has ended, and is given containers.
func (f *Floor) beat(id model.NodeID) {
	n := &f.nodes[id]
	if n.silent {
		return
	}
	f.beating = id
	f.rm.NodeHeartbeat(n.Node, n.done)
	f.beating = model.None
	if f.Watch == nil && f.Decisions == nil { // nobody follows containers
		recycle(f.rm, n.done)
	}
	n.done = n.done[:0]
	f.beats.news.Remove(n.pos)
	f.mark(id)
}

// Started implements yarn.Log.
func (f *Floor) Started(c *capacity.Container) {
	f.watch(Allocated, c, model.Task{Job: model.None})
	if f.Decisions != nil {
		f.Decisions.Started(c)
	}
	a := f.apps[c.Attempt.App]
	a.markKept()
	if c.Master {
		a.renew(c)
		f.MasterGiven(f.now, a.job.ID, c)
		a.readyAt = f.now + a.job.Start
		f.At(a.readyAt, Event{masterReady, int32(a.number)})
		return
	}
	a.given = append(a.given, c)
	a.hand(1)
	a.wake()
}

// activated passes on that the limits on masters have let an application in.
func (f *Floor) activated(a *capacity.Attempt) {
	if f.Decisions != nil {
		f.Decisions.Activated(a)
	}
}

// Reserved implements yarn.Log.
func (f *Floor) Reserved(c *capacity.Container, kept bool) {
	if f.Decisions != nil {
		f.Decisions.Reserved(c, kept)
	}
	f.mark(NodeOf(c))
	f.apps[c.Attempt.App].markKept()
}

// Refused implements yarn.Log.
func (f *Floor) Refused(p capacity.Proposal) {
	if f.Decisions != nil {
		f.Decisions.Refused(p)
	}
}

// Ended implements yarn.Log.
func (f *Floor) Ended(c *capacity.Container, exit int, silent bool) {
	if f.Decisions != nil {
		f.Decisions.Ended(c, exit, silent)
	}
	a := f.apps[c.Attempt.App]
	step := Aborted
	if exit == 0 {
		step = Completed
	}
	if id := NodeOf(c); id != f.beating {
		f.mark(id)
	}
	if c.Master {
		f.watch(step, c, model.Task{Job: model.None})
		a.vacate()
		if a.over {
			a.forget()
		}
		return
	}
	t := c.Task
	f.watch(step, c, t)
	if !c.Launched {
		a.hand(-1)
	}
	if a.program == nil || a.over {
		return
	}
	if exit == yarn.Preempted {
		if !c.Taken { // the master has never heard of it, and the resource manager has asked for it again
			return
		}
		exit = a.giveWay(c)
	}
	if exit == yarn.Aborted && a.runs(t, c) { // its node is lost
		a.lose(t, c, mapreduce.Lost)
	}
	if !silent {
		a.ended = append(a.ended, mapreduce.Ended{Task: t, Exit: exit})
		a.wake()
	}
}

func (f *Floor) watch(s Step, c *capacity.Container, t model.Task) {
	if f.Watch != nil {
		f.Watch(f.now, s, c, t)
	}
}

// Submit lets a job ask for its master. The error says why the resource manager refuses it.
func (f *Floor) Submit(now model.Time, j *Job) error {
	f.set(now)
	a := &app{floor: f, job: *j, number: len(f.apps), at: model.Forever, submitted: now}
	f.apps = append(f.apps, a)
	err := f.rm.SubmitApp(yarn.Submission{App: a.number, Priority: j.Priority, Attempts: f.Rules.Attempts, Queue: j.Queue, User: j.User, Master: j.Master})
	if err != nil {
		return err
	}
	a.rm = f.rm.App(a.number)
	for len(f.byJob) <= int(j.ID) {
		f.byJob = append(f.byJob, nil)
	}
	f.byJob[j.ID] = a
	a.held(a.rm.Attempt)
	f.plan()
	return nil
}

// NodeOf returns the number of a container's node.
func NodeOf(c *capacity.Container) model.NodeID { return model.NodeID(c.Node.Number) }
