// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Progress tells how far each running attempt has come, from 0 to 1, as Hadoop counts it: a map is two
// thirds reading and one third sorting, a reduce one third each copying, sorting and reducing. Reports of
// tasks come every few seconds in Hadoop; here they are fresh. Without shared resources it tells nothing.
func (e *Executor) Progress(tell func(j *cluster.Job, k model.Kind, done float64)) {
	if e.shared == nil {
		return
	}
	for i := range e.shared.steps.list {
		if w := &e.shared.steps.list[i]; w.isAttempt() {
			tell(w.job.job, w.task.Kind, e.shared.progress(w))
		}
	}
}

// progress returns how far a work has come.
func (p *shared) progress(w *work) float64 {
	done := 0.0
	if left, ok := p.solver.Left(w.handle); ok && w.amount > 0 {
		done = 1 - left/w.amount
	}
	if w.task.Kind == model.Map {
		switch w.step {
		case stepRead, stepReceive, stepCompute, stepSpill:
			return done * 2 / 3
		case stepMerge, stepWrite:
			return (2 + done) / 3
		}
		return 0
	}
	switch w.step {
	case stepFetch:
		return p.shuffles.copied(w) / 3
	case stepMerge, stepSpill:
		return (1 + done) / 3
	case stepFinal, stepCompute:
		if p.ground.Config.Tasks.StreamOutput {
			return (2 + done) / 3
		}
		return (2 + done/2) / 3
	case stepWrite:
		return (2.5 + done/2) / 3
	}
	return 0
}

// copied returns the share of the maps whose output a reduce has fetched.
func (s *shuffles) copied(w *work) float64 {
	maps := w.job.spec.Maps
	if w.group == none || maps == 0 {
		return 0
	}
	g := s.group(w.group)
	n := 0.0
	for i := range g.fetches {
		f := &g.fetches[i]
		n += float64(f.taken)
		if left, ok := s.solver.Left(f.handle); ok && f.work > 0 && (!s.apart || g.sends(int32(i))) {
			n -= float64(f.flying) * left / f.work
		} else if s.apart { // read or to be sent
			n -= float64(f.flying)
		}
	}
	return min(n/float64(maps), 1)
}
