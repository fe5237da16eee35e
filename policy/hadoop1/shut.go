// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// shutQueues are the queues that the offers of one pool leave out.
//
// A queue of which all users that want room are at their limits is passed over by every offer until something about it
// changes: a task of it starts or ends, a job of it comes to want room or ceases to, its users or its limits become others.
// Where there are a thousand such queues, an offer would do little else than pass them over. So a queue that a visit has
// found like that is shut: it keeps its place, but is no part of the iteration until it changes.
type shutQueues struct {
	book   *Book
	order  *keyed.Stable
	pool   int
	noted  []int32
	hidden []int32
}

// shutState is whether a queue is shut for a pool.
type shutState uint8

const (
	open   shutState = iota
	noted            // to be hidden when the next iteration begins: this one must not change the order
	hidden           // no part of the iteration
)

func (s *shutQueues) state(queue int32) *poolState { return &s.book.queues[queue].pools[s.pool] }

// note shuts a queue.
func (s *shutQueues) note(queue int32) {
	if p := s.state(queue); p.shut == open {
		p.shut = noted
		s.noted = append(s.noted, queue)
	}
}

// hide takes out of the iteration what was noted and has not changed since.
func (s *shutQueues) hide() {
	for _, queue := range s.noted {
		if p := s.state(queue); p.shut == noted {
			p.shut, p.place = hidden, int32(len(s.hidden))
			s.hidden = append(s.hidden, queue)
			s.order.Show(queue, false)
		}
	}
	s.noted = s.noted[:0]
}

// reopen is told that something about a queue has changed.
func (s *shutQueues) reopen(queue int32) {
	p := s.state(queue)
	if p.shut == hidden {
		last := s.hidden[len(s.hidden)-1]
		s.hidden[p.place], s.state(last).place = last, p.place
		s.hidden = s.hidden[:len(s.hidden)-1]
		s.order.Show(queue, p.head != nil)
	}
	p.shut = open
}

// reopenAll makes all queues part of the iteration.
func (s *shutQueues) reopenAll() {
	for len(s.hidden) > 0 {
		s.reopen(s.hidden[0])
	}
}

// tell names a job that the offer left out, so that the driver knows that a limit holds some back.
func (s *shutQueues) tell(o *policy.Offer) {
	if len(s.hidden) == 0 {
		return
	}
	o.Blocked(s.state(s.hidden[0]).head, model.LimitUser)
}
