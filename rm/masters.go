// SPDX-License-Identifier: Apache-2.0

// Package rm is the resource manager's side of application masters: who waits for one, whether the AM
// share lets another start, which applications the resource manager remembers, and how a changed share
// comes to act. It decides about masters and nothing else, reads no clock, and knows no policy.
//
// An application master is a container, not a task: it takes room on a node before the job may ask for any,
// needs a while to start, and gives its room back some time after the job's end. A node that asks for work
// is offered to waiting masters before the policy is asked: a job without any container is the neediest in
// fair order, and its master is its first request. The AM share is looked at when a container is about to
// be given, as the Fair Scheduler does; a queue whose first master is held back holds back those behind it,
// which are of the same size. A master that may start but does not fit reserves the node: no task starts
// there until it does.
package rm

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Masters is the application masters of a cluster.
type Masters struct {
	Share Share
	Room  model.Room // of one master

	Ledger
	rules  *Rules
	state  *cluster.State
	queues []queue // by number of the cluster's queue
	active int64   // queues with an application that has not left
}

// queue is the masters of one queue.
type queue struct {
	waiting []*App // in order of submission
	blamed  int    // of these, the first ones that are known to be held back by the share
	masters [model.Dims]int64
	tasks   [model.Dims]int64
	apps    int // that have not left
}

// NewMasters returns the masters of a cluster without jobs.
func NewMasters(rules *Rules, state *cluster.State, seed uint64) *Masters {
	return &Masters{Share: NewShare(float64(rules.Share), rules.Reload, seed), Room: rules.Master(), Ledger: NewLedger(), rules: rules, state: state}
}

// Request lets the application of a submitted job wait for its master.
func (m *Masters) Request(j *cluster.Job) {
	for int(j.Queue) >= len(m.queues) {
		m.queues = append(m.queues, queue{})
	}
	q := &m.queues[j.Queue]
	if q.apps++; q.apps == 1 {
		m.active++
	}
	q.waiting = append(q.waiting, m.Add(j))
}

// Offer offers a node to the masters that wait. It returns the job whose master starts there, or none and
// whether the node is reserved for one that does not fit yet. blocked is told what holds jobs back.
func (m *Masters) Offer(node model.NodeID, blocked func(*cluster.Job, model.Limit)) (started *cluster.Job, reserved bool) {
	var best *App
	for i := range m.queues {
		q := &m.queues[i]
		if len(q.waiting) == 0 || best != nil && q.waiting[0].Job.Submit >= best.Job.Submit {
			continue
		}
		if m.mayStart(q) {
			best = q.waiting[0]
			continue
		}
		for ; q.blamed < len(q.waiting); q.blamed++ {
			blocked(q.waiting[q.blamed].Job, model.LimitAMShare)
		}
	}
	if best == nil {
		return nil, false
	}
	if !m.state.Hold(node, m.Room) {
		blocked(best.Job, model.LimitRoom)
		return nil, true
	}
	q := &m.queues[best.queue]
	q.waiting = q.waiting[1:]
	q.blamed = max(q.blamed-1, 0)
	q.masters = add(q.masters, m.Room, 1)
	m.Begin(best, node)
	return best.Job, false
}

// mayStart reports whether the share allows another master in the queue.
func (m *Masters) mayStart(q *queue) bool {
	if m.rules.Formula == Capacity && q.masters[0] == 0 {
		return true
	}
	var fair, reach [model.Dims]int64
	free := m.state.Free()
	for d, total := range m.state.Total {
		fair[d] = (total + m.active - 1) / m.active
		if m.rules.Formula == Capacity {
			reach[d] = free[d] + m.use(q, d)
		}
	}
	limit := m.rules.limit(m.Share.InEffect, fair, reach, free)
	for d, need := range m.Room {
		if q.masters[d]+int64(need) > limit[d] {
			return false
		}
	}
	return true
}

// use returns what a queue uses: all that is used, if it is the only one.
func (m *Masters) use(q *queue, d int) int64 {
	if m.active == 1 {
		return m.state.Used[d]
	}
	return q.masters[d] + q.tasks[d]
}

// TaskStarted adds the room of a task to what its queue uses, TaskEnded takes it off.
func (m *Masters) TaskStarted(j *cluster.Job, k model.Kind) {
	q := &m.queues[j.Queue]
	q.tasks = add(q.tasks, j.Need[k], 1)
}

// TaskEnded takes the room of a task off what its queue uses.
func (m *Masters) TaskEnded(j *cluster.Job, k model.Kind) {
	q := &m.queues[j.Queue]
	q.tasks = add(q.tasks, j.Need[k], -1)
}

// Leave gives back the container of a master whose job has ended, and returns its node.
func (m *Masters) Leave(id model.JobID) model.NodeID {
	a := m.App(id)
	q := &m.queues[a.queue]
	m.state.Unhold(a.Node, m.Room)
	q.masters = add(q.masters, m.Room, -1)
	if q.apps--; q.apps == 0 {
		m.active--
	}
	m.End(a)
	return a.Node
}

func add(sum [model.Dims]int64, room model.Room, sign int64) [model.Dims]int64 {
	for d, v := range room {
		sum[d] += sign * int64(v)
	}
	return sum
}
