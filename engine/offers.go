// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// setRing puts the nodes in the order in which they ask and marks all as free.
func (s *sim) setRing() {
	n := len(s.in.Topology.Nodes)
	order := rng.New(s.in.Seed, "heartbeat-offset")
	s.ring = make([]model.NodeID, n)
	phase := make([]model.Time, n)
	for i := range s.ring {
		s.ring[i] = model.NodeID(i)
		u := order.Uint64(uint64(i), 0, 0)
		phase[i] = model.Time(u >> 2)
		if interval := s.in.Config.Heartbeat.Interval; interval != OnIdle {
			phase[i] = model.Time(u % uint64(interval))
		}
	}
	slices.SortFunc(s.ring, func(a, b model.NodeID) int {
		if phase[a] != phase[b] {
			return int(min(max(phase[a]-phase[b], -1), 1))
		}
		return int(a - b)
	})
	s.at = make([]int32, n)
	for p := range s.pools {
		s.free[p] = nodeset.New(n)
	}
	for i, node := range s.ring {
		s.at[node] = int32(i)
		s.beats.phase = append(s.beats.phase, phase[node])
		for p := range s.pools {
			s.mark(node, p)
		}
	}
	s.beats.at, s.beats.last = model.Forever, model.None
}

// lowerLeast keeps the least room that a task of a pool needs, of the jobs submitted so far, so that
// nodes without that much are not asked in vain. Jobs that will come do not count: what is offered
// when must not depend on them.
func (s *sim) lowerLeast(j *cluster.Job) {
	for k, need := range j.Need {
		if j.Total[k] == 0 {
			continue
		}
		s.lower(s.model.Pool(model.Kind(k)), need)
	}
	if s.yarn != nil {
		s.lower(0, s.yarn.am)
	}
}

// lower notes that something needs so little room of a pool.
func (s *sim) lower(pool int, need model.Room) {
	least := s.least[pool]
	if least.IsZero() {
		least = need
	}
	for d := range need {
		least[d] = min(least[d], need[d])
	}
	if least == s.least[pool] {
		return
	}
	s.least[pool] = least
	for node := range s.state.Nodes {
		s.mark(model.NodeID(node), pool)
	}
}

// mark notes whether the node has room of the pool. A pool that no task needs has none.
func (s *sim) mark(node model.NodeID, pool int) {
	at := int(s.at[node])
	if least := s.least[pool]; !least.IsZero() && s.state.Nodes[node].Free.Fits(least) {
		s.free[pool].Add(at)
	} else {
		s.free[pool].Remove(at)
	}
}

// freed offers room that a node has just got back: at once, or at its next heartbeat.
func (s *sim) freed(now model.Time, node model.NodeID, pool int) {
	if h := &s.in.Config.Heartbeat; h.Interval != OnIdle {
		s.mark(node, pool)
		s.beats.dry = [model.Kinds]bool{}
		if h.OnEnd {
			s.newBeat()
			s.offerNode(now, node, pool)
		}
		s.planBeat(now)
		return
	}
	s.newBeat()
	s.offerNode(now, node, pool)
	if s.limited {
		// A limit may have been lifted by what ended, and other nodes may suit it.
		s.limited = false
		s.wakeAll(now)
	}
}

func (s *sim) newBeat() {
	s.offer.Beat = policy.Beat{Sequence: s.offer.Beat.Sequence + 1, Periodic: s.in.Config.Heartbeat.Interval != OnIdle}
}

// offerNode offers the node's free room of a pool until it is full or the policy declines, and
// returns how far the refusal reaches.
func (s *sim) offerNode(now model.Time, node model.NodeID, pool int) policy.Scope {
	return s.offerTimes(now, node, pool, math.MaxInt)
}

// offerTimes is offerNode for at most so many tasks.
func (s *sim) offerTimes(now model.Time, node model.NodeID, pool, times int) policy.Scope {
	scope := policy.Here
	n := &s.state.Nodes[node]
	o := &s.offer
	o.Now, o.Node, o.Rack, o.Pool = now, node, n.Rack, pool
	for ; times > 0 && s.wanting[pool] > 0 && s.failed == nil && n.Free.Fits(s.least[pool]) && s.allowed(); times-- {
		o.Free = n.Free
		s.result.Offers++
		if s.yarn != nil && s.yarn.waiting > 0 {
			started, reserved := s.offerMaster(now, node)
			if started {
				continue
			}
			if reserved {
				break
			}
			if s.wanting[pool] == 1 { // nobody wants room but masters that the share holds back
				scope = policy.Everywhere
				break
			}
		}
		d := s.driver.Pick(o)
		if d.Task.Job == model.None {
			scope = d.Scope
			s.askAgain(now, d.Again)
			break
		}
		if s.stale(now, d.Task) {
			continue
		}
		if err := s.start(now, d.Task, node); err != nil {
			s.failed = err
			break
		}
	}
	s.mark(node, pool)
	return scope
}

// askAgain plans to ask the policy once more when its answer may have changed by itself.
func (s *sim) askAgain(now, again model.Time) {
	if again <= now || again >= s.askAt {
		return
	}
	s.queue.Cancel(s.askedBy)
	s.askAt = again
	s.askedBy = s.queue.Push(again, event{kind: ask})
}

// wakeAll offers the free room of all pools.
func (s *sim) wakeAll(now model.Time) {
	for p := range s.pools {
		s.beats.dry[p] = false
		s.wake(now, p)
	}
}

// wake offers the free room of a pool, node by node round the ring, until the policy has no use for
// more. Under periodic heartbeats it makes sure that the next one comes.
func (s *sim) wake(now model.Time, pool int) {
	if s.wanting[pool] == 0 || s.free[pool].Len() == 0 || s.failed != nil {
		return
	}
	if s.in.Config.Heartbeat.Interval != OnIdle {
		s.planBeat(now)
		return
	}
	start := s.cursor
	if !s.wakeRange(now, pool, start, len(s.ring)) {
		s.wakeRange(now, pool, 0, start)
	}
}

// wakeRange offers the free nodes at ring positions [from, to) and reports whether to stop.
func (s *sim) wakeRange(now model.Time, pool, from, to int) bool {
	free := s.free[pool]
	for at := free.Next(from); at >= 0 && at < to; at = free.Next(at + 1) {
		s.newBeat()
		before := s.result.Started
		scope := s.offerNode(now, s.ring[at], pool)
		if s.result.Started > before {
			s.cursor = at + 1
		}
		if scope == policy.Everywhere || s.wanting[pool] == 0 || s.failed != nil {
			return true
		}
	}
	return false
}

// offerNear offers the free nodes that hold a new job's blocks before all others, one task for
// each block: on-idle means that idle nodes have asked already, and the nearest is answered first.
func (s *sim) offerNear(now model.Time, j *cluster.Job) {
	pool := s.model.Pool(model.Map)
	free := s.free[pool]
	if s.in.Config.Heartbeat.Interval != OnIdle || s.in.Replication == 0 || j.Input == 0 || free.Len() == 0 {
		return
	}
	index := s.blocks.Index(j.ID, j.Total[model.Map])
	for block := range j.Total[model.Map] {
		for _, node := range index.Block(block) {
			if !free.Has(int(s.at[node])) {
				continue
			}
			s.newBeat()
			before := j.Running[model.Map]
			scope := s.offerTimes(now, node, pool, 1)
			if scope == policy.Everywhere || j.Wants(model.Map) <= 0 || free.Len() == 0 || s.failed != nil {
				return
			}
			if j.Running[model.Map] > before {
				break
			}
		}
	}
}
