// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/exec/machines"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/record"
)

// optics is where the circuits and the clock meet. A look comes when everything else of its moment is done, so
// that it sees the elephants that begin then. A nil optics does nothing.
type optics struct {
	*flows
	circuits *network.Circuits
	slow     []bool // by rack: its hosts' up links together are slower than its circuits
	next     model.Time
	due      bool // a look is due when the event is over
}

func newOptics(f *flows, h *machines.Hardware, rules *network.CircuitRules, records *record.Sender) (*optics, error) {
	o := &optics{flows: f, next: model.Forever}
	var err error
	if o.circuits, err = network.NewCircuits(f.solver, len(h.InRack), rules, records); err != nil {
		return nil, err
	}
	for rack := range h.InRack {
		_, pool := f.solver.Load(h.Fabric.Pool(rack))
		o.slow = append(o.slow, pool < float64(rules.Rate)*float64(rules.Planes))
	}
	return o, nil
}

// plan makes sure that the circuits are looked at again while elephants are there.
func (o *optics) plan(now model.Time) {
	if o == nil || o.next != model.Forever {
		return
	}
	if o.next = o.circuits.Next(now); o.next != model.Forever {
		o.timers.At(o.next, Event{Kind: circuitsLook})
	}
}

// look has the circuits switched if that is due, and reports whether it was.
func (o *optics) look(now model.Time) bool {
	if o == nil || !o.due {
		return false
	}
	if o.sync(now); len(o.done) > 0 {
		return true // these are not demand any more
	}
	o.due, o.next = false, model.Forever
	at, err := o.circuits.Look(now)
	switch {
	case err != nil:
		o.fail(err)
	case at == now:
		o.connect(now)
	case at != model.Forever:
		o.timers.At(at, Event{Kind: circuitsReady})
	}
	return true
}

// connect lets the circuits carry that were being made.
func (o *optics) connect(now model.Time) {
	o.sync(now)
	if err := o.circuits.Connect(now); err != nil {
		o.fail(err)
	}
}
