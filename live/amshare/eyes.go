// SPDX-License-Identifier: Apache-2.0

package amshare

import (
	"context"
	"fmt"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// Source is what is asked of a ResourceManager. *rest.Client is one.
type Source interface {
	Scheduler(context.Context) (*rest.Scheduler, error)
	Apps(context.Context, rest.Filter) ([]rest.App, error)
	Nodes(context.Context, ...string) ([]rest.Node, error)
}

// Eyes show a queue to a tuner. An application counts as running from the moment that its master has a container,
// as in the simulator, not from the master's first word on.
type Eyes struct {
	Source Source
	Queue  string // full path
	CPU    Meter  // nil if nobody tells how busy the hosts are
	Disk   Meter

	apps      []tune.App // in order of submission; those that ended stay
	am        tune.Reading[model.Bytes]
	container tune.Reading[model.Bytes]
}

// remembered is how many applications that have ended stay in the list, as a ResourceManager would keep them.
const remembered = 1000

// Observe looks at the cluster.
func (e *Eyes) Observe(ctx context.Context, now model.Time) (tune.Observation, error) {
	o := tune.Observation{Time: now}
	scheduler, err := e.Source.Scheduler(ctx)
	if err != nil {
		return o, err
	}
	q := scheduler.Root.Find(e.Queue)
	if q == nil {
		return o, fmt.Errorf("queue %s is not there", e.Queue)
	}
	apps, err := e.Source.Apps(ctx, rest.Filter{States: rest.Unfinished})
	if err != nil {
		return o, err
	}
	e.list(apps)
	e.sizes(q, apps)
	pending, running := 0, 0
	for i := range e.apps {
		switch e.apps[i].State {
		case tune.Pending:
			pending++
		case tune.Running:
			running++
		}
	}
	o.Pending, o.Running = tune.Got(pending), tune.Got(running)
	o.Apps, o.AppsKnown = append([]tune.App{}, e.apps...), true
	o.AM, o.Container = e.am, e.container
	if q.AMShare > 0 {
		o.Share = tune.Got(q.AMShare)
	}
	if m := usable(q); m > 0 {
		o.Memory = tune.Got(m)
		o.Available = tune.Got(max(m-q.Used.Memory, 0))
	}
	return o, e.hosts(ctx, &o)
}

// usable returns what the AM share is a share of: what the queue may use now, never below its guarantee. The limit on
// masters tells it, but is rounded up.
func usable(q *rest.Queue) model.Bytes {
	m := q.Limit.Memory
	if q.AMShare > 0 && q.AMLimit.Memory > 0 {
		told := model.Bytes(float64(q.AMLimit.Memory) / q.AMShare)
		if m == 0 || told < m {
			m = told
		}
	}
	return max(m, q.Guaranteed.Memory)
}

// list brings the list of applications up to date.
func (e *Eyes) list(seen []rest.App) {
	there := map[string]bool{}
	at := map[string]int{}
	for i := range e.apps {
		at[e.apps[i].ID] = i
	}
	for i := range seen {
		a := &seen[i]
		if a.Queue != e.Queue && "root."+a.Queue != e.Queue {
			continue
		}
		there[a.ID] = true
		k, known := at[a.ID]
		if !known {
			k = len(e.apps)
			e.apps = append(e.apps, tune.App{ID: a.ID})
		}
		e.apps[k] = show(a)
	}
	ended := 0
	for i := range e.apps {
		if a := &e.apps[i]; !there[a.ID] {
			*a = tune.App{ID: a.ID, State: tune.Finished, Progress: tune.Got(100.0), Memory: tune.Got(model.Bytes(0)), Containers: tune.Got(0)}
			ended++
		}
	}
	for i := 0; ended > remembered; {
		if e.apps[i].State == tune.Finished {
			e.apps = append(e.apps[:i], e.apps[i+1:]...)
			ended--
		} else {
			i++
		}
	}
}

func show(a *rest.App) tune.App {
	out := tune.App{ID: a.ID, State: tune.Pending, Progress: tune.Got(0.0), Memory: tune.Got(a.Allocated.Memory), Containers: tune.Got(a.Containers)}
	if a.State == rest.StateRunning || a.Containers > 0 {
		out.State, out.Progress = tune.Running, tune.Got(a.Progress)
	}
	return out
}

// sizes learns how large masters and tasks are from those that run.
func (e *Eyes) sizes(q *rest.Queue, apps []rest.App) {
	if q.ActiveApps > 0 && q.AMUsed.Memory > 0 {
		e.am = tune.Got(q.AMUsed.Memory / model.Bytes(q.ActiveApps) / model.MiB * model.MiB)
	}
	for i := range apps {
		if a := &apps[i]; a.Queue == q.Path && a.Containers > 1 && e.am.Known && a.Allocated.Memory > e.am.Value {
			e.container = tune.Got((a.Allocated.Memory - e.am.Value) / model.Bytes(a.Containers-1) / model.MiB * model.MiB)
		}
	}
}

// hosts asks how busy the hosts are.
func (e *Eyes) hosts(ctx context.Context, o *tune.Observation) error {
	if e.CPU == nil && e.Disk == nil {
		return nil
	}
	nodes, err := e.Source.Nodes(ctx, "RUNNING")
	if err != nil {
		return err
	}
	if e.CPU != nil {
		load, err := e.CPU.Read(ctx, nodes)
		if err != nil {
			return fmt.Errorf("how busy the CPU is: %w", err)
		}
		o.Idle = load.Idle
	}
	if e.Disk != nil {
		load, err := e.Disk.Read(ctx, nodes)
		if err != nil {
			return fmt.Errorf("how busy the disk is: %w", err)
		}
		o.Disk = load.Disk
	}
	return nil
}
