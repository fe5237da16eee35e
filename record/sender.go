// SPDX-License-Identifier: Apache-2.0

package record

import "github.com/yardmaster/yardmaster/model"

// Sender sends events to a recorder without allocating: each is copied into a place that is used
// again, so that no event carries a field of an earlier one.
type Sender struct {
	to    Recorder
	event Event
}

// NewSender returns a sender to the recorder.
func NewSender(to Recorder) *Sender { return &Sender{to: to} }

// Next returns the next event to send, with nothing set but what is given; SendNext sends it. It is Send
// for events of which there are many.
func (s *Sender) Next(now model.Time, kind Kind, t model.Task, node model.NodeID) *Event {
	s.event = Event{}
	s.event.Time, s.event.Kind, s.event.Task, s.event.Node = now, kind, t, node
	return &s.event
}

// SendNext sends the event that Next returned.
func (s *Sender) SendNext() { s.to.Record(&s.event) }

// Send sends one event.
func (s *Sender) Send(e Event) {
	s.event = e
	s.to.Record(&s.event)
}
