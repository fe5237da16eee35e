// SPDX-License-Identifier: Apache-2.0

package fold

import "github.com/yardmaster/yardmaster/model"

// Turns keeps the jobs of each queue in the order in which they came, to tell whose turn it is.
type Turns struct {
	queues  map[string]*turn
	waiting func(model.JobID) bool
}

// turn is a queue: those before the first have no maps that wait.
type turn struct {
	jobs  []model.JobID
	first int
}

// NewTurns is told by waiting whether maps of a job that has come have not started. Those of a job that has no such map
// any more, and gets one again because a node is lost, have had their turn.
func NewTurns(waiting func(model.JobID) bool) Turns { return Turns{map[string]*turn{}, waiting} }

// Add puts a job at the end of a queue.
func (t *Turns) Add(queue string, job model.JobID) {
	if t.queues[queue] == nil {
		t.queues[queue] = &turn{}
	}
	q := t.queues[queue]
	q.jobs = append(q.jobs, job)
}

// Before reports whether maps of a job that came before this one to the queue wait.
func (t *Turns) Before(queue string, job model.JobID) bool {
	q := t.queues[queue]
	for q.jobs[q.first] != job && !t.waiting(q.jobs[q.first]) {
		q.first++
	}
	return q.jobs[q.first] != job
}
