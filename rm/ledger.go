// SPDX-License-Identifier: Apache-2.0

package rm

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// App is an application as the resource manager lists it.
type App struct {
	ID    model.JobID
	Job   *cluster.Job // nil once it has ended
	State tune.AppState
	Node  model.NodeID // of its master, None if it has none yet
	Holds bool         // its master holds a container
	queue int32
	past  bool // the resource manager has forgotten it
}

// remembered is how many applications that have ended a resource manager lists
// (yarn.resourcemanager.max-completed-applications of YARN 3).
const remembered = 1000

// Ledger is the applications that a resource manager lists. Use NewLedger.
type Ledger struct {
	waiting int    // applications that wait for a container
	running int    // masters that hold one
	apps    []*App // in order of submission: present and remembered ones, some forgotten
	byJob   map[model.JobID]*App
	ended   []*App // remembered, in order of their ends
	gone    int    // of apps, forgotten: they are left out when half are
	past    int    // all that were ever forgotten
}

// NewLedger returns a ledger without applications.
func NewLedger() Ledger { return Ledger{byJob: map[model.JobID]*App{}} }

// Waiting returns how many applications wait for a master.
func (l *Ledger) Waiting() int { return l.waiting }

// Running returns how many masters hold a container.
func (l *Ledger) Running() int { return l.running }

// Add takes in the application of a submitted job, which waits for its master.
func (l *Ledger) Add(j *cluster.Job) *App {
	a := &App{ID: j.ID, Job: j, Node: model.None, queue: j.Queue}
	l.apps = append(l.apps, a)
	l.byJob[j.ID] = a
	l.waiting++
	return a
}

// App returns the application of a job whose master has not given its container back.
func (l *Ledger) App(id model.JobID) *App { return l.byJob[id] }

// Begin notes that the master of an application has got a container.
func (l *Ledger) Begin(a *App, node model.NodeID) {
	l.waiting--
	l.running++
	a.Node, a.Holds, a.State = node, true, tune.Running
}

// Again notes that an application has lost its master and waits for another.
func (l *Ledger) Again(a *App) {
	l.waiting++
	l.running--
	a.Node, a.Holds, a.State = model.None, false, tune.Pending
}

// Finish notes that a job has ended: its application unregisters, and its master stays for a while.
func (l *Ledger) Finish(id model.JobID) {
	a := l.byJob[id]
	a.State, a.Job = tune.Finished, nil
}

// End takes an application out whose job has ended and whose master has given its container back, if it had one.
func (l *Ledger) End(a *App) {
	if a.Holds {
		l.running--
	} else {
		l.waiting--
	}
	a.Holds = false
	delete(l.byJob, a.ID)
	if l.ended = append(l.ended, a); len(l.ended) > remembered {
		l.ended[0].past = true
		l.ended = l.ended[1:]
		l.past++
		if l.gone++; l.gone > len(l.apps)/2 {
			l.apps, l.gone = slices.DeleteFunc(l.apps, func(a *App) bool { return a.past }), 0
		}
	}
}

// Each calls f for every application that the resource manager lists, in order of submission, and returns
// how many it has forgotten.
func (l *Ledger) Each(f func(*App)) (forgotten int) {
	for _, a := range l.apps {
		if !a.past {
			f(a)
		}
	}
	return l.past
}
