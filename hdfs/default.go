// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Default is HDFS's placement without a local writer: the first replica on any node, the second
// in another rack, the third in the second's rack, further ones anywhere. In a cluster of one
// rack, or where a rack has too few nodes, any other node does.
type Default struct {
	rackOf  []model.RackID   // by node
	racks   [][]model.NodeID // their nodes
	several bool             // no rack has all nodes
	pairs   bool             // and none has a single one
}

// NewDefault returns the default placement for a topology.
func NewDefault(t *model.Topology) *Default {
	d := &Default{rackOf: rackOf(t), racks: make([][]model.NodeID, t.Racks)}
	for i, rack := range d.rackOf {
		d.racks[rack] = append(d.racks[rack], model.NodeID(i))
		d.several = d.several || rack != d.rackOf[0]
	}
	d.pairs = d.several && !slices.ContainsFunc(d.racks, func(nodes []model.NodeID) bool { return len(nodes) == 1 })
	return d
}

// rackOf returns the rack of each node.
func rackOf(t *model.Topology) []model.RackID {
	racks := make([]model.RackID, len(t.Nodes))
	for i := range racks {
		racks[i] = t.Nodes[i].Rack
	}
	return racks
}

// Place implements Placement.
func (d *Default) Place(_ Block, nodes []model.NodeID, draw *uint64) {
	if len(nodes) > 0 {
		var u uint64
		u, *draw = rng.Step(*draw)
		nodes[0] = model.NodeID(rng.Below(u, len(d.rackOf)))
		d.Spread(nodes, draw)
	}
}

// placeAll is Place for the blocks of a file, one after the other, each with as many replicas.
func (d *Default) placeAll(of []model.NodeID, replicas int, draws rng.Key) {
	if replicas == 3 && d.pairs {
		d.placeTriples(of, draws)
		return
	}
	for b := uint64(0); len(of) > 0; b++ {
		draw := draws.Uint64(b, 0)
		d.Place(Block{}, of[:replicas], &draw)
		of = of[replicas:]
	}
}

// placeTriples is placeAll where each block has three replicas and they lie in two racks, in one loop: to place them is a good part of
// what a job costs that is otherwise simulated quickly.
func (d *Default) placeTriples(of []model.NodeID, draws rng.Key) {
	rackOf := d.rackOf
	for b := uint64(0); len(of) >= 3; b++ {
		r, u := rng.Step(draws.Uint64(b, 0))
		first := rng.Below(r, len(rackOf))
		second := first
		for rackOf[second] == rackOf[first] {
			r, u = rng.Step(u)
			second = rng.Below(r, len(rackOf))
		}
		third, rack := model.NodeID(second), d.racks[rackOf[second]]
		for third == model.NodeID(second) {
			r, u = rng.Step(u)
			third = rack[rng.Below(r, len(rack))]
		}
		of[0], of[1], of[2] = model.NodeID(first), model.NodeID(second), third
		of = of[3:]
	}
}

// Spread places the replicas after the first, which is given: the node that writes.
func (d *Default) Spread(nodes []model.NodeID, draw *uint64) {
	placed, u := 1, *draw
	if len(nodes) > 1 && d.several {
		nodes[1], u = d.otherRack(d.rackOf[nodes[0]], u)
		placed = 2
		if rack := d.racks[d.rackOf[nodes[1]]]; len(nodes) > 2 && len(rack) > 1 {
			nodes[2], u = otherNode(rack, nodes[1], u)
			placed = 3
		}
	}
	for i := placed; i < len(nodes); i++ {
		nodes[i], u = d.anyBut(nodes[:i], u)
	}
	*draw = u
}

// otherRack picks a node outside the rack, every node with the same chance. There is one. Like the others that
// pick, it takes the draw by value and returns it as it stands afterwards.
func (d *Default) otherRack(rack model.RackID, u uint64) (model.NodeID, uint64) {
	for {
		var r uint64
		r, u = rng.Step(u)
		if n := rng.Below(r, len(d.rackOf)); d.rackOf[n] != rack {
			return model.NodeID(n), u
		}
	}
}

// otherNode picks another node of a rack, which has several.
func otherNode(rack []model.NodeID, taken model.NodeID, u uint64) (model.NodeID, uint64) {
	for {
		var r uint64
		r, u = rng.Step(u)
		if n := rack[rng.Below(r, len(rack))]; n != taken {
			return n, u
		}
	}
}

// anyBut picks any node that is not taken.
func (d *Default) anyBut(taken []model.NodeID, u uint64) (model.NodeID, uint64) {
	for {
		var r uint64
		r, u = rng.Step(u)
		if n := model.NodeID(rng.Below(r, len(d.rackOf))); !slices.Contains(taken, n) {
			return n, u
		}
	}
}
