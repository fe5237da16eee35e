// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// loseFetches takes lost map output out of a job's shuffle. Groups keep what they have: they are credited
// with as many copies when the maps have run again. What was under way from the lost source starts over.
func (s *sim) loseFetches(now model.Time, j *cluster.Job, lost []int32, node model.NodeID) {
	sh := s.jobs[j.ID].shuffle
	if sh == nil || sh.copy == 0 {
		return
	}
	if !s.phys.single {
		source := int32(s.host(node))
		if s.phys.byRack {
			source = int32(s.in.Topology.Nodes[node].Rack)
		}
		s.loseSource(now, sh, source, int32(len(lost)))
		return
	}
	for _, index := range lost {
		s.loseSource(now, sh, index, 1)
	}
}

// loseSource forgets the output of n maps of a source.
func (s *sim) loseSource(now model.Time, sh *shuffle, source, n int32) {
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
		g := &s.phys.groups[id]
		f := &g.fetches[source]
		if f.handle != 0 {
			s.stopFetch(now, id, source)
			g.open--
		}
		f.taken -= f.flying
		f.flying, f.carry = 0, 0
		keep := int32(int64(f.taken) * left / int64(before))
		g.credit += f.taken - keep
		f.taken = keep
		s.fetchAll(id, sh)
	}
}

// rereadFrom makes maps that read a block from a lost node read it from another.
func (s *sim) rereadFrom(now model.Time, node model.NodeID) {
	p := s.phys
	for i := range p.attempts {
		a := &p.attempts[i]
		if a.step != stepRead || a.source != node {
			continue
		}
		if a.handle != 0 {
			s.accountStep(a, -s.cancel(now, a.handle))
			a.handle = 0
		} else {
			p.unqueue(stepTag(int32(i)))
		}
		a.step = stepLaunch
		s.proceed(now, int32(i))
	}
}
