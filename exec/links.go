// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/record"
)

// links has the racks' links looked at every now and then, or on the tick.
type links struct {
	*flows
	watch   *network.Watch
	racks   int
	every   model.Time
	looked  func(model.Time, []float64) // nil if nobody asks
	planned bool
}

// plan makes sure that links are looked at again while anything is on them.
func (l *links) plan(now model.Time) {
	if l.planned || l.racks < 2 || l.solver.Running() == 0 && l.watch.Idle() {
		return
	}
	l.planned = true
	l.timers.At((now/l.every+1)*l.every, Event{Kind: linksLook})
}

// look has what has changed on the racks' links recorded, and tells who asked.
func (l *links) look(now model.Time) {
	l.planned = false
	if l.racks < 2 {
		return
	}
	l.sync(now)
	shares := l.watch.Look(now)
	if l.looked != nil {
		l.looked(now, shares)
	}
}

// route adds what a work sends in its step: it reads a block, or writes replicas from node to node.
func (s *steps) route(w *work, bytes float64) {
	if w.step == stepRead || w.step == stepReceive {
		s.Route(int(w.from), s.Host(w.node), bytes)
		return
	}
	nodes, hops := w.replicas(&s.outputs), 0
	for i := range nodes[1:] {
		if s.Host(nodes[i]) != s.Host(nodes[i+1]) {
			hops++
		}
	}
	for i := range nodes[1:] {
		if from, to := s.Host(nodes[i]), s.Host(nodes[i+1]); from != to {
			s.Route(from, to, bytes/float64(hops))
		}
	}
}

// send adds what a host in one rack fetches from another, or its own, to what its job and the racks sent.
func (s *shuffles) send(w *jobWork, from, to int, bytes, cross float64, elephant bool) {
	over := 0.0
	if elephant {
		over = bytes
	}
	w.moved.Add(record.Shuffle, bytes, bytes*cross, over)
	s.Send(from, to, bytes)
}

// Traffic returns what went over links so far. It is nil where they are not modelled and in a single rack.
func (e *Executor) Traffic() *record.Traffic {
	if e.shared == nil || e.shared.links.racks < 2 {
		return nil
	}
	t := &record.Traffic{Racks: e.shared.links.racks}
	for _, bytes := range e.shared.hardware.Sent {
		t.Bytes = append(t.Bytes, model.Bytes(max(bytes, 0)+0.5))
	}
	if o := e.shared.shuffles.optics; o != nil {
		t.Over = o.circuits.Carried()
	}
	return t
}

// checkShuffle verifies that the reduces of an ending job have got what its maps made, all of it, and more
// only if some were killed and fetched again. Where output was lost and made again, a reduce that had all before
// needs no more than was made by then.
func (w *jobWork) checkShuffle(now model.Time) error {
	sh := w.shuffle
	if sh == nil || sh.copy == 0 {
		return nil
	}
	made := float64(w.spec.Shuffle) + sh.beyond
	slack := 1e-9 * made
	if sh.fetched < made-slack || sh.fetched > made+slack && !w.killed {
		return fmt.Errorf("at %v: reduces of job %d got %.0f bytes, its maps made %.0f", now, w.job.ID, sh.fetched, made)
	}
	return nil
}
