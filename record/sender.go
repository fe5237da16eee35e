// SPDX-License-Identifier: Apache-2.0

package record

import "github.com/yardmaster/yardmaster/model"

// Sender sends events to a recorder without allocating: each is copied into a place that is used
// again, so that no event carries a field of an earlier one.
type Sender struct {
	to    Recorder
	event Event
	task  Event // of SendStart and SendEnd
	limit Event // of SendLimit
}

// NewSender returns a sender to the recorder.
func NewSender(to Recorder) *Sender {
	return &Sender{to: to, limit: Event{Node: model.None}}
}

// SendStart is Send for starts of tasks, of which there are many: it sets what they have and nothing else.
func (s *Sender) SendStart(now model.Time, t model.Task, node model.NodeID, attempt uint8, locality model.Locality, limit model.Limit) {
	e := &s.task
	e.Time, e.Kind, e.Task, e.Node, e.Attempt, e.Locality, e.Limit, e.Since, e.Length = now, TaskStarted, t, node, attempt, locality, limit, 0, 0
	s.to.Record(e)
}

// SendEnd is Send for ends of tasks whose work is done.
func (s *Sender) SendEnd(now model.Time, t model.Task, node model.NodeID, attempt uint8, since, length model.Time) {
	e := &s.task
	e.Time, e.Kind, e.Task, e.Node, e.Attempt, e.Locality, e.Limit, e.Since, e.Length = now, TaskEnded, t, node, attempt, 0, 0, since, length
	s.to.Record(e)
}

// SendLimit is Send for what holds a job back, or keeps it out.
func (s *Sender) SendLimit(now model.Time, kind Kind, job model.JobID, limit model.Limit) {
	e := &s.limit
	e.Time, e.Kind, e.Task.Job, e.Limit = now, kind, job, limit
	s.to.Record(e)
}

// Send sends one event.
func (s *Sender) Send(e Event) {
	s.event = e
	s.to.Record(&s.event)
}
