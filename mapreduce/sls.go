// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// sls is the master of Hadoop's Scheduler Load Simulator (MRAMSimulator). It asks for all maps at once and for
// the reduces when all maps have ended; containers go to maps, then to reduces, first come, first served. What
// the resource manager answers to one heartbeat it looks at in the next.
type sls struct {
	work  Work
	tasks Tasks

	pending   [model.Kinds][]int32 // to be asked for
	scheduled [model.Kinds][]int32 // asked for
	done      [model.Kinds]int32
	given     []*capacity.Container
	ended     []Ended
	short     bool // a container was taken away in which nothing was started yet
	finished  bool
	requests  []capacity.Request
}

// NewSLS returns the master of a job in the Scheduler Load Simulator.
func NewSLS(w Work, tasks Tasks) Master {
	m := &sls{work: w, tasks: tasks}
	for k, total := range w.Total {
		for i := range total {
			if w.Done[k] != nil && w.Done[k][i] { // under an earlier attempt
				m.done[k]++
			} else {
				m.pending[k] = append(m.pending[k], i)
			}
		}
	}
	return m
}

// Ask implements Master.
func (m *sls) Ask(model.Time) ([]capacity.Request, []*capacity.Container) {
	m.look()
	if m.finished {
		return nil, nil
	}
	m.requests = m.requests[:0]
	if k := m.phase(); len(m.pending[k]) > 0 || m.short && len(m.scheduled[k]) > 0 {
		m.scheduled[k] = append(m.scheduled[k], m.pending[k]...)
		m.pending[k] = nil
		m.request(k)
	}
	m.short = false
	return m.requests, nil
}

// phase returns the kind of tasks that are asked for now.
func (m *sls) phase() model.Kind {
	if m.done[model.Map] < m.work.Total[model.Map] {
		return model.Map
	}
	return model.Reduce
}

// look takes over the answer to the last heartbeat.
func (m *sls) look() {
	for _, e := range m.ended {
		switch t := e.Task; {
		case t.Job == model.None: // nothing was started in it: it was taken away
			m.short = true
		case e.Exit == 0:
			m.done[t.Kind]++
		default:
			m.pending[t.Kind] = append(m.pending[t.Kind], t.Index)
		}
	}
	m.ended = m.ended[:0]
	if !m.finished && m.done == m.work.Total {
		m.finished = true
		m.tasks.Finish()
	}
	for _, c := range m.given {
		if !m.finished && !c.Ended {
			m.launch(c)
		}
	}
	m.given = m.given[:0]
}

// launch starts the next task in a container; one that nobody needs stays empty.
func (m *sls) launch(c *capacity.Container) {
	for k := range model.Kind(model.Kinds) {
		if waiting := m.scheduled[k]; len(waiting) > 0 {
			t := model.Task{Job: m.work.Job, Kind: k, Index: waiting[0]}
			m.scheduled[k] = waiting[1:]
			m.tasks.Launch(c, t)
			return
		}
	}
}

// request asks for all tasks of a kind that have no container.
func (m *sls) request(k model.Kind) {
	priority := mapPriority
	if k == model.Reduce {
		priority = reducePriority
	}
	add := func(place capacity.Place) {
		at := slices.IndexFunc(m.requests, func(r capacity.Request) bool { return r.At == place })
		if at < 0 {
			at = len(m.requests)
			m.requests = append(m.requests, capacity.Request{Priority: priority, At: place, Size: m.work.Size[k]})
		}
		m.requests[at].Count++
	}
	for _, index := range m.scheduled[k] {
		add(capacity.Any)
		if k == model.Map && m.work.Near != nil {
			for _, n := range m.work.Near(index) {
				add(n.At(capacity.NodeLocal))
				add(n.At(capacity.RackLocal))
			}
		}
	}
}

// Answer implements Master.
func (m *sls) Answer(a *Answer) (again bool) {
	m.given = append(m.given, a.Given...)
	m.ended = append(m.ended, a.Ended...)
	return !m.finished && (len(m.given)+len(m.ended) > 0 || len(m.pending[m.phase()]) > 0)
}

// Ended implements Master: it hears of ends from the resource manager alone.
func (m *sls) Ended(model.Task, End) {}
