// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/exec/machines"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// steps takes attempts from step to step. Each step is one activity of the solver; fetching is left to
// the shuffles.
type steps struct {
	*ground
	*flows
	works
	machines.Needs
	full     bool // the resources model; otherwise network
	files    *costs.Files
	backlogs []backlog // by host
	merger   costs.Merger
	inputs   inputs
	outputs  hdfs.Outputs
	noise    *costs.Noise // of MRPERF's tasks; nil: tasks are Hadoop's
	// fetch lets a reduce join those that fetch; gathered brings it back.
	fetch func(now model.Time, work int32)
	// exceed tells that a map which ends has made more than its share.
	exceed func(w *work)
}

// launch gives an attempt a work and begins its first step.
func (s *steps) launch(now model.Time, id ID) {
	a := s.at(id)
	i := s.works.add(work{task: a.Task, node: a.Node, id: id, job: s.jobs.At(a.Slot), number: a.Number, step: stepLaunch, group: none})
	s.setWork(id, i)
	if delay := s.Config.Tasks.StartUp; s.full && delay > 0 && s.noise == nil {
		s.list[i].timer = s.timers.At(now+delay, Event{Kind: workStarts, Of: ID(i)})
	} else {
		s.proceed(now, i)
	}
}

// proceed takes a work to its next step that has something to do.
func (s *steps) proceed(now model.Time, i int32) {
	for s.flows.err == nil {
		w := &s.list[i]
		switch w.step {
		case stepFlush:
			s.flushed(now, w)
			return
		case stepMaster:
			id := w.task.Job
			s.works.release(i)
			s.Booted(now, id)
			return
		}
		if w.task.Kind == model.Map {
			w.step = mapSteps[w.step]
		} else {
			w.step = reduceSteps[w.step]
		}
		if !s.full && w.step == stepBoot {
			continue
		}
		if !s.full && w.step != stepRead && w.step != stepFetch {
			w.step = stepEnd
		}
		if s.files != nil {
			s.note(now, w)
			w = &s.list[i]
		}
		switch w.step {
		case stepFetch:
			s.fetch(now, i)
			return
		case stepEnd:
			s.finish(now, i)
			return
		case stepRead:
			s.choose(w)
		}
		if s.spec(w).Work > 0 {
			s.queue(now, stepTag(i))
			return
		}
	}
}

// begin starts the activity of a work's step.
func (s *steps) begin(now model.Time, i int32) {
	w := &s.list[i]
	spec := s.spec(w)
	spec.Sole = !s.full // two maps seldom read from one host to one other at a time
	w.handle, w.amount = s.flows.begin(now, stepTag(i), spec), spec.Work
	s.account(w, spec.Work)
}

// account notes what an amount of the step under way sends over links.
func (s *steps) account(w *work, amount float64) {
	if w.links == 0 {
		return
	}
	purpose := record.Input
	if w.step == stepWrite || w.step == stepFinal {
		purpose = record.Output
	}
	w.job.moved.Add(purpose, amount*w.links, amount*w.cross, 0)
	s.route(w, amount*w.links)
}

// finish ends an attempt, under network after its length.
func (s *steps) finish(now model.Time, i int32) {
	id := s.list[i].id
	if w := &s.list[i]; w.task.Kind == model.Map && w.over > 0 {
		s.exceed(w)
	}
	s.works.release(i)
	s.setWork(id, none)
	if s.full {
		s.end(now, id)
		return
	}
	s.endAfterLength(now, id, s.at(id), model.NoInput)
}

// stop takes the activity under way back, or the one that waits to begin.
func (s *steps) stop(now model.Time, i int32) {
	w := &s.list[i]
	if w.handle != 0 {
		s.account(w, -s.cancel(now, w.handle))
		w.handle = 0
	} else {
		s.queued.Drop(stepTag(i))
	}
}

// reread makes maps that read a block from a lost node read it from another.
func (s *steps) reread(now model.Time, node model.NodeID) {
	for i := range s.list {
		if w := &s.list[i]; (w.step == stepRead || w.step == stepReceive) && w.source == node {
			s.stop(now, int32(i))
			w.step = stepLaunch
			s.proceed(now, int32(i))
		}
	}
}

// spec describes the activity of a work's step; its work is 0 if there is none. It is valid until the
// next call.
func (s *steps) spec(w *work) fluid.Spec {
	s.Needs.Reset()
	spec := s.describe(w)
	w.links, w.cross = s.Needs.Links, s.Needs.Cross
	return spec
}

func (s *steps) describe(w *work) fluid.Spec {
	own := s.Host(w.node)
	switch {
	case w.step == stepMaster:
		return s.CoreTime(own, w.amount/s.Speed[own])
	case s.noise != nil && w.step != stepFlush:
		return mrperfSpec(s, w, own)
	case w.step == stepBoot:
		return s.CoreTime(own, s.Config.Tasks.StartCPU.Seconds()/s.Speed[own])
	case w.step == stepFlush:
		return s.flush(own)
	case w.task.Kind == model.Map:
		return s.mapSpec(w, own)
	}
	return s.reduceSpec(w, own)
}

// cycles returns what a byte costs an attempt.
func (s *steps) cycles(w *work) float64 {
	c := w.job.spec.Cycles[w.task.Kind]
	if c == 0 {
		c = [model.Kinds]float64{s.Config.Tasks.MapCycles, s.Config.Tasks.ReduceCycles}[w.task.Kind]
	}
	return c * s.luck.Slowdown(w.task, w.number)
}

// compute is a core at work on bytes; its work is seconds of the core.
func (s *steps) compute(w *work, own int, bytes float64) fluid.Spec {
	return s.CoreTime(own, bytes*s.cycles(w)/s.Clock[own])
}

// merge is files read and written, which keeps a core busy; its work counts bytes read and written.
func (s *steps) merge(own int, bytes float64) fluid.Spec {
	limit := 0.0
	if perByte := s.Config.Tasks.MergeCycles / s.Clock[own] / 2; perByte > 0 {
		s.Use(s.Core(own), perByte)
		limit = 1 / perByte
	}
	return s.Activity(bytes, limit)
}
