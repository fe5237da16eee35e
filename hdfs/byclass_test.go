// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
)

// Two replicas off the class, in two racks where there are two, the third on the class; all on different nodes.
func TestByClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := &model.Topology{}
		for class, name := range []string{"scale-out", "scale-up"} {
			racks := rapid.IntRange(1, 3).Draw(t, name+" racks")
			for range racks {
				for range rapid.IntRange(1, 3).Draw(t, name+" nodes") {
					top.Nodes = append(top.Nodes, model.Node{Class: uint8(class), Rack: model.RackID(top.Racks)})
				}
				top.Racks++
			}
		}
		p := NewByClass(top, 1)
		nodes := make([]model.NodeID, rapid.IntRange(1, min(5, len(top.Nodes))).Draw(t, "replicas"))
		draw := rapid.Uint64().Draw(t, "draw")
		p.Place(Block{}, nodes, &draw)
		outRacks := map[model.RackID]bool{}
		for _, n := range p.others {
			outRacks[top.Nodes[n].Rack] = true
		}
		for i, n := range nodes {
			for _, other := range nodes[:i] {
				if n == other {
					t.Fatalf("two replicas on node %d: %v", n, nodes)
				}
			}
			up := top.Nodes[n].Class == 1
			switch {
			case i == 0 && up, i == 1 && up && len(p.others) > 1:
				t.Fatalf("replica %d on a scale-up machine: %v", i+1, nodes)
			case i == 1 && len(outRacks) > 1 && top.Nodes[n].Rack == top.Nodes[nodes[0]].Rack:
				t.Fatalf("both replicas on scale-out machines in one rack: %v", nodes)
			case i == 2 && !up && len(p.others) > 1:
				t.Fatalf("the third replica is not on a scale-up machine: %v", nodes)
			}
		}
	})
}
