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
		p := NewByClass(top, 1, nil)
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

// Where racks were chosen for a job, the replica on their kind of machine lies in one of them, and the others as ever.
func TestByClassInChosenRacks(t *testing.T) {
	top := &model.Topology{Racks: 6}
	for i := range 12 { // racks 0 to 3 scale out
		top.Nodes = append(top.Nodes, model.Node{Class: uint8(i / 8), Rack: model.RackID(i / 2)})
	}
	chosen := map[model.JobID][]model.RackID{1: {1, 3}, 2: {5}}
	p := NewByClass(top, 1, func(job model.JobID) []model.RackID { return chosen[job] })
	seen := map[model.JobID][2]map[model.RackID]bool{}
	draw := uint64(7)
	for job := range model.JobID(3) {
		seen[job] = [2]map[model.RackID]bool{{}, {}}
		for range 200 {
			nodes := make([]model.NodeID, 3)
			p.Place(Block{Job: job}, nodes, &draw)
			first, second, third := top.Nodes[nodes[0]].Rack, top.Nodes[nodes[1]].Rack, top.Nodes[nodes[2]].Rack
			if first > 3 || second > 3 || first == second || third < 4 {
				t.Fatalf("job %d: replicas in racks %d, %d, %d", job, first, second, third)
			}
			seen[job][0][first], seen[job][1][third] = true, true
		}
	}
	for job, want := range [][2]int{{4, 2}, {2, 2}, {4, 1}} {
		if got := seen[model.JobID(job)]; len(got[0]) != want[0] || len(got[1]) != want[1] || job == 1 && (!got[0][1] || !got[0][3]) || job == 2 && !got[1][5] {
			t.Errorf("job %d: first replicas in racks %v, third in %v", job, got[0], got[1])
		}
	}
}
