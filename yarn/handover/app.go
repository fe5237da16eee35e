// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"slices"

	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// Job is what the resource manager must know of a job.
type Job struct {
	mapreduce.Work
	ID          model.JobID
	Queue, User string
	Priority    int
	Master      queue.Resource
	Start       model.Time // of the master, from its container to its registration
}

// app is an application on its way: what stands between its master and the resource manager.
type app struct {
	floor     *Floor
	job       Job
	number    int
	rm        *yarn.App
	submitted model.Time

	master  *capacity.Container
	program mapreduce.Master // nil before the master has started
	readyAt model.Time       // when the master that starts will have started, None if none does
	phase   model.Time       // of its heartbeats
	at      model.Time       // of the next one that is planned, Forever if none is
	over    bool             // the master has finished
	left    bool             // the master's container is free

	handing int                   // containers that are given and not launched
	given   []*capacity.Container // since its last heartbeat
	ended   []mapreduce.Ended
	lost    []gone // with their containers, since its last heartbeat

	containers [model.Kinds][]*capacity.Container // by task, while it is launched and has not ended
	done       [model.Kinds][]bool                // by task
	seconds    map[model.Task]*capacity.Container // of second attempts, beside containers
}

// gone is a task that is gone with its container.
type gone struct {
	task model.Task
	how  mapreduce.End
}

// hand changes how many containers are being handed over.
func (a *app) hand(by int) {
	a.handing += by
	a.held(a.rm.Attempt)
}

// markKept marks the nodes that are kept for the application: what it asks for or was given has changed, and with it how long its
// reservations wait.
func (a *app) markKept() {
	for _, c := range a.rm.Attempt.Reservations() {
		a.floor.mark(NodeOf(c))
	}
}

// held passes on what holds the application back.
func (a *app) held(attempt *capacity.Attempt) {
	if !a.over {
		a.floor.Held(a.floor.now, a.job.ID, attempt, a.handing)
	}
}

// ready lets the master begin to work.
func (a *app) ready() {
	f := a.floor
	a.readyAt = model.None
	f.rm.Register(a.rm)
	f.MasterReady(f.now, a.job.ID, a.master)
	for k, total := range a.job.Total {
		a.containers[k] = make([]*capacity.Container, total)
		if a.done[k] == nil {
			a.done[k] = make([]bool, total)
		}
	}
	work := a.job.Work
	if a.rm.Attempt.Number > 1 {
		work.Done = a.done
	}
	a.program = f.NewMaster(work, a)
	if f.Rules.FromSubmission {
		a.phase = a.submitted % f.Rules.MasterBeat
		a.wake()
		return
	}
	first := f.now + afterNodes
	a.phase = first % f.Rules.MasterBeat
	a.plan(first + f.Rules.MasterBeat)
}

// afterNodes keeps the heartbeats of a master behind those of nodes: a master that starts for whole seconds would
// otherwise send them at the very moments of the node that it runs on.
const afterNodes = model.Microsecond

// wake plans the next heartbeat of the master.
func (a *app) wake() {
	f := a.floor
	if a.program == nil || a.over || a.at != model.Forever {
		return
	}
	interval := f.Rules.MasterBeat
	a.plan(f.now - (f.now-a.phase)%interval + interval)
}

// plan makes an event of a heartbeat.
func (a *app) plan(at model.Time) {
	a.at = at
	a.floor.At(at, Event{masterBeats, int32(a.number)})
}

// beat is the master's heartbeat.
func (a *app) beat() {
	f := a.floor
	a.at = model.Forever
	if a.over || a.program == nil {
		return
	}
	defer f.launches.plan(f)
	requests, release := a.program.Ask(f.now)
	if a.over {
		return
	}
	if err := f.rm.Allocate(a.rm, requests, release); err != nil {
		f.Fail(err)
		return
	}
	if len(requests) > 0 {
		a.held(a.rm.Attempt)
		a.markKept()
	}
	a.given = slices.DeleteFunc(a.given, func(c *capacity.Container) bool { return c.Ended })
	for _, c := range a.given {
		f.watch(Acquired, c, model.Task{Job: model.None})
	}
	for _, l := range a.lost {
		a.program.Ended(l.task, l.how)
	}
	a.lost = a.lost[:0]
	f.answer = mapreduce.Answer{Given: a.given, Ended: a.ended, Headroom: f.rm.Headroom(a.rm.Attempt)}
	again := a.program.Answer(&f.answer)
	a.given, a.ended = a.given[:0], a.ended[:0]
	if again {
		a.wake()
	}
}

// Launch implements mapreduce.Tasks.
func (a *app) Launch(c *capacity.Container, t model.Task) {
	c.Task = t
	if first := &a.containers[t.Kind][t.Index]; *first == nil {
		*first = c
	} else {
		if a.seconds == nil {
			a.seconds = map[model.Task]*capacity.Container{}
		}
		a.seconds[t] = c
	}
	a.launch(c)
}

// Kill implements mapreduce.Tasks. The node reports the container's end at its next heartbeat.
func (a *app) Kill(t model.Task) {
	a.stop(a.containers[t.Kind][t.Index], t, killedByMaster)
}

// killedByMaster is the exit code of a container that its master has stopped.
const killedByMaster = -105

// Finish implements mapreduce.Tasks.
func (a *app) Finish() {
	a.over = true
	a.floor.rm.Unregister(a.rm)
	if a.floor.Rules.Stay == 0 {
		a.leave()
		return
	}
	a.floor.At(a.floor.now+a.floor.Rules.Stay, Event{masterEnds, int32(a.number)})
}

// leave ends the process of the master; its node will report it.
func (a *app) leave() {
	n := a.floor.report(NodeOf(a.master))
	n.done = append(n.done, yarn.Done{Container: a.master})
	a.floor.byJob[a.job.ID] = nil
}

// vacate notes once that the container of the master is free.
func (a *app) vacate() {
	if !a.left {
		a.left = true
		a.floor.MasterGone(a.floor.now, a.job.ID, a.master)
	}
}

// forget gives up what only a running master needs.
func (a *app) forget() {
	a.program, a.given, a.ended, a.job.Near = nil, nil, nil, nil
	a.containers, a.done, a.seconds = [model.Kinds][]*capacity.Container{}, [model.Kinds][]bool{}, nil
}
