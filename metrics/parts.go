// SPDX-License-Identifier: Apache-2.0

package metrics

import "github.com/yardmaster/yardmaster/metrics/fold"

// Divide makes the collector tell parts of the cluster apart; of gives the part of each node, counted
// from 0. It is called before the run.
func (c *Collector) Divide(of []int) {
	c.parts, c.detailed = fold.NewParts(c.topology, of), true
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
