// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"strconv"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/rm"
	"github.com/yardmaster/yardmaster/tune"
)

// tuning shows the cluster to a tuner of the AM share, and to the record, as the resource manager's REST
// interface and the hosts would.
type tuning struct {
	*world
	apps     *rm.Ledger
	share    shares
	am       int64 // memory of a master in MiB
	rules    *rm.Rules
	loop     *tune.Loop // nil without a tuner
	seen     tune.Observation
	sampling bool                   // a look at the hosts is planned
	partial  [][model.Kinds]float64 // by slot: progress of a job's running tasks
}

// shares is the AM share of a scheduler.
type shares interface {
	tune.Actuator
	// inEffect returns the share that acts.
	inEffect() float64
}

// start builds the tuner and asks it for the share that stands in the configuration before the first job
// comes.
func (t *tuning) start(choice *tune.Choice) error {
	if choice.Name == "" {
		return nil
	}
	tuner, err := choice.New(t.in.Seed)
	if err != nil {
		return fmt.Errorf("tuner %s: %w", choice.Name, err)
	}
	t.loop = &tune.Loop{Tuner: tuner, Actuator: t.share, Recorder: t.in.Tuning}
	t.step(0)
	return nil
}

// step shows the tuner the cluster and does what it says. It is not called once every job has left.
func (t *tuning) step(now model.Time) {
	if t.result.Ended == len(t.in.Jobs) && t.apps.Running() == 0 {
		return
	}
	t.observe(now)
	advice := t.loop.Step(&t.seen)
	if advice.Done || advice.Next == model.Forever {
		return
	}
	t.queue.Push(max(advice.Next, now+model.Millisecond), event{kind: tunerStep})
}

// observe fills what can be seen now.
func (t *tuning) observe(now model.Time) {
	o := &t.seen
	*o = tune.Observation{Time: now, Pending: tune.Got(t.apps.Waiting()), Running: tune.Got(t.apps.Running()), Share: tune.Got(t.share.inEffect()),
		AM: tune.Got(megabytes(t.am)), Memory: tune.Got(megabytes(t.state.Total[0])), Available: tune.Got(megabytes(t.state.Free()[0])),
		Apps: o.Apps[:0], AppsKnown: true}
	if len(t.in.Jobs) > 0 {
		o.Container = tune.Got(megabytes(int64(t.in.Jobs[0].Need[model.Map][0])))
	}
	if hosts := t.exec.Hosts(); hosts != nil {
		h := t.look(now, hosts)
		o.Idle = tune.Got(100 * (1 - h.User - h.System - h.Wait))
		o.Disk = tune.Got(100 * hosts.Disk())
	}
	t.readProgress()
	t.apps.Each(func(a *rm.App) { o.Apps = append(o.Apps, t.show(a)) })
}

func megabytes(n int64) model.Bytes { return model.Bytes(n) * model.MiB }

func (t *tuning) show(a *rm.App) tune.App {
	out := tune.App{ID: "application_" + strconv.Itoa(int(a.ID)+1), State: a.State, Progress: tune.Got(100 * t.progress(a))}
	memory, containers := int64(0), 0
	if a.Holds {
		memory, containers = t.am, 1
	}
	if j := a.Job; j != nil && j.Phase == cluster.Admitted {
		memory += j.Used(0)
		containers += int(j.Running[model.Map] + j.Running[model.Reduce])
	}
	out.Memory, out.Containers = tune.Got(megabytes(memory)), tune.Got(containers)
	return out
}

// readProgress adds up the progress of all running tasks.
func (t *tuning) readProgress() {
	for len(t.partial) < len(t.runs) {
		t.partial = append(t.partial, [model.Kinds]float64{})
	}
	clear(t.partial)
	t.exec.Progress(func(j *cluster.Job, k model.Kind, done float64) { t.partial[j.Slot][k] += done })
}

// progress returns what the resource manager shows of an application, from 0 to 1. readProgress comes
// before it.
func (t *tuning) progress(a *rm.App) float64 {
	switch {
	case a.State == tune.Finished:
		return 1
	case a.Job.Phase != cluster.Admitted:
		return 0
	}
	return mapreduce.Progress(a.Job, t.partial[a.Job.Slot])
}

// look returns what the hardware of all hosts does now.
func (t *tuning) look(now model.Time, hosts *exec.Hosts) record.Host {
	work, wait := hosts.CPU(now, t.rules.IOThreads)
	system := work * float64(t.rules.SystemShare)
	return record.Host{User: work - system, System: system, Wait: wait, Share: t.share.inEffect(), Stored: hosts.Stored()}
}

// planSample makes sure that hosts are looked at while a master is there.
func (t *tuning) planSample(now model.Time) {
	if t.sampling || t.apps.Running() == 0 || t.exec.Hosts() == nil {
		return
	}
	t.sampling = true
	t.queue.Push((now/t.rules.Sample+1)*t.rules.Sample, event{kind: sampleHosts})
}

// sample records how the hosts fare, until no master is left.
func (t *tuning) sample(now model.Time) {
	t.sampling = false
	hosts := t.exec.Hosts()
	h := record.Host{Share: t.share.inEffect(), Stored: hosts.Stored()}
	if t.apps.Running() > 0 {
		h = t.look(now, hosts)
	}
	t.readProgress()
	shown := 0.0
	h.Progress = float64(t.apps.Each(func(a *rm.App) { shown += t.progress(a) }))
	h.Progress += shown
	t.records.Send(record.Event{Time: now, Kind: record.HostSampled, Task: model.Task{Job: model.None}, Node: model.None, Host: &h})
	t.planSample(now)
}
