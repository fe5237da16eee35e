// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"slices"

	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// A node that is lost goes in two steps. First it falls silent: its processes are gone, and so are the tasks of masters
// that ran there, wherever they run, because a task without a master ends. The resource manager gives the node up when
// it has waited for it long enough; only then masters hear that containers are lost, and lost masters are started again.
// A new master takes over what the job's history says about tasks that have ended.

// Silence is told when a node has stopped, its tasks being gone already.
func (f *Floor) Silence(now model.Time, id model.NodeID) {
	f.set(now)
	n := &f.nodes[id]
	n.silent, n.done = true, n.done[:0]
	f.beats.news.Remove(n.pos)
	f.beats.open.Remove(n.pos)
	for _, c := range n.Containers {
		if a := f.apps[c.Attempt.App]; c.Master && c == a.master {
			a.die()
		}
	}
	f.plan()
}

// GiveUp lets the resource manager take a silent node for lost.
func (f *Floor) GiveUp(now model.Time, id model.NodeID) {
	f.set(now)
	f.lose(&f.nodes[id])
	f.plan()
}

// Return lets a silent node register anew, without any container.
func (f *Floor) Return(now model.Time, id model.NodeID) {
	f.set(now)
	n := &f.nodes[id]
	if !n.lost {
		f.lose(n)
	}
	n.silent, n.lost = false, false
	f.rm.AddNode(n.Node)
	for i := range f.nodes { // how long asks wait for better nodes goes by their number
		f.mark(model.NodeID(i))
	}
	f.plan()
}

func (f *Floor) lose(n *node) {
	n.lost = true
	var masters []*app
	for _, c := range n.Containers {
		if c.Master {
			masters = append(masters, f.apps[c.Attempt.App])
		}
	}
	f.rm.LoseNode(n.Node)
	for _, a := range masters {
		a.fail()
	}
}

// fail lets an application go whose master has ended, if it has no other attempt (mapreduce.am.max-attempts).
func (a *app) fail() {
	if f := a.floor; !a.over && a.rm.Over() {
		a.over = true
		a.forget()
		f.byJob[a.job.ID] = nil
		f.AppFailed(f.now, a.job.ID)
	}
}

// Undone is told when the output of a map that had ended is lost.
func (f *Floor) Undone(now model.Time, t model.Task) {
	f.set(now)
	a := f.byJob[t.Job]
	a.done[t.Kind][t.Index] = false
	if a.program != nil && !a.over {
		a.program.Ended(t, mapreduce.Undone)
		a.wake()
	}
}

// die ends the process of a master without a word, and the tasks that it runs.
func (a *app) die() {
	f := a.floor
	a.vacate()
	a.at, a.readyAt = model.Forever, model.None
	if a.over || a.program == nil {
		return
	}
	a.program = nil
	if a.allDone() { // it had only to say so
		a.over = true
		f.rm.Unregister(a.rm)
		f.byJob[a.job.ID] = nil
		return
	}
	for c := range a.rm.Attempt.Live() {
		if a.runs(c.Task, c) {
			a.stop(c, c.Task, masterLost)
		}
	}
}

// allDone reports whether all tasks of the job have ended.
func (a *app) allDone() bool {
	for _, tasks := range a.done {
		if slices.Contains(tasks, false) {
			return false
		}
	}
	return true
}

// masterLost is the exit code of a task that does not reach its master.
const masterLost = 65

// runs reports whether a task is in a container: launched, and neither ended nor stopped.
func (a *app) runs(t model.Task, c *capacity.Container) bool {
	return t.Job != model.None && a.containers[t.Kind] != nil && (a.containers[t.Kind][t.Index] == c || a.seconds[t] == c)
}

// drop takes a container away from a task that runs in it, and reports whether it was the only one.
func (a *app) drop(t model.Task, c *capacity.Container) (only bool) {
	first := &a.containers[t.Kind][t.Index]
	if *first == c {
		*first = a.seconds[t]
	}
	delete(a.seconds, t)
	return *first == nil
}

// lose takes a container that is gone away from its task. The master hears of it at its heartbeat if the task has to run again, at
// once if another attempt goes on, because no container is needed in the place of this one.
func (a *app) lose(t model.Task, c *capacity.Container, how mapreduce.End) {
	if a.drop(t, c) {
		a.lost = append(a.lost, gone{t, how})
	} else {
		a.program.Ended(t, how)
	}
}

// stop ends the process of a task, which its node will report.
func (a *app) stop(c *capacity.Container, t model.Task, exit int) {
	f := a.floor
	a.drop(t, c)
	id := NodeOf(c)
	if f.nodes[id].silent {
		return // it has ended with its node
	}
	n := f.report(id)
	n.done = append(n.done, yarn.Done{Container: c, Exit: exit})
	if c.Launched {
		f.Callbacks.Kill(f.now, t, id)
	}
}

// renew prepares an application for a new attempt of its master.
func (a *app) renew(master *capacity.Container) {
	a.master, a.left, a.handing = master, false, 0
	a.given, a.ended, a.lost, a.seconds = nil, nil, nil, nil
}
