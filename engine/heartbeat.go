// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sort"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// heartbeats is the periodic mode. Each node has a fixed phase and sends a heartbeat at phase + k *
// interval. Only the next heartbeat of a node that has room which someone wants is an event; idle
// or full nodes cost nothing.
type heartbeats struct {
	dry   [model.Kinds]bool // the policy declined for all nodes and nothing has changed since
	at    model.Time        // when the planned heartbeat comes, Forever if none is planned
	pos   int               // position in the ring of the node that will send it
	last  model.Time        // when the last heartbeat came
	from  int               // position behind the node that sent it
	event des.Handle
}

// planBeat makes sure that the next heartbeat of a node with wanted room is an event.
func (f *floor) planBeat(now model.Time) {
	b, phase := &f.beats, f.ring.Phase
	interval := model.Time(f.rules.Interval)
	rest := now % interval
	first := b.from // several nodes may have the same phase: each sends its heartbeat once
	if now != b.last {
		first = sort.Search(len(phase), func(i int) bool { return phase[i] >= rest })
	}
	at, pos := model.Forever, 0
	for p := range f.pools() {
		if f.wanting[p] == 0 || b.dry[p] || f.free[p].Len() == 0 {
			continue
		}
		i := f.free[p].Next(first)
		cycle := now - rest
		if i < 0 {
			i, cycle = f.free[p].Next(0), cycle+interval
		}
		if t := cycle + phase[i]; t < at || t == at && i < pos {
			at, pos = t, i
		}
	}
	if at < b.at {
		f.queue.Cancel(b.event)
		b.at, b.pos = at, pos
		b.event = f.queue.Push(at, event{kind: beat})
	}
}

// beat is one heartbeat: the node is offered its room, maps first, within the limits.
func (f *floor) beat(now model.Time) {
	node := f.ring.Nodes[f.beats.pos]
	f.beats.at, f.beats.last, f.beats.from = model.Forever, now, f.beats.pos+1
	f.newBeat()
	for p := range f.pools() {
		if f.wanting[p] > 0 && !f.beats.dry[p] && f.offerNode(now, node, p) == policy.Everywhere {
			f.beats.dry[p] = true
		}
	}
	if f.failed == nil {
		f.planBeat(now)
	}
}

// allowed reports whether the current heartbeat may be given another task of a pool.
func (f *floor) allowed(pool int) bool {
	h := f.rules
	if h.Interval == OnIdle {
		return true
	}
	b := &f.offer.Beat
	maps, reduces := b.Tasks[model.Map], b.Tasks[model.Reduce]
	if h.MaxTasks > 0 && maps+reduces+b.Masters >= h.MaxTasks {
		return false
	}
	mapsLeft := (h.MaxMaps == 0 || maps < h.MaxMaps) && (h.MaxOffSwitch == 0 || b.OffSwitch < h.MaxOffSwitch)
	reducesLeft := h.MaxReduces == 0 || reduces < h.MaxReduces
	if !f.shared {
		return pool == int(model.Map) && mapsLeft || pool == int(model.Reduce) && reducesLeft
	}
	return mapsLeft && reducesLeft
}
