// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// PartUse is what happened in one part of a divided cluster.
type PartUse struct {
	Room []int64   // by pool
	Held []float64 // by pool: room times seconds that tasks held it
	Work float64   // seconds that tasks worked
}

// Parts sums up what happens in the parts of a divided cluster.
type Parts struct {
	of    []int // by node
	parts []part
	model model.RoomModel
}

type part struct {
	levels [model.Dims]level // by pool
	room   [model.Dims]int64
	work   float64
}

// level is how much room of a pool is in use, since when, and what that came to before.
type level struct{ in, since, held float64 }

// NewParts returns the parts of a cluster; of gives that of each node, counted from 0.
func NewParts(t *model.Topology, of []int) *Parts {
	p := &Parts{of: of, model: t.Model, parts: make([]part, slices.Max(of)+1)}
	for node, n := range of {
		for pool, room := range t.Classes[t.Nodes[node].Class].Room {
			p.parts[n].room[pool] += int64(room)
		}
	}
	return p
}

// Use notes that a task takes room (1) or gives it back (-1): so much of its pool, and vcores beside it under yarn.
func (p *Parts) Use(e *record.Event, need, vcores int32, sign float64) {
	part, now := &p.parts[p.of[e.Node]], e.Time.Seconds()
	part.levels[p.model.Pool(e.Task.Kind)].add(now, sign*float64(need))
	if p.model == model.Yarn {
		part.levels[1].add(now, sign*float64(vcores))
	}
	if e.Kind == record.TaskEnded {
		part.work += e.Length.Seconds()
	}
}

func (l *level) add(now, room float64) {
	l.held += l.in * (now - l.since)
	l.since = now
	l.in += room
}

// Uses returns what happened in each part.
func (p *Parts) Uses() (list []PartUse) {
	for i := range p.parts {
		use := PartUse{Work: p.parts[i].work}
		for pool := range p.model.Measures() {
			use.Room = append(use.Room, p.parts[i].room[pool])
			use.Held = append(use.Held, p.parts[i].levels[pool].held)
		}
		list = append(list, use)
	}
	return list
}
