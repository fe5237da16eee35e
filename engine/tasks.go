// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// start applies a decision: the task takes room on the node and begins to work, unless it is a
// reduce whose maps are not all done.
func (s *sim) start(now model.Time, t model.Task, node model.NodeID) error {
	if t.Kind < model.Kinds && s.model.Pool(t.Kind) != s.offer.Pool {
		return s.illegal(t, fmt.Errorf("the offer is room of the %s pool", s.model.PoolName(s.offer.Pool)))
	}
	if err := s.state.Start(t, node); err != nil {
		return s.illegal(t, err)
	}
	j, r := s.state.Job(t.Job), &s.jobs[t.Job]
	s.limits[t.Job] = model.LimitRoom
	s.result.Started++
	var attempt uint8
	if r.attempts != nil {
		attempt = r.attempts[t]
		if _, doubled := r.seconds[t]; doubled {
			r.seconds[t] = true
		}
	}
	locality := model.NoInput
	if t.Kind == model.Map && j.Input > 0 {
		locality = model.Remote
		if s.in.Replication > 0 {
			locality = s.blocks.Index(t.Job, j.Total[model.Map]).Locality(t.Index, node)
		}
		if locality == model.Remote {
			s.offer.Beat.OffSwitch++
		}
	}
	s.offer.Beat.Tasks[t.Kind]++
	s.event.Locality = locality
	s.record(now, record.TaskStarted, t, node, attempt)
	s.driver.Started(now, j, t, node)
	switch {
	case s.phys != nil:
		slot := s.launch(now, t, node, attempt)
		if t.Kind == model.Reduce && !j.MapsDone() {
			r.held = append(r.held, held{t.Index, node, slot, attempt})
			s.watchMaps(now, j)
		}
	case t.Kind == model.Map:
		length := s.length(t, node, attempt, locality)
		s.queue.Push(now+length, event{kind: taskEnd, job: t.Job, index: t.Index, node: node, attempt: attempt, length: length})
	case j.MapsDone():
		s.shuffle(now, t, node, attempt)
	default:
		r.held = append(r.held, held{index: t.Index, node: node, slot: model.None, attempt: attempt})
		s.watchMaps(now, j)
	}
	if s.model != model.Slots {
		s.ramp(j)
	}
	s.updateWants(now, j, t.Kind)
	return nil
}

// length returns how long the attempt works on the node, in the replay model.
func (s *sim) length(t model.Task, node model.NodeID, attempt uint8, locality model.Locality) model.Time {
	l := s.jobs[t.Job].samplers[t.Kind].Length(t.Index, attempt)
	factor := 1.0
	switch locality {
	case model.RackLocal:
		factor = s.in.Config.Locality.Rack
	case model.Remote:
		factor = s.in.Config.Locality.Remote
	}
	if speed := s.in.Topology.Classes[s.in.Topology.Nodes[node].Class].Speed; speed != 1 {
		factor /= speed
	}
	factor *= s.slowdown(t, attempt)
	if factor != 1 {
		l = model.Time(min(float64(l)*factor+0.5, float64(maxDraw)))
	}
	return min(l, maxDraw)
}

// shuffle begins the work of a reduce whose maps are all done: it copies what is left, then computes.
func (s *sim) shuffle(now model.Time, t model.Task, node model.NodeID, attempt uint8) {
	e := event{kind: shuffleEnd, task: t.Kind, job: t.Job, index: t.Index, node: node, attempt: attempt}
	if tail := s.in.Jobs[t.Job].ShuffleTail; tail > 0 {
		s.record(now, record.TaskShuffling, t, node, attempt)
		e.length = tail
		s.queue.Push(now+tail, e)
		return
	}
	s.compute(now, &e)
}

// compute begins a reduce's own work.
func (s *sim) compute(now model.Time, e *event) {
	t := model.Task{Job: e.job, Kind: e.task, Index: e.index}
	s.jobs[e.job].computing++
	s.record(now, record.TaskComputing, t, e.node, e.attempt)
	length := s.length(t, e.node, e.attempt, model.NoInput)
	done := *e
	done.kind = taskEnd
	done.length += length
	s.queue.Push(now+length, done)
}

// taskEnd gives back the room of a finished task and offers it.
func (s *sim) taskEnd(now model.Time, e *event) {
	t := model.Task{Job: e.job, Kind: e.task, Index: e.index}
	j := s.state.Job(e.job)
	s.state.End(t, e.node, true)
	if s.sizes != nil {
		s.sizes.ended(t)
	}
	s.event.Length = e.length
	s.record(now, record.TaskEnded, t, e.node, e.attempt)
	s.driver.Done(now, j, t, e.node, e.length)
	r := &s.jobs[e.job]
	r.ended[t.Kind].sum += e.length
	r.ended[t.Kind].count++
	if _, doubled := r.seconds[t]; doubled {
		s.dropOther(now, j, t)
	}
	if t.Kind == model.Map {
		s.mapEnded(now, j, e)
	} else {
		r.computing--
		if s.model != model.Slots {
			s.ramp(j)
		}
	}
	if j.Complete() {
		s.endJob(now, j)
	} else {
		s.updateWants(now, j, t.Kind)
	}
	pool := s.model.Pool(t.Kind)
	s.freed(now, e.node, pool)
	for len(s.idled) > 0 && s.failed == nil {
		node := s.idled[0]
		s.idled = s.idled[1:]
		s.freed(now, node, pool)
	}
}

// mapEnded does what the end of a map sets off: slow start, the end of the map phase, a check that
// the job's other maps find room.
func (s *sim) mapEnded(now model.Time, j *cluster.Job, e *event) {
	r := &s.jobs[j.ID]
	if r.where != nil {
		r.where[e.index] = e.node
	}
	if s.phys != nil {
		s.mapMade(j, e.index, e.node)
	}
	released := false
	if r.slowed && j.Done[model.Map] >= r.slowStart {
		s.release(now, j)
		released = true
	} else if s.model != model.Slots {
		s.ramp(j)
	}
	if j.MapsDone() && s.phys != nil {
		r.held = nil
		s.mapsOver(now, j)
	} else if j.MapsDone() {
		for _, h := range r.held {
			s.shuffle(now, model.Task{Job: j.ID, Kind: model.Reduce, Index: h.index}, h.node, h.attempt)
		}
		r.held = nil
	} else if len(r.held) > 0 {
		s.watchMaps(now, j)
	}
	if released && s.model == model.Slots {
		s.updateWants(now, j, model.Reduce)
		s.wake(now, s.model.Pool(model.Reduce))
	}
}
