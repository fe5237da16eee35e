// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
)

// A fetch that the gate between racks holds back stays open in its group, so that its reduces do not compute without
// the data.

// count adds an attempt to what its job has in the racks, or takes it off.
func (s *shuffles) count(a *Attempt, by int32) {
	w := s.jobs.At(a.Slot)
	if s.keeper == nil || w.spec.Reduces == 0 || s.of(w).between == nil {
		return
	}
	if rack := int(s.Topology.Nodes[a.Node].Rack); a.Task.Kind == model.Map {
		s.keeper.Source(w.shuffle.between, rack, by)
	} else {
		s.keeper.Receiver(w.shuffle.between, rack, by)
	}
}

// askAgain asks the gate again where that is due, and reports whether it was.
func (s *shuffles) askAgain(now model.Time) bool {
	if s.keeper == nil {
		return false
	}
	asked, err := s.keeper.AskAgain(now, func(x *network.Exchange, from, to int) { s.letGo(now, x, from, to) })
	if err != nil {
		s.fail(err)
	}
	return asked
}

// letGo queues what was held from one rack to another.
func (s *shuffles) letGo(now model.Time, x *network.Exchange, from, to int) {
	sh := s.ground.of(x.Job).shuffle
	for _, id := range sh.groups {
		g := s.group(id)
		if s.Fabric.Rack(int(g.host)) != to {
			continue
		}
		for source := range g.fetches {
			if f := &g.fetches[source]; f.held && s.rackOf(sh, int32(source)) == from {
				f.held, f.queued = false, true
				s.queue(now, fetchTag(id, int32(source)))
			}
		}
	}
}
