// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

// leave takes a killed reduce out of its group. The others go on with their part of what is under way.
func (s *shuffles) leave(now model.Time, i int32) {
	id := s.list[i].group
	g := s.group(id)
	before := float64(len(g.members))
	leaveHeld(s, now, id, (before-1)/before)
	g.members = slices.DeleteFunc(g.members, func(m int32) bool { return m == i })
	for source := range g.fetches {
		f := &g.fetches[source]
		if f.handle != 0 {
			came := g.sends(int32(source)) && before > 1
			s.stop(now, id, int32(source))
			if came { // the others keep it
				hold(s, now, id, (g.acts[source].bytes-f.carry)*(before-1)/before)
			}
			f.queued = true
			s.queue(now, fetchTag(id, int32(source)))
		} else if g.sends(int32(source)) {
			part := g.acts[source].bytes / before
			g.job.shuffle.fetched -= part
			g.acts[source].bytes -= part
		}
		f.carry *= (before - 1) / before // also of what was stopped before, and waits
	}
	if len(g.members) > 0 {
		return
	}
	for source := range g.fetches {
		if g.fetches[source].queued {
			s.queued.Drop(fetchTag(id, int32(source)))
		}
	}
	s.drop(id)
}

// stop stops what is under way from a source and keeps what was left of it.
func (s *shuffles) stop(now model.Time, id, source int32) {
	g := s.group(id)
	f, w := &g.fetches[source], g.job
	left := s.cancel(now, f.handle)
	s.Needs.Reset()
	from, to := s.rackOf(w.shuffle, source), s.Fabric.Rack(int(g.host))
	linked, cross := s.usePathFrom(w.shuffle, source, g.host, f.large)
	reading := s.apart && !g.acts[source].read
	if f.large && !reading {
		s.optics.circuits.End(now, from, to, left)
	}
	if reading { // nothing was sent
		left = g.acts[source].bytes
	} else if s.full && !s.apart { // its work counts all bytes, also those that need no link
		s.send(w, from, to, -left*linked, cross, f.large)
	} else {
		s.send(w, from, to, -left, cross, f.large)
		left /= linked
	}
	w.shuffle.fetched -= left
	g.flying -= f.flying
	f.handle, f.carry = 0, f.carry+left
	if s.apart {
		g.acts[source].read = false
	}
}

// outputLost takes lost map output out of a job's shuffle. Groups keep what they have: they are credited
// with as many copies when the maps have run again. What was under way from the lost source starts over.
func (s *shuffles) outputLost(now model.Time, w *jobWork, maps []int32, node model.NodeID) {
	sh := w.shuffle
	if sh == nil || sh.copy == 0 {
		return
	}
	if sh.between != nil {
		s.keeper.Source(sh.between, int(s.Topology.Nodes[node].Rack), -int32(len(maps)))
	}
	if !s.single {
		s.loseSource(now, w, s.source(node, none), int32(len(maps)))
		return
	}
	for _, index := range maps {
		s.loseSource(now, w, index, 1)
	}
}

// loseSource forgets the output of n maps of a source.
func (s *shuffles) loseSource(now model.Time, w *jobWork, source, n int32) {
	sh := w.shuffle
	if all := sh.made[source] + sh.released[source]; sh.over != nil {
		loseOver(s, w, source, float64(all-n)/float64(all))
	}
	unreleased := min(n, sh.made[source])
	sh.made[source] -= unreleased
	sh.waiting -= unreleased
	before := sh.released[source]
	sh.released[source] -= n - unreleased
	left := int64(sh.released[source])
	if n == unreleased {
		return
	}
	for _, id := range sh.groups {
		g := s.group(id)
		f := &g.fetches[source]
		if f.handle != 0 {
			s.stop(now, id, source)
			g.open--
		} else if g.sends(source) { // it stays queued
			sh.fetched -= g.acts[source].bytes
			g.flying -= f.flying
			g.acts[source].read = false
		}
		f.taken -= f.flying
		f.flying, f.carry = 0, 0
		if s.apart {
			g.acts[source].over -= g.acts[source].coming
			g.acts[source].coming = 0
		}
		keep := int32(int64(f.taken) * left / int64(before))
		g.credit += f.taken - keep
		f.taken = keep
		s.fetchAll(now, id, sh)
	}
}
