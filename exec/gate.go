// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
)

// exchanges asks the gate what jobs may send from rack to rack. A fetch that may not begin stays open in its group,
// so that its reduces do not compute without the data. Refused passages are asked for again when everything of a
// moment has happened. Nil exchanges hold nothing back.
type exchanges struct {
	*ground
	*flows
	asking []*jobWork // for which the gate is to be asked again
	// letGo begins what was held from one rack to another.
	letGo func(sh *shuffle, from, to int)
}

// begin gives a job's shuffle an exchange.
func (x *exchanges) begin(w *jobWork, sh *shuffle) {
	sh.between = network.NewExchange(x.Topology.Racks, sh.copy)
	sh.whole = x.Gate != nil && x.Gate.Aggregates(w.job)
}

// stir makes the gate be asked again about all that it holds back of a job.
func (x *exchanges) stir(w *jobWork) {
	if b := w.shuffle.between; x != nil && b != nil {
		b.Stir()
		x.askLater(w)
	}
}

func (x *exchanges) askLater(w *jobWork) {
	if sh := w.shuffle; x.Gate != nil && sh.between.Waits() && !sh.asking {
		sh.asking = true
		x.asking = append(x.asking, w)
	}
}

// holds reports whether a job's reduces in one rack must not fetch from another yet.
func (x *exchanges) holds(now model.Time, w *jobWork, from, to int) bool {
	if x == nil || x.Gate == nil || from == to {
		return false
	}
	switch w.shuffle.between.Passage(from, to).State {
	case network.Unasked:
		return !x.ask(now, w, from, to)
	case network.Refused: // it is asked for again when something has changed
		return true
	}
	return false
}

// ask asks the gate about a passage.
func (x *exchanges) ask(now model.Time, w *jobWork, from, to int) bool {
	b := w.shuffle.between
	bytes := b.Aggregate(from, to)
	open := x.Gate.MayFetch(now, w.job, model.RackID(from), model.RackID(to), model.Bytes(bytes))
	if b.Answer(from, to, open); !open && w.job.Pending(model.Reduce) == 0 {
		x.fail(fmt.Errorf("at %v: the policy lets no reduce of job %d in rack %d fetch %.0f bytes from rack %d although all reduces of the job have started",
			now, w.job.ID, to, bytes, from))
	}
	return open
}

// askAgain asks about refused passages for which something has changed, lets go what was held, and reports whether
// there was any.
func (x *exchanges) askAgain(now model.Time) bool {
	if x == nil || len(x.asking) == 0 {
		return false
	}
	for _, w := range x.asking {
		sh := w.shuffle
		if sh == nil || !sh.asking {
			continue // the job has left
		}
		sh.asking = false
		sh.between.AskAgain(func(from, to int) {
			if x.flows.err == nil && x.ask(now, w, from, to) {
				x.letGo(sh, from, to)
			}
		})
	}
	x.asking = x.asking[:0]
	return true
}

// count adds an attempt to what its job has in the racks, or takes it off.
func (s *shuffles) count(a *Attempt, by int32) {
	w := s.jobs[a.job]
	if s.exchanges == nil || w.spec.Reduces == 0 {
		return
	}
	b := s.of(w).between
	if b == nil {
		return
	}
	rack := int(s.Topology.Nodes[a.Node].Rack)
	if a.Task.Kind == model.Map {
		b.Source(rack, by)
		return
	}
	b.Receiver(rack, by)
	if w.job.Pending(model.Reduce) == 0 {
		b.Stir()
	}
	s.exchanges.askLater(w)
}

// rackOf returns the rack of a source.
func (s *shuffles) rackOf(sh *shuffle, source int32) int {
	if s.byRack {
		return int(source)
	}
	return s.fabric.Rack(int(sh.host(source)))
}

// letGo queues what was held from one rack to another.
func (s *shuffles) letGo(sh *shuffle, from, to int) {
	for _, id := range sh.groups {
		g := s.group(id)
		if s.fabric.Rack(int(g.host)) != to {
			continue
		}
		for source := range g.fetches {
			if f := &g.fetches[source]; f.held && s.rackOf(sh, int32(source)) == from {
				f.held, f.queued = false, true
				s.queue(fetchTag(id, int32(source)))
			}
		}
	}
}
