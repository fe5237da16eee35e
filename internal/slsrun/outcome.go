// SPDX-License-Identifier: Apache-2.0

package slsrun

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/handover"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// App is what became of a job. A time is None if it never came.
type App struct {
	Job    *model.Job
	Number int // of the application

	Submitted, Master, FirstGiven, FirstRun, LastDone, Finished model.Time

	Containers, Killed int
}

// Container is what became of a container. A time is None if it never came.
type Container struct {
	App      *App
	Number   int
	Master   bool
	Memory   int64
	Node     string
	Released bool // taken away or given back instead of completed

	Allocated, Acquired, Running, Completed model.Time
}

// Use is a change of what is in use.
type Use struct {
	Time                     model.Time
	Queue                    int   // place among the leaves
	Memory                   int64 // that the queue uses from now on
	Containers, Applications int   // more than before
}

// Outcome is what a run gave.
type Outcome struct {
	Apps       []App       // in order of submission
	Containers []Container // as they were given
	Leaves     []string    // paths of the queues that take applications
	Uses       []Use       // in order of time
	Total      int64       // memory of the cluster
	Notes      []string    // what the inputs say without any effect

	topology *model.Topology

	leaf  map[string]int
	used  []int64
	live  map[*capacity.Container]int // places in Containers
	byApp []*App                      // by number of the application
}

func newOutcome(settings *settings.Scheduler, s *site, jobs []model.Job) *Outcome {
	o := &Outcome{Apps: make([]App, len(jobs)), topology: s.topology, Total: s.topology.Total()[0], leaf: map[string]int{}, byApp: []*App{nil}, live: map[*capacity.Container]int{}}
	for i := range jobs {
		o.Apps[i] = App{Job: &jobs[i], Submitted: model.None, Master: model.None, FirstGiven: model.None, FirstRun: model.None,
			LastDone: model.None, Finished: model.None}
	}
	for _, q := range settings.Queues {
		if q.Leaf {
			o.leaf[q.Path] = len(o.Leaves)
			o.Leaves = append(o.Leaves, q.Path)
		}
	}
	o.used = make([]int64, len(o.Leaves))
	return o
}

// Record implements record.Recorder.
func (o *Outcome) Record(e *record.Event) {
	if e.Kind == record.JobSubmitted {
		a := &o.Apps[e.Task.Job] // applications are numbered as they are submitted
		a.Submitted, a.Number = e.Time, len(o.byApp)
		o.byApp = append(o.byApp, a)
	}
}

// watch follows containers.
func (o *Outcome) watch(now model.Time, s handover.Step, c *capacity.Container, _ model.Task) {
	a := o.byApp[c.Attempt.App]
	if s == handover.Allocated {
		o.live[c] = len(o.Containers)
		o.Containers = append(o.Containers, Container{App: a, Number: int(c.Number), Master: c.Master, Memory: c.Size.Memory, Node: c.Node.Name,
			Allocated: now, Acquired: model.None, Running: model.None, Completed: model.None})
		a.Containers++
		o.use(now, c, 1)
		if c.Master {
			a.Master = now
		} else if a.FirstGiven == model.None {
			a.FirstGiven = now
		}
		return
	}
	k := &o.Containers[o.live[c]]
	switch s {
	case handover.Acquired:
		k.Acquired = now
	case handover.Launched:
		k.Running = now
		if a.FirstRun == model.None {
			a.FirstRun = now
		}
	case handover.Completed, handover.Aborted:
		k.Completed, k.Released = now, s == handover.Aborted
		delete(o.live, c)
		o.use(now, c, -1)
		switch {
		case c.Master:
			a.Finished = now
		case k.Released:
			a.Killed++
		default:
			a.LastDone = now
		}
	}
}

// use changes what the queue of a container uses.
func (o *Outcome) use(now model.Time, c *capacity.Container, by int) {
	q := o.leaf[c.Attempt.Queue()]
	o.used[q] += int64(by) * c.Size.Memory
	u := Use{Time: now, Queue: q, Memory: o.used[q], Containers: by}
	if c.Master {
		u.Applications = by
	}
	o.Uses = append(o.Uses, u)
}
