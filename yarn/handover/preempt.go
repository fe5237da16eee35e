// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/preempt"
)

// watcher lets the monitor of pre-emption look at the queues each interval. A look that would find what the last one found is
// left out: nobody asks for anything, or nothing has happened since and no container is noted.
type watcher struct {
	floor   *Floor
	monitor *preempt.Monitor // nil: nothing is pre-empted
	planned bool
}

// configure takes over settings that have changed.
func (w *watcher) configure() {
	switch on := w.floor.rm.Settings().Preemption.On; {
	case !on:
		w.monitor = nil
	case w.monitor == nil:
		w.monitor = preempt.New(w.floor.rm.Scheduler)
	}
}

// plan makes an event of the next look if somebody asks for room.
func (w *watcher) plan() {
	if w.monitor == nil || w.planned {
		return
	}
	tree := w.floor.rm.Tree()
	if tree.Some(tree.Queues[0].Pending) {
		w.next()
	}
}

func (w *watcher) next() {
	interval := max(model.Time(w.monitor.Settings().Interval)*model.Millisecond, model.Millisecond)
	w.planned = true
	w.floor.At(w.floor.now-w.floor.now%interval+interval, Event{Kind: looks})
}

// look lets the monitor look, and ends containers whose wait is over.
func (w *watcher) look() {
	w.planned = false
	if w.monitor == nil { // a refresh has switched it off
		return
	}
	f := w.floor
	round := w.monitor.Round(int64(f.now / model.Millisecond))
	if f.Decisions != nil {
		for _, c := range round.Noted {
			f.Decisions.Noted(c)
		}
	}
	if len(round.Freed)+len(round.Ended) > 0 {
		w.end(round.Freed, round.Ended)
		f.plan()
	}
	if !w.planned && w.monitor.Waits() && f.rm.Tree().Queues[0].Used != (queue.Resource{}) {
		w.next()
	}
}

// end gives reservations up and ends containers of which the resource manager takes the room away: processes end at once. A
// master takes its tasks with it; what is left of its application is up to the resource manager.
func (w *watcher) end(reservations, containers []*capacity.Container) {
	f := w.floor
	var masters []*app
	for _, c := range containers {
		a := f.apps[c.Attempt.App]
		if c == a.master {
			masters = append(masters, a)
			a.die()
		}
	}
	f.rm.Preempt(reservations, containers)
	for _, a := range masters {
		a.fail()
	}
}

// giveWay ends the task in a container that is pre-empted, and reports how its master hears of the container. A task that
// had ended before is no less done.
func (a *app) giveWay(c *capacity.Container) (exit int) {
	t, f := c.Task, a.floor
	switch {
	case a.runs(t, c):
		a.lose(t, c, mapreduce.Killed)
		if id := model.NodeID(c.Node.Number); c.Launched && !f.nodes[id].silent {
			f.Callbacks.Kill(f.now, t, id)
		}
	case t.Job != model.None && c.Launched && a.done[t.Kind][t.Index]:
		return 0
	}
	return yarn.Preempted
}
