// SPDX-License-Identifier: Apache-2.0

// Package attempts folds the events of a run into the attempts of its tasks: which task ran where, from when to when, and
// how it ended. It keeps all of them, so it is made where somebody asks for them.
package attempts

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Outcome is how an attempt ended.
type Outcome uint8

// The outcomes.
const (
	Running Outcome = iota // the run ended before it
	Done
	Killed  // the task had to run again
	Dropped // another attempt of the task ended first, or goes on
)

// String returns the name of the outcome in results.
func (o Outcome) String() string { return [...]string{"running", "done", "killed", "dropped"}[o] }

// Attempt is one attempt of a task.
type Attempt struct {
	Task       model.Task
	Number     uint8
	Node       model.NodeID
	Locality   model.Locality // of maps
	Outcome    Outcome
	Start, End model.Time
}

// Log collects the attempts of one run.
type Log struct {
	list []Attempt // in the order of their starts
	open map[key]int
}

type key struct {
	task    model.Task
	attempt uint8
}

var _ record.Recorder = (*Log)(nil)

// New returns an empty log.
func New() *Log { return &Log{open: map[key]int{}} }

// Record implements record.Recorder.
func (l *Log) Record(e *record.Event) {
	k := key{e.Task, e.Attempt}
	switch e.Kind {
	case record.TaskStarted:
		l.open[k] = len(l.list)
		l.list = append(l.list, Attempt{Task: e.Task, Number: e.Attempt, Node: e.Node, Locality: e.Locality, Start: e.Time, End: e.Time})
	case record.TaskEnded:
		l.end(k, e.Time, Done)
	case record.TaskKilled:
		l.end(k, e.Time, Killed)
	case record.TaskDropped:
		l.end(k, e.Time, Dropped) // one that had not started is not there
	}
}

func (l *Log) end(k key, at model.Time, how Outcome) {
	if i, ok := l.open[k]; ok {
		l.list[i].End, l.list[i].Outcome = at, how
		delete(l.open, k)
	}
}

// All returns the attempts in the order in which they started.
func (l *Log) All() []Attempt { return l.list }
