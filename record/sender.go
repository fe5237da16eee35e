// SPDX-License-Identifier: Apache-2.0

package record

// Sender sends events to a recorder without allocating: each is copied into a place that is used
// again, so that no event carries a field of an earlier one.
type Sender struct {
	to    Recorder
	event Event
}

// NewSender returns a sender to the recorder.
func NewSender(to Recorder) *Sender { return &Sender{to: to} }

// Send sends one event.
func (s *Sender) Send(e Event) {
	s.event = e
	s.to.Record(&s.event)
}
