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
	"fmt"
	"slices"
	"sort"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// Event is what a Floor waits for.
type Event struct {
	Kind EventKind
	Of   int32 // number of the application or of the launch
}

// EventKind is one of the kinds of event that a Floor knows.
type EventKind uint8

const (
	nodeBeats   EventKind = iota // the next node that has a reason sends its heartbeat
	masterBeats                  // a master sends its heartbeat
	masterReady                  // a master has started
	masterEnds                   // the process of a master ends
	taskReady                    // the process of a task has started
	refreshes                    // the scheduler reads its settings again
)

// Site is what a Floor stands on.
type Site struct {
	Settings *capacity.Settings
	Rules    Rules
	Changes  []Change        // of the settings, while applications run
	Nodes    []capacity.Node // names, racks and room, by number
	Seed     uint64
	// At keeps an event until its time has come, Cancel drops it.
	At     func(t model.Time, e Event) des.Handle
	Cancel func(des.Handle) bool
	// NewMaster returns the master of a job that is admitted.
	NewMaster func(w mapreduce.Work, tasks mapreduce.Tasks) mapreduce.Master
	Callbacks
}

// Change is settings that act from a time on.
type Change struct {
	At       model.Time
	Settings *capacity.Settings
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
	rm     *yarn.Manager
	ready  bool // all nodes are there
	now    model.Time
	nodes  []node
	number map[*capacity.Node]model.NodeID

	// Nodes stand in a ring by the phase of their heartbeats.
	ring  []model.NodeID
	phase []model.Time // by position in the ring
	open  *nodeset.Set // positions of nodes with room
	news  *nodeset.Set // positions of nodes with something to report
	next  beat
	last  model.Time // when the last heartbeat came
	from  int        // position behind the node that sent it

	apps     []*app // by number, from 1
	byJob    map[model.JobID]*app
	launches []launch
	unused   []int32 // places in launches
}

// beat is a heartbeat of a node that is to come.
type beat struct {
	at    model.Time // Forever if none is planned
	pos   int
	event des.Handle
}

// node is a node with what it will report.
type node struct {
	*capacity.Node
	pos  int
	done []yarn.Done
}

// launch is a task whose process starts.
type launch struct {
	container *capacity.Container
	task      model.Task
}

// New returns the floor of a cluster without applications.
func New(s Site) *Floor {
	f := &Floor{Site: s, number: map[*capacity.Node]model.NodeID{}, byJob: map[model.JobID]*app{}, apps: []*app{nil}}
	f.rm = yarn.NewManager(s.Settings, f)
	f.rm.OnActivate(f.activated)
	f.rm.OnHold(func(a *capacity.Attempt) { f.apps[a.App].held(a) })
	n := len(s.Nodes)
	f.nodes, f.ring, f.phase = make([]node, n), make([]model.NodeID, n), make([]model.Time, n)
	f.open, f.news = nodeset.New(n), nodeset.New(n)
	f.next.at, f.last = model.Forever, model.None
	draw := rng.New(s.Seed, rng.HeartbeatOffset)
	phase := make([]model.Time, n)
	for i := range s.Nodes {
		c := s.Nodes[i]
		f.nodes[i].Node = &c
		f.number[&c] = model.NodeID(i)
		f.rm.AddNode(&c)
		f.ring[i] = model.NodeID(i)
		phase[i] = model.Time(draw.Uint64(uint64(i), 0, 0) % uint64(s.Rules.NodeBeat))
	}
	slices.SortStableFunc(f.ring, func(a, b model.NodeID) int { return int(min(max(phase[a]-phase[b], -1), 1)) })
	for pos, id := range f.ring {
		f.nodes[id].pos, f.phase[pos] = pos, phase[id]
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
		f.beat()
	case masterBeats:
		f.apps[e.Of].beat()
	case masterReady:
		f.apps[e.Of].ready()
	case masterEnds:
		f.apps[e.Of].leave()
	case taskReady:
		f.launched(e.Of)
	case refreshes:
		f.refresh(&f.Changes[e.Of])
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

// refresh lets changed settings act. What the release would refuse, and so leave as it is, ends the run.
func (f *Floor) refresh(c *Change) {
	if err := f.rm.RefreshQueues(c.Settings); err != nil {
		f.Fail(fmt.Errorf("the refresh at %v: %w", c.At, err))
		return
	}
	f.Settings = c.Settings
	for id := range f.nodes {
		f.mark(model.NodeID(id)) // the smallest container may be another
	}
}

// mark notes whether a node has room for a container.
func (f *Floor) mark(id model.NodeID) {
	n := &f.nodes[id]
	before := f.open.Len()
	if f.rm.Tree().Fits(f.Settings.MinAlloc, n.Free()) {
		f.open.Add(n.pos)
	} else {
		f.open.Remove(n.pos)
	}
	if now := f.open.Len(); f.Open != nil && f.ready && (before == 0) != (now == 0) {
		f.Open(f.now, now > 0)
	}
}

// report lets a node have something to say at its next heartbeat.
func (f *Floor) report(id model.NodeID) *node {
	n := &f.nodes[id]
	f.news.Add(n.pos)
	return n
}

// plan makes sure that the next heartbeat of a node with a reason for one is an event.
func (f *Floor) plan() {
	interval := f.Rules.NodeBeat
	rest := f.now % interval
	first := f.from // several nodes may have the same phase: each sends its heartbeat once
	if f.now != f.last {
		first = sort.Search(len(f.phase), func(i int) bool { return f.phase[i] >= rest })
	}
	at, pos := model.Forever, 0
	look := func(s *nodeset.Set) {
		if s.Len() == 0 {
			return
		}
		i, cycle := s.Next(first), f.now-rest
		if i < 0 {
			i, cycle = s.Next(0), cycle+interval
		}
		if t := cycle + f.phase[i]; t < at || t == at && i < pos {
			at, pos = t, i
		}
	}
	look(f.news)
	if tree := f.rm.Tree(); tree.Some(tree.Queues[0].Pending) {
		look(f.open)
	}
	if at < f.next.at {
		f.Cancel(f.next.event)
		f.next = beat{at, pos, f.At(at, Event{Kind: nodeBeats})}
	}
}

// beat is a node's heartbeat: it reports what has ended, and is given containers.
func (f *Floor) beat() {
	id := f.ring[f.next.pos]
	f.last, f.from = f.now, f.next.pos+1
	f.next.at = model.Forever
	n := &f.nodes[id]
	f.rm.NodeHeartbeat(n.Node, n.done)
	n.done = n.done[:0]
	f.news.Remove(n.pos)
	f.mark(id)
}

// Started implements yarn.Log.
func (f *Floor) Started(c *capacity.Container) {
	f.watch(Allocated, c, model.Task{Job: model.None})
	if f.Decisions != nil {
		f.Decisions.Started(c)
	}
	a := f.apps[c.Attempt.App]
	if c.Number == 1 {
		a.master = c
		f.MasterGiven(f.now, a.job.ID, c)
		f.At(f.now+a.job.Start, Event{masterReady, int32(a.number)})
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
	f.mark(f.number[c.Node])
	if c.Number == 1 {
		f.watch(step, c, model.Task{Job: model.None})
		f.MasterGone(f.now, a.job.ID, c)
		return
	}
	f.watch(step, c, a.taskIn(c))
	if c.Number >= len(a.started) || !a.started[c.Number] {
		a.hand(-1)
	}
	if !silent && !a.over {
		a.ended = append(a.ended, mapreduce.Ended{Container: c, Exit: exit})
		a.wake()
	}
}

func (f *Floor) watch(s Step, c *capacity.Container, t model.Task) {
	if f.Watch != nil {
		f.Watch(f.now, s, c, t)
	}
}

// launched starts a task whose process has started.
func (f *Floor) launched(place int32) {
	l := f.launches[place]
	f.launches[place] = launch{}
	f.unused = append(f.unused, place)
	if a := f.apps[l.container.Attempt.App]; !l.container.Ended && a.containers[l.task.Kind][l.task.Index] == l.container {
		f.start(l)
	}
}

func (f *Floor) start(l launch) {
	a := f.apps[l.container.Attempt.App]
	a.started[l.container.Number] = true
	a.handing--
	f.watch(Launched, l.container, l.task)
	f.Launch(f.now, l.task, f.number[l.container.Node])
	a.hand(0)
}

// Submit lets a job ask for its master. The error says why the resource manager refuses it.
func (f *Floor) Submit(now model.Time, j *Job) error {
	f.set(now)
	a := &app{floor: f, job: *j, number: len(f.apps), at: model.Forever, submitted: now}
	f.apps = append(f.apps, a)
	err := f.rm.SubmitApp(yarn.Submission{App: a.number, Attempts: f.Rules.Attempts, Queue: j.Queue, User: j.User, Master: j.Master})
	if err != nil {
		return err
	}
	a.rm = f.rm.App(a.number)
	f.byJob[j.ID] = a
	a.held(a.rm.Attempt)
	f.plan()
	return nil
}

// TaskEnded is told when a task has done its work on a node.
func (f *Floor) TaskEnded(now model.Time, t model.Task, id model.NodeID) {
	f.set(now)
	a := f.byJob[t.Job]
	n := f.report(id)
	n.done = append(n.done, yarn.Done{Container: a.containers[t.Kind][t.Index]})
	a.program.Ended(t, mapreduce.Done)
	a.wake()
	f.plan()
}

// Job is what the resource manager must know of a job.
type Job struct {
	mapreduce.Work
	ID          model.JobID
	Queue, User string
	Master      queue.Resource
	Start       model.Time // of the master, from its container to its registration
}

// Node returns the number of a container's node.
func (f *Floor) Node(c *capacity.Container) model.NodeID { return f.number[c.Node] }
