// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// ByClass puts the first and second replica on machines that are not of a class, in two racks where there are two, and
// the third on machines of the class: jobs find their data on either kind (diverse-2018 §5.2.4). Further replicas go
// anywhere.
type ByClass struct {
	*Default
	own, others []model.NodeID // of the class, and not
}

var _ Placement = (*ByClass)(nil)

// NewByClass returns the placement for a class of the topology. There are nodes of the class and others.
func NewByClass(t *model.Topology, class uint8) *ByClass {
	p := &ByClass{Default: NewDefault(t)}
	for i, n := range t.Nodes {
		if n.Class == class {
			p.own = append(p.own, model.NodeID(i))
		} else {
			p.others = append(p.others, model.NodeID(i))
		}
	}
	return p
}

// Place implements Placement.
func (p *ByClass) Place(_ Block, nodes []model.NodeID, draw *uint64) {
	for i := range nodes {
		switch {
		case i == 0:
			nodes[0] = p.others[rng.Below(rng.Next(draw), len(p.others))]
		case i == 1 && len(p.others) > 1:
			nodes[1] = p.second(nodes[0], draw)
		case i == 2:
			nodes[2] = p.own[rng.Below(rng.Next(draw), len(p.own))]
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
