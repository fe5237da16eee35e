// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Gate says when the reduces of a job may begin to fetch from another rack. It is asked again, after a refusal,
// when more map output is released, when a reduce of the job starts in the rack, when its last reduce has started and
// when its last map has ended, and at the time that it names; it must not refuse when all reduces have started.
type Gate interface {
	// Aggregates reports whether all that the job sends from one rack to another is one flow.
	Aggregates(j *cluster.Job) bool
	// MayFetch is told what the reduces that are in a rack will get from the maps that are in another. It says
	// when to ask again after a refusal, Forever if only when something has happened.
	MayFetch(now model.Time, j *cluster.Job, from, to model.RackID, bytes model.Bytes) (may bool, again model.Time)
}

// Gatekeeper asks a gate for the passages of exchanges. Refused ones are asked for again when everything of a moment
// has happened. Without a gate all passages are open.
type Gatekeeper struct {
	gate   Gate
	racks  int
	asking []*Exchange // for which the gate is to be asked again
	timed  []*Exchange // for which it has named a time
	err    error
}

// NewGatekeeper returns the keeper of a gate, which may be nil, between racks.
func NewGatekeeper(g Gate, racks int) *Gatekeeper { return &Gatekeeper{gate: g, racks: racks} }

// Exchange returns the exchange of a job whose sources send that number of bytes to each receiver.
func (k *Gatekeeper) Exchange(j *cluster.Job, each float64) *Exchange {
	x := newExchange(k.racks, each)
	x.Job, x.Whole = j, k.gate != nil && k.gate.Aggregates(j)
	return x
}

// Source adds sources in a rack; those that are lost are negative.
func (k *Gatekeeper) Source(x *Exchange, rack int, count int32) { x.sources[rack] += count }

// Receiver adds receivers in a rack; those that leave are negative.
func (k *Gatekeeper) Receiver(x *Exchange, rack int, count int32) {
	x.receivers[rack] += count
	x.stirred[rack] = true
	if x.Job.Pending(model.Reduce) == 0 {
		x.stir()
	}
	k.askLater(x)
}

// Stir notes that something has changed for all that a job sends. A nil exchange sends nothing.
func (k *Gatekeeper) Stir(x *Exchange) {
	if x != nil {
		x.stir()
		k.askLater(x)
	}
}

func (k *Gatekeeper) askLater(x *Exchange) {
	if x.refused > 0 && !x.asking {
		x.asking = true
		k.asking = append(k.asking, x)
	}
}

// Holds reports whether what a job sends from one rack to another must not begin yet.
func (k *Gatekeeper) Holds(now model.Time, x *Exchange, from, to int) bool {
	if k.gate == nil || from == to {
		return false
	}
	p := x.passage(from, to)
	if p.state == unasked {
		k.ask(now, x, from, to)
	}
	return p.state == refused // it is asked for again when something has changed
}

// ask asks the gate about a passage and reports whether it is open.
func (k *Gatekeeper) ask(now model.Time, x *Exchange, from, to int) bool {
	bytes := x.Aggregate(from, to)
	open, again := k.gate.MayFetch(now, x.Job, model.RackID(from), model.RackID(to), model.Bytes(bytes))
	if !open && again != model.Forever {
		k.wait(x, max(again, now+1))
	}
	if x.answer(from, to, open); !open && x.Job.Pending(model.Reduce) == 0 && k.err == nil {
		k.err = fmt.Errorf("at %v: the policy lets no reduce of job %d in rack %d fetch %.0f bytes from rack %d although all reduces of the job have started",
			now, x.Job.ID, to, bytes, from)
	}
	return open
}

// wait has all refused passages of an exchange asked for at the time.
func (k *Gatekeeper) wait(x *Exchange, again model.Time) {
	if x.again == model.Forever {
		k.timed = append(k.timed, x)
	}
	x.again = min(x.again, again)
}

// Close forgets an exchange whose job leaves. A nil exchange is none.
func (k *Gatekeeper) Close(x *Exchange) {
	if x == nil {
		return
	}
	is := func(o *Exchange) bool { return o == x }
	k.asking, k.timed = slices.DeleteFunc(k.asking, is), slices.DeleteFunc(k.timed, is)
}

// Next returns when Due is to be called, Forever if not. A nil keeper waits for nothing.
func (k *Gatekeeper) Next() model.Time {
	next := model.Forever
	if k != nil {
		for _, x := range k.timed {
			next = min(next, x.again)
		}
	}
	return next
}

// Due notes that the gate is to be asked again where the time has come that it named.
func (k *Gatekeeper) Due(now model.Time) {
	later := k.timed[:0]
	for _, x := range k.timed {
		if x.again > now {
			later = append(later, x)
			continue
		}
		x.again = model.Forever
		k.Stir(x)
	}
	k.timed = later
}

// AskAgain asks about refused passages for which something has changed, calls letGo for those that are open now, and
// reports whether any was asked for. The error names a gate that stays shut, whoever asked.
func (k *Gatekeeper) AskAgain(now model.Time, letGo func(x *Exchange, from, to int)) (asked bool, err error) {
	for _, x := range k.asking {
		x.asking, asked = false, true
		x.changed(func(from, to int) {
			if k.ask(now, x, from, to) {
				letGo(x, from, to)
			}
		})
	}
	k.asking = k.asking[:0]
	return asked, k.err
}
