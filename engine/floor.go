// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/engine/ring"
	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// floor knows which nodes have room and which pools of it are wanted, and offers one to the other: as soon
// as both are there (on-idle), or when nodes send their heartbeats.
type floor struct {
	*world
	rules *Heartbeat
	// serve makes one use of the offer that stands, and reports whether there was one; if not, how far the
	// refusal reaches.
	serve func(now model.Time) (served bool, scope policy.Scope)
	offer policy.Offer

	ring    ring.Ring
	free    [model.Kinds]*nodeset.Set
	wanting [model.Kinds]int32      // jobs that want room, by pool
	least   [model.Kinds]model.Room // that anything needs of a pool, nothing while nobody needs any
	limited bool                    // a limit other than locality held a job back since the last wake
	capped  [model.Kinds]bool       // by pool: a limit on the use of that pool alone did
	enough  bool                    // the policy has no use for more room than it has just taken
	changed bool                    // more may start, or elsewhere, than when room was offered last
	halted  bool                    // nothing is offered until jobs have begun anew
	starts  *cluster.Job            // whose task is being started, nil if none is
	told    bool                    // whether some node has room, as recorded last
	beats   heartbeats
	cursor  int

	askAt   model.Time // when a policy wants to be asked again, Forever if it does not
	askedBy des.Handle
}

// newFloor puts the nodes in the order in which they ask and marks all as free.
func newFloor(w *world) *floor {
	f := &floor{world: w, rules: &w.in.Config.Heartbeat, askAt: model.Forever, told: true, least: [model.Kinds]model.Room{nothing, nothing}}
	f.offer.OnChanged(func() { f.changed = true })
	f.offer.OnEnough(func(again model.Time) {
		f.enough = true
		f.askAgain(f.offer.Now, again)
	})
	f.offer.OnStolen(func(j *cluster.Job) { w.recordJob(f.offer.Now, record.JobStolen, j.ID) })
	n := len(w.in.Topology.Nodes)
	f.ring = ring.New(w.in.Seed, n, model.Time(f.rules.Interval))
	for p := range f.pools() {
		f.free[p] = nodeset.New(n)
	}
	for node := range n {
		f.markAll(model.NodeID(node))
	}
	f.beats.at, f.beats.last = model.Forever, model.None
	return f
}

// nothing fits no node.
var nothing = model.Room{math.MaxInt32, math.MaxInt32}

// expect keeps the least room that a task of a pool needs, of the jobs submitted so far, so that nodes
// without that much are not asked in vain. Jobs that will come do not count: what is offered when must
// not depend on them.
func (f *floor) expect(j *cluster.Job) {
	for k, need := range j.Need {
		if j.Total[k] > 0 {
			f.lower(f.pool(model.Kind(k)), need)
		}
	}
}

// lower notes that something needs as little as this of a pool.
func (f *floor) lower(pool int, need model.Room) {
	least := f.least[pool]
	for d := range need {
		least[d] = min(least[d], need[d])
	}
	if least == f.least[pool] {
		return
	}
	f.least[pool] = least
	for node := range f.state.Nodes {
		f.mark(model.NodeID(node), pool)
	}
}

// mark notes whether the node has room of the pool. A pool that no task needs has none.
func (f *floor) mark(node model.NodeID, pool int) {
	at := int(f.ring.At[node])
	if f.state.Nodes[node].Free.Holds(&f.least[pool]) {
		f.free[pool].Add(at)
	} else {
		f.free[pool].Remove(at)
	}
	if some := f.free[pool].Len() > 0; f.model == model.Yarn && some != f.told && !f.yarn && f.rules.Interval != OnIdle && f.least[pool] != nothing {
		f.told = some
		f.recordRoom(f.queue.Now(), some)
	}
}

// markAll notes it for all pools.
func (f *floor) markAll(node model.NodeID) {
	for p := range f.pools() {
		f.mark(node, p)
	}
}

// want counts the jobs, or others, that want room of a pool.
func (f *floor) want(pool int, wants bool) {
	if wants {
		f.wanting[pool]++
		f.beats.dry[pool] = false
	} else {
		f.wanting[pool]--
	}
}

// freed offers room that a node has just got back: at once, or at its next heartbeat. YARN's resource manager gives
// room itself.
func (f *floor) freed(now model.Time, node model.NodeID, pool int) {
	if f.yarn {
		return
	}
	if f.rules.Interval != OnIdle {
		f.mark(node, pool)
		f.beats.dry = [model.Kinds]bool{}
		if f.rules.OnEnd {
			f.newBeat()
			f.offerNode(now, node, pool)
		}
		f.planBeat(now)
		return
	}
	f.newBeat()
	kept := f.offerNode(now, node, pool) == policy.Everywhere && f.askAt < model.Forever // until then, on all nodes
	if all := f.limited; all || f.capped[pool] {
		// A limit may have been lifted by what ended, and other nodes may suit it.
		f.limited, f.capped[pool] = all && kept, f.capped[pool] && kept
		for p := range f.pools() {
			if p != pool && all || p == pool && !kept {
				f.wake(now, p)
			}
		}
	}
}

func (f *floor) newBeat() {
	f.offer.Beat = policy.Beat{Sequence: f.offer.Beat.Sequence + 1, Periodic: f.rules.Interval != OnIdle}
}

// offerNode offers the node's free room of a pool until it is full or nobody has a use for it, and
// returns how far the refusal reaches.
func (f *floor) offerNode(now model.Time, node model.NodeID, pool int) policy.Scope {
	return f.offerTimes(now, node, pool, math.MaxInt)
}

// offerTimes is offerNode for at most that many uses.
func (f *floor) offerTimes(now model.Time, node model.NodeID, pool, times int) policy.Scope {
	n := &f.state.Nodes[node]
	o := &f.offer
	o.Now = now
	scope := policy.Here
	for ; times > 0 && n.Free.Holds(&f.least[pool]) && f.wanting[pool] > 0 && f.failed == nil && !f.halted && f.allowed(pool); times-- {
		o.Node, o.Rack, o.Pool, o.Free = node, n.Rack, pool, n.Free // each time: a task without work ends while it starts, and its room is offered
		f.result.Offers++
		f.enough = false
		served, refused := f.serve(now)
		if !served {
			scope = refused
			break
		}
		if f.enough {
			scope = policy.Everywhere
			break
		}
	}
	f.mark(node, pool)
	return scope
}

// askAgain plans to ask the policy once more when its answer may have changed by itself.
func (f *floor) askAgain(now, again model.Time) {
	if again <= now || again >= f.askAt {
		return
	}
	f.queue.Cancel(f.askedBy)
	f.askAt = again
	f.askedBy = f.queue.Push(again, event{kind: ask})
}

// wakeAll offers the free room of all pools.
func (f *floor) wakeAll(now model.Time) {
	for p := range f.pools() {
		f.beats.dry[p] = false
		f.wake(now, p)
	}
}

// wake offers the free room of a pool, node by node round the ring, until the policy has no use for
// more. Under periodic heartbeats it makes sure that the next one comes.
func (f *floor) wake(now model.Time, pool int) {
	if f.wanting[pool] == 0 || f.free[pool].Len() == 0 || f.failed != nil {
		return
	}
	if f.rules.Interval != OnIdle {
		f.planBeat(now)
		return
	}
	start := f.cursor
	if !f.wakeRange(now, pool, start, len(f.ring.Nodes)) {
		f.wakeRange(now, pool, 0, start)
	}
}

// wakeRange offers the free nodes at ring positions [from, to) and reports whether to stop.
func (f *floor) wakeRange(now model.Time, pool, from, to int) bool {
	free := f.free[pool]
	for at := free.Next(from); at >= 0 && at < to; at = free.Next(at + 1) {
		f.newBeat()
		before := f.result.Started
		scope := f.offerNode(now, f.ring.Nodes[at], pool)
		if f.result.Started > before {
			f.cursor = at + 1
		}
		if scope == policy.Everywhere || f.wanting[pool] == 0 || f.failed != nil {
			return true
		}
	}
	return false
}

// offerNear offers the free nodes that hold a new job's blocks before all others, one task for
// each block: on-idle means that idle nodes have asked already, and the nearest is answered first. Of the nodes that the job
// may not use one is offered, for it may turn out that there is no use in any.
func (f *floor) offerNear(now model.Time, j *cluster.Job) {
	pool := f.pool(model.Map)
	free := f.free[pool]
	if f.yarn || f.rules.Interval != OnIdle || f.in.Replication == 0 || !j.Reads || free.Len() == 0 {
		return
	}
	index, apart := f.blocks.Index(j.ID, j.Total[model.Map]), policy.Partitioner(nil)
	var memory [16]model.NodeID
	for block := range j.Total[model.Map] {
		for _, node := range append(memory[:0], index.Block(block)...) { // offers ask for other blocks
			if !free.Has(int(f.ring.At[node])) || apart != nil && !apart.Allows(j, node) {
				continue
			}
			f.newBeat()
			before := j.Running[model.Map]
			scope := f.offerTimes(now, node, pool, 1)
			if scope == policy.Everywhere || j.Wants(model.Map) <= 0 || free.Len() == 0 || f.failed != nil {
				return
			}
			if j.Running[model.Map] > before {
				break
			}
			apart = f.driver.Partitioner
		}
	}
}

// blocked receives what a policy says about a job that it held back.
func (f *floor) blocked(j *cluster.Job, limit model.Limit) {
	switch limit {
	case model.LimitLocality, model.LimitCongestion: // what ends elsewhere does not lift these
	case model.LimitUser, model.LimitQueueMax: // they bound the use of one pool
		f.capped[f.offer.Pool] = true
	case model.LimitPartition: // a job that has changed its part may use room that nobody wanted
		f.limited, f.beats.dry = true, [model.Kinds]bool{}
	default:
		f.limited = true
	}
	f.hold(j, limit)
}

// jobLeft is told when a job has left: with it, what bounds the use of any pool may have changed.
func (f *floor) jobLeft() { f.limited = f.limited || f.capped != [model.Kinds]bool{} }

// hold notes what keeps a job from the room that is offered, or from being admitted. It is recorded if that is what the job
// waits for; the event of a start says it of its job.
func (f *floor) hold(j *cluster.Job, limit model.Limit) {
	own := &j.Driven
	if own.Held[f.offer.Pool] == limit && own.Limit == limit { // mostly it is held back as before
		return
	}
	own.Held[f.offer.Pool] = limit
	if j.Phase == cluster.Admitted {
		limit = own.Held[f.waits(j)]
	}
	if own.Limit == limit {
		return
	}
	if own.Limit = limit; j == f.starts {
		return
	}
	f.records.SendLimit(f.offer.Now, record.JobBlocked, j.ID, limit)
}
