// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// launches is the containers in which the processes of tasks start. All need the same time, so the first that begin are the first that
// are ready. Those that a heartbeat of a master begins are one event.
type launches struct {
	list  []*capacity.Container
	next  int // the first that has not started
	event int // how many at the end have no event yet
}

// launch lets the process of a container's task start.
func (a *app) launch(c *capacity.Container) {
	if a.floor.Rules.Launch == 0 {
		if !a.floor.nodes[c.Node.Number].silent { // its loss will be reported
			a.start(c)
		}
		a.hand(0)
		return
	}
	s := &a.floor.launches
	if s.next > len(s.list)/2 {
		s.list = s.list[:copy(s.list, s.list[s.next:])]
		s.next = 0
	}
	s.list = append(s.list, c)
	s.event++
}

// plan makes an event of the launches that have none.
func (s *launches) plan(f *Floor) {
	if s.event > 0 {
		f.At(f.now+f.Rules.Launch, Event{tasksReady, int32(s.event)})
		s.event = 0
	}
}

// launched starts the next tasks, whose processes have started. They are those of one heartbeat of a master.
func (f *Floor) launched(count int32) {
	s := &f.launches
	var some *app
	for range count {
		c := s.list[s.next]
		s.list[s.next] = nil
		s.next++
		if a := f.apps[c.Attempt.App]; !c.Ended && !a.over && !f.nodes[c.Node.Number].silent && a.runs(c.Task, c) {
			a.start(c)
			some = a
		}
	}
	if some != nil {
		some.hand(0)
	}
}

// start starts a task whose process has started. Whoever calls it says afterwards what holds the application back.
func (a *app) start(c *capacity.Container) {
	f := a.floor
	c.Launched = true
	a.handing--
	f.watch(Launched, c, c.Task)
	f.Launch(f.now, c.Task, NodeOf(c))
}

// TaskEnded is told when a task has done its work on a node.
func (f *Floor) TaskEnded(now model.Time, t model.Task, id model.NodeID) {
	f.set(now)
	a := f.byJob[t.Job]
	n := f.report(id)
	c := a.containers[t.Kind][t.Index]
	if second := a.seconds[t]; second != nil && NodeOf(c) != id {
		c = second
	}
	n.done = append(n.done, yarn.Done{Container: c})
	a.done[t.Kind][t.Index] = true
	only := a.drop(t, c)
	if !only {
		a.leaveOther(t)
	}
	a.program.Ended(t, mapreduce.Done)
	a.wake()
	if a.over || !only { // other nodes may have something to report
		f.plan()
		return
	}
	f.beats.planNode(f.now, n.pos, f.asked())
}

// recycle lets containers be used again that tasks have left after their work: they were launched, taken off their tasks
// and reported.
func recycle(rm *yarn.Manager, done []yarn.Done) {
	for _, d := range done {
		if d.Exit == 0 && !d.Container.Master {
			rm.Recycle(d.Container)
		}
	}
}
