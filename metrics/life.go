// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Phase is how far a job has come.
type Phase uint8

// The phases, in the order in which a job passes through them. It is in StartingMaster only where it has an
// application master, and goes back from Reducing to Mapping when the work of a map is lost.
const (
	Unsubmitted    Phase = iota
	Submitted            // waits to be admitted
	StartingMaster       // its application master has a container and starts
	Admitted             // waits for the first container of a task
	Mapping              // a task has started, maps are unfinished
	Reducing             // all maps have ended
	Ended
)

// life is one job as its events tell it: how far it has come, what holds it back, and how many of its tasks are in
// which state. Whoever follows jobs through a run counts with it.
type life struct {
	phase    Phase
	limit    model.Limit // named last; what holds it back while it waits
	mapped   bool        // a map has started; the row says when, but lies far away
	pending  [model.Kinds]int32
	maps     int32 // running
	shuffle  int32 // reduces that copy after the last map
	compute  int32 // reduces at work
	holding  int32 // reduces that hold room and wait for maps
	mapsDone int32
}

// step takes in an event of the job, which spec describes.
func (l *life) step(e *record.Event, spec *model.Job) {
	switch e.Kind {
	case record.TaskStarted:
		l.started(e.Task.Kind, spec.Maps, e.Limit)
	case record.TaskEnded:
		l.ended(e.Task.Kind, spec.Maps)
	case record.TaskKilled:
		l.pending[e.Task.Kind]++
		l.drop(e)
	case record.TaskDropped:
		if e.Node == model.None {
			l.pending[e.Task.Kind]--
		} else {
			l.drop(e)
		}
	case record.TaskDoubled:
		l.pending[e.Task.Kind]++
	case record.TaskUndone:
		l.pending[e.Task.Kind]++
		if e.Task.Kind == model.Map {
			l.mapsDone--
			l.phase = Mapping
		}
	case record.TaskWaiting:
		l.shuffle--
		l.holding++
	case record.TaskShuffling:
		l.holding--
		l.shuffle++
	case record.TaskComputing:
		if l.shuffle > 0 {
			l.shuffle--
		} else {
			l.holding--
		}
		l.compute++
	case record.JobBlocked:
		l.limit = e.Limit
	case record.JobSubmitted:
		*l = life{phase: Submitted, pending: [model.Kinds]int32{spec.Maps, spec.Reduces}}
	case record.JobAdmitted:
		l.phase = Admitted
		if l.limit == model.LimitInit { // it is over
			l.limit = model.LimitRoom
		}
	case record.AMStarted:
		l.phase, l.limit = StartingMaster, model.LimitRoom
	case record.JobEnded:
		l.phase = Ended
	}
}

// started takes in the start of a task of the job, which has that many maps and is held back by the limit from now on.
func (l *life) started(k model.Kind, maps int32, limit model.Limit) {
	if l.phase < Mapping {
		l.phase = Mapping
		if maps == 0 {
			l.phase = Reducing
		}
	}
	l.limit = limit
	l.pending[k]--
	if k == model.Map {
		l.maps++
	} else {
		l.holding++
	}
}

// ended takes in the end of a task of the job, which has that many maps.
func (l *life) ended(k model.Kind, maps int32) {
	if k == model.Reduce {
		l.compute--
		return
	}
	l.maps--
	l.mapsDone++
	if l.mapsDone == maps {
		l.phase = Reducing
	}
}

// drop takes a killed task out of what the job was doing.
func (l *life) drop(e *record.Event) {
	switch {
	case e.Task.Kind == model.Map:
		l.maps--
	case e.Stage == record.Shuffling:
		l.shuffle--
	case e.Stage == record.Computing:
		l.compute--
	default:
		l.holding--
	}
}

// running returns how many tasks of the kind hold room.
func (l *life) running(k model.Kind) int32 {
	if k == model.Map {
		return l.maps
	}
	return l.shuffle + l.compute + l.holding
}
