// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Planned puts the first replica of a block in a rack that was chosen for its job, all of them with the same
// chance, and the others as HDFS does. A job for which no rack with nodes was chosen has its blocks anywhere.
type Planned struct {
	*Default
	racks func(model.JobID) []model.RackID
}

var _ Placement = (*Planned)(nil)

// NewPlanned returns the placement on a topology with the racks chosen for each job.
func NewPlanned(t *model.Topology, racks func(model.JobID) []model.RackID) *Planned {
	return &Planned{NewDefault(t), racks}
}

// Place implements Placement.
func (p *Planned) Place(b Block, nodes []model.NodeID, draw *uint64) {
	racks := p.racks(b.Job)
	if len(racks) == 0 || len(nodes) == 0 {
		p.Default.Place(b, nodes, draw)
		return
	}
	rack := p.Default.racks[racks[rng.Below(rng.Next(draw), len(racks))]]
	if len(rack) == 0 {
		p.Default.Place(b, nodes, draw)
		return
	}
	nodes[0] = rack[rng.Below(rng.Next(draw), len(rack))]
	p.Spread(nodes, draw)
}
