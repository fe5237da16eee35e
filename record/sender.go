// SPDX-License-Identifier: Apache-2.0

package record

import "github.com/yardmaster/yardmaster/model"

// Sender sends events to a recorder without allocating: each is copied into a place that is used
// again, so that no event carries a field of an earlier one.
type Sender struct {
	to    Recorder
	event Event
	task  Event // of SendTask
}

// NewSender returns a sender to the recorder.
func NewSender(to Recorder) *Sender { return &Sender{to: to} }

// SendTask is Send for starts and ends of tasks, of which there are many: it sets what they have and nothing
// else.
func (s *Sender) SendTask(now model.Time, kind Kind, t model.Task, node model.NodeID, attempt uint8, locality model.Locality, limit model.Limit, length model.Time) {
	e := &s.task
	e.Time, e.Kind, e.Task, e.Node, e.Attempt, e.Locality, e.Limit, e.Length = now, kind, t, node, attempt, locality, limit, length
	s.to.Record(e)
}

// Send sends one event.
func (s *Sender) Send(e Event) {
	s.event = e
	s.to.Record(&s.event)
}
