// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"slices"
	"sort"

	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// beats is the heartbeats of nodes: they stand in a ring by their phases, and the next one that has a reason is an event.
type beats struct {
	interval model.Time
	first    model.Time // none comes earlier
	alarm    func(model.Time, Event)

	ring  []model.NodeID // by position
	phase []model.Time   // by position
	open  *nodeset.Set   // positions of nodes with room
	news  *nodeset.Set   // positions of nodes with something to report

	next struct {
		at  model.Time // Forever if none is planned
		pos int
	}
	last model.Time // when the last heartbeat came
	from int        // position behind the node that sent it
}

// newBeats draws the phases of nodes.
func newBeats(s *Site) beats {
	n := len(s.Nodes)
	b := beats{interval: s.Rules.NodeBeat, first: s.Rules.FirstBeat, alarm: s.Alarm, last: model.None,
		ring: make([]model.NodeID, n), phase: make([]model.Time, n), open: nodeset.New(n), news: nodeset.New(n)}
	b.next.at = model.Forever
	draw := rng.New(s.Seed, rng.HeartbeatOffset)
	phase := make([]model.Time, n)
	for i := range phase {
		b.ring[i] = model.NodeID(i)
		phase[i] = model.Time(draw.Uint64(uint64(i), 0, 0) % uint64(b.interval))
	}
	slices.SortStableFunc(b.ring, func(x, y model.NodeID) int { return int(min(max(phase[x]-phase[y], -1), 1)) })
	for pos, id := range b.ring {
		b.phase[pos] = phase[id]
	}
	return b
}

// plan makes sure that the next heartbeat of a node with a reason for one is an event. Room is a reason if somebody asks
// for it.
func (b *beats) plan(now model.Time, asked bool) {
	start := max(now, b.first)
	rest := start % b.interval
	first := b.from // several nodes may have the same phase: each sends its heartbeat once
	if start != b.last {
		first = sort.Search(len(b.phase), func(i int) bool { return b.phase[i] >= rest })
	}
	at, pos := model.Forever, 0
	look := func(s *nodeset.Set) {
		if s.Len() == 0 {
			return
		}
		i, cycle := s.Next(first), start-rest
		if i < 0 {
			i, cycle = s.Next(0), cycle+b.interval
		}
		if t := cycle + b.phase[i]; t < at || t == at && i < pos {
			at, pos = t, i
		}
	}
	look(b.news)
	if asked {
		look(b.open)
	}
	b.advance(at, pos)
}

// planNode is plan if nothing has changed but that the node at a position has something to report.
func (b *beats) planNode(now model.Time, pos int, asked bool) {
	phase, rest := b.phase[pos], now%b.interval
	if phase == rest || now < b.first {
		b.plan(now, asked)
		return
	}
	at := now - rest + phase
	if phase < rest {
		at += b.interval
	}
	b.advance(at, pos)
}

// advance makes a heartbeat the next one if it comes before the one that is planned.
func (b *beats) advance(at model.Time, pos int) {
	if at < b.next.at {
		b.next.at, b.next.pos = at, pos
		b.alarm(at, Event{Kind: nodeBeats})
	}
}

// take returns the node whose heartbeat comes now.
func (b *beats) take(now model.Time) model.NodeID {
	pos := b.next.pos
	b.last, b.from = now, pos+1
	b.next.at = model.Forever
	return b.ring[pos]
}
