// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// PartUse is what happened in one part of a divided cluster.
type PartUse struct {
	Room []int64   // by pool
	Held []float64 // by pool: room times seconds that tasks held it
	Work float64   // seconds that tasks worked
}

// partCollector sums up what happens in the parts.
type partCollector struct {
	of       []int // by node
	uses     []PartUse
	model    model.RoomModel
	in, last [][]float64 // by part and pool: room in use, since when
}

// Divide makes the collector tell parts of the cluster apart; of gives the part of each node, counted
// from 0. It is called before the run.
func (c *Collector) Divide(of []int) {
	p := &partCollector{of: of, model: c.topology.Model}
	for node, part := range of {
		for len(p.uses) <= part {
			n := p.model.Measures()
			p.uses = append(p.uses, PartUse{Room: make([]int64, n), Held: make([]float64, n)})
			p.in, p.last = append(p.in, make([]float64, n)), append(p.last, make([]float64, n))
		}
		for pool := range p.model.Measures() {
			p.uses[part].Room[pool] += int64(c.topology.Classes[c.topology.Nodes[node].Class].Room[pool])
		}
	}
	c.parts = p
}

// use notes that a task takes room (1) or gives it back (-1).
func (p *partCollector) use(e *record.Event, need model.Room, sign float64) {
	part, first, last := p.of[e.Node], p.model.Pool(e.Task.Kind), p.model.Pool(e.Task.Kind)
	if p.model == model.Yarn {
		last = 1 // vcores beside memory
	}
	now := e.Time.Seconds()
	for i := first; i <= last; i++ {
		p.uses[part].Held[i] += p.in[part][i] * (now - p.last[part][i])
		p.last[part][i] = now
		p.in[part][i] += sign * float64(need[i])
	}
	if e.Kind == record.TaskEnded {
		p.uses[part].Work += e.Length.Seconds()
	}
}

// workShare is the share of all work that was done in part n.
func (r *Run) workShare(n int) float64 {
	all := 0.0
	for i := range r.Parts {
		all += r.Parts[i].Work
	}
	return ratio(r.Parts[n].Work, all)
}

// partUtilisation is the share of part n's room in a pool that was in use over the makespan.
func (r *Run) partUtilisation(n, pool int) float64 {
	use := &r.Parts[n]
	return ratio(use.Held[pool], float64(use.Room[pool])*r.makespan())
}
