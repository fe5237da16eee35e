// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// links watches the racks' links: which are congested, how much of all is in use.
type links struct {
	congested []bool // by link: 2*rack up, 2*rack+1 down
	load      [2]float64
	planned   bool
}

func (l *links) init(racks int) { l.congested = make([]bool, 2*racks) }

// planSample makes sure that links are looked at again while anything is on them.
func (s *sim) planSample(now model.Time) {
	l := &s.phys.links
	if l.planned || s.in.Topology.Racks < 2 || s.phys.solver.Running() == 0 && l.load == [2]float64{} {
		return
	}
	l.planned = true
	sample := s.in.Config.Network.Sample
	s.queue.Push((now/sample+1)*sample, event{kind: sampleLinks})
}

// sampleLinks records what has changed on the racks' links since the last look.
func (s *sim) sampleLinks(now model.Time) {
	p := s.phys
	p.links.planned = false
	if s.in.Topology.Racks < 2 {
		return
	}
	s.syncFlows(now)
	var used, capacity [2]float64
	for rack := range s.in.Topology.Racks {
		up, down := p.fabric.RackLinks(rack)
		for way, r := range [2]fluid.Resource{up, down} {
			u, c := p.solver.Load(r)
			used[way] += u
			capacity[way] += c
			s.noteCongestion(now, 2*rack+way, u > c*float64(s.in.Config.Network.Congestion))
		}
	}
	load := [2]float64{used[0] / capacity[0], used[1] / capacity[1]}
	if load != p.links.load {
		p.links.load = load
		s.event.Up, s.event.Down = load[0], load[1]
		s.record(now, record.LinkLoads, model.Task{Job: model.None}, model.None, 0)
	}
}

func (s *sim) noteCongestion(now model.Time, link int, congested bool) {
	l := &s.phys.links
	if l.congested[link] == congested {
		return
	}
	l.congested[link] = congested
	kind := record.LinkRelieved
	if congested {
		kind = record.LinkCongested
	}
	s.event.Count = int32(link)
	s.record(now, kind, model.Task{Job: model.None}, model.None, 0)
}

// moved is what a job sent over links, by purpose.
type moved [record.Purposes]struct{ bytes, cross float64 }

// account adds to what a job sent over links; a killed activity takes back what it did not send.
func (r *jobRun) account(purpose record.Purpose, bytes, cross float64) {
	if r.moved == nil {
		r.moved = new(moved)
	}
	r.moved[purpose].bytes += bytes
	r.moved[purpose].cross += cross
}

// recordMoved tells what an ending job sent over links.
func (s *sim) recordMoved(now model.Time, id model.JobID) {
	m := s.jobs[id].moved
	if m == nil {
		return
	}
	for purpose := range record.Purpose(record.Purposes) {
		if m[purpose].bytes == 0 {
			continue
		}
		s.event.Purpose = purpose
		s.event.Bytes, s.event.Cross = model.Bytes(m[purpose].bytes+0.5), model.Bytes(m[purpose].cross+0.5)
		s.record(now, record.DataMoved, model.Task{Job: id}, model.None, 0)
	}
}

// checkShuffle verifies that the reduces of an ending job have got what its maps made, all of it, and more
// only if some were killed and fetched again.
func (s *sim) checkShuffle(now model.Time, id model.JobID) error {
	sh := s.jobs[id].shuffle
	if s.in.Check == 0 || sh == nil || sh.copy == 0 {
		return nil
	}
	made, slack := float64(s.in.Jobs[id].Shuffle), 1e-9*float64(s.in.Jobs[id].Shuffle)
	if sh.fetched < made-slack || sh.fetched > made+slack && s.jobs[id].attempts == nil { // a killed reduce fetches again
		return fmt.Errorf("at %v: reduces of job %d got %.0f bytes, its maps made %.0f", now, id, sh.fetched, made)
	}
	return nil
}

// checkFlows verifies that no resource is above its capacity.
func (s *sim) checkFlows(now model.Time) error {
	p := s.phys
	for r := range p.solver.Resources() {
		if used, capacity := p.solver.Load(fluid.Resource(r)); used > capacity*(1+1e-9) {
			return fmt.Errorf("at %v: %s: %g in use, capacity %g", now, p.solver.Name(fluid.Resource(r)), used, capacity)
		}
	}
	return nil
}
