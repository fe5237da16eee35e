// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// ByClass puts the first and second replica on machines that are not of a class, in two racks where there are two, and
// the third on machines of the class: jobs find their data on either kind (diverse-2018 §5.2.4). Further replicas go
// anywhere. Of a job for which racks were chosen, the replica on their kind of machine lies in one of them, all with the same
// chance.
type ByClass struct {
	*Default
	own, others []model.NodeID // of the class, and not
	isOwn       []bool         // by rack: its machines are of the class
	chosen      func(model.JobID) []model.RackID
}

var _ Placement = (*ByClass)(nil)

// NewByClass returns the placement for a class of the topology. There are nodes of the class and others. chosen returns the
// racks that were chosen for a job, each of one kind of machine; it is nil if none are chosen for any.
func NewByClass(t *model.Topology, class uint8, chosen func(model.JobID) []model.RackID) *ByClass {
	p := &ByClass{Default: NewDefault(t), isOwn: make([]bool, t.Racks), chosen: chosen}
	for i, n := range t.Nodes {
		if n.Class == class {
			p.own = append(p.own, model.NodeID(i))
			p.isOwn[n.Rack] = true
		} else {
			p.others = append(p.others, model.NodeID(i))
		}
	}
	return p
}

// Place implements Placement.
func (p *ByClass) Place(b Block, nodes []model.NodeID, draw *uint64) {
	first, third := p.others, p.own
	if p.chosen != nil {
		if racks := p.chosen(b.Job); len(racks) > 0 {
			rack := racks[rng.Below(rng.Next(draw), len(racks))]
			if p.isOwn[rack] {
				third = p.racks[rack]
			} else {
				first = p.racks[rack]
			}
		}
	}
	for i := range nodes {
		switch {
		case i == 0:
			nodes[0] = first[rng.Below(rng.Next(draw), len(first))]
		case i == 1 && len(p.others) > 1:
			nodes[1] = p.second(nodes[0], draw)
		case i == 2:
			nodes[2] = third[rng.Below(rng.Next(draw), len(third))]
			if nodes[2] == nodes[1] { // the second had nowhere else to go
				nodes[2], *draw = p.anyBut(nodes[:2], *draw)
			}
		default:
			nodes[i], *draw = p.anyBut(nodes[:i], *draw)
		}
	}
}

// second picks a node for the second replica: in another rack than the first, if there are nodes that are not of the
// class.
func (p *ByClass) second(first model.NodeID, draw *uint64) model.NodeID {
	rack := p.rackOf[first]
	apart := false
	for _, n := range []model.NodeID{p.others[0], p.others[len(p.others)-1]} { // racks are blocks of nodes
		apart = apart || p.rackOf[n] != rack
	}
	for {
		n := p.others[rng.Below(rng.Next(draw), len(p.others))]
		if n != first && (!apart || p.rackOf[n] != rack) {
			return n
		}
	}
}
