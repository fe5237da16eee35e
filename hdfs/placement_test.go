// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
	"pgregory.net/rapid"
)

// racked returns a topology with racks of the given sizes, nodes numbered rack by rack.
func racked(sizes ...int) *model.Topology {
	t := &model.Topology{Racks: len(sizes), Classes: []model.NodeClass{{Room: model.Room{1, 1}, Speed: 1}}}
	for rack, n := range sizes {
		for range n {
			t.Nodes = append(t.Nodes, model.Node{Rack: model.RackID(rack), Host: model.HostID(len(t.Nodes))})
		}
	}
	t.Hosts = len(t.Nodes)
	return t
}

func place(t *model.Topology, replication int, seed uint64) []model.NodeID {
	nodes := make([]model.NodeID, replication)
	NewDefault(t).Place(Block{}, nodes, &seed)
	return nodes
}

// All blocks of a file are placed as each of them is.
func TestPlaceAllIsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDefault(racked(rapid.SliceOfN(rapid.IntRange(1, 6), 1, 6).Draw(t, "racks")...))
		replicas := rapid.IntRange(1, min(len(d.rackOf), 4)).Draw(t, "replication")
		draws := rng.New(rapid.Uint64().Draw(t, "seed"), rng.BlockPlacement).Key(1)
		all := make([]model.NodeID, 20*replicas)
		d.placeAll(all, replicas, draws)
		for b := range uint64(20) {
			nodes, draw := make([]model.NodeID, replicas), draws.Uint64(b, 0)
			d.Place(Block{}, nodes, &draw)
			if got := all[int(b)*replicas:][:replicas]; !slices.Equal(got, nodes) {
				t.Fatalf("block %d of all is placed on %v, by itself on %v", b, got, nodes)
			}
		}
	})
}

func racksOf(t *model.Topology, nodes []model.NodeID) int {
	seen := map[model.RackID]bool{}
	for _, n := range nodes {
		seen[t.Nodes[n].Rack] = true
	}
	return len(seen)
}

// What the comment of Default promises holds over topologies of any shape without empty racks.
func TestDefaultPlacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 6), 1, 6).Draw(t, "racks")
		top := racked(sizes...)
		r := rapid.IntRange(1, min(len(top.Nodes), 5)).Draw(t, "replication")
		nodes := place(top, r, rapid.Uint64().Draw(t, "seed"))
		sorted := slices.Clone(nodes)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != r || sorted[0] < 0 || int(sorted[len(sorted)-1]) >= len(top.Nodes) {
			t.Fatalf("replicas on %v: not %d distinct nodes of %d", nodes, r, len(top.Nodes))
		}
		used := racksOf(top, nodes)
		if r >= 2 && len(sizes) >= 2 && top.Nodes[nodes[0]].Rack == top.Nodes[nodes[1]].Rack {
			t.Fatalf("the first two replicas are in one rack: %v", nodes)
		}
		if len(sizes) == 1 && used != 1 {
			t.Fatalf("%d racks used of 1", used)
		}
		if r < 3 || len(sizes) < 2 {
			return
		}
		second := top.Nodes[nodes[1]].Rack
		if third := top.Nodes[nodes[2]].Rack; sizes[second] >= 2 && third != second {
			t.Fatalf("the third replica is in rack %d, the second in rack %d, which has %d nodes", third, second, sizes[second])
		}
		if r == 3 && slices.Min(sizes) >= 2 && used != 2 {
			t.Fatalf("three replicas use %d racks, want 2: %v", used, nodes)
		}
	})
}

// Racks of a single node: the third replica cannot share the second's rack and goes anywhere else.
func TestPlacementInRacksOfOneNode(t *testing.T) {
	top := racked(1, 1, 1, 1)
	for seed := range uint64(200) {
		if nodes := place(top, 3, seed); racksOf(top, nodes) != 3 {
			t.Fatalf("seed %d: replicas on %v", seed, nodes)
		}
	}
	if nodes := place(top, 4, 1); racksOf(top, nodes) != 4 {
		t.Errorf("four replicas on %v", nodes)
	}
}

// chiSquare returns the statistic of counts against equal chances. Its mean is len-1 and its
// variance 2(len-1).
func chiSquare(counts []int) (x float64) {
	total := 0
	for _, c := range counts {
		total += c
	}
	want := float64(total) / float64(len(counts))
	for _, c := range counts {
		x += (float64(c) - want) * (float64(c) - want) / want
	}
	return x
}

// The first replica falls on every node alike, the second on every node of the other racks alike,
// the third on every other node of the second's rack alike, whatever the sizes of the racks.
func TestPlacementIsUniform(t *testing.T) {
	top := racked(2, 5, 13) // 20 nodes
	s := rng.New(5, "block-placement")
	d := NewDefault(top)
	first, second, third := make([]int, 20), make([]int, 5), make([]int, 12)
	for b := range uint64(60000) {
		var nodes [3]model.NodeID
		draw := s.Uint64(1, b, 0)
		d.Place(Block{}, nodes[:], &draw)
		first[nodes[0]]++
		if top.Nodes[nodes[0]].Rack != 1 && top.Nodes[nodes[1]].Rack == 1 { // nodes 2..6
			second[nodes[1]-2]++
		}
		if nodes[1] == 7 { // the first of rack 2; the third is one of 8..19
			third[nodes[2]-8]++
		}
	}
	for name, counts := range map[string][]int{"first": first, "second": second, "third": third} {
		f := float64(len(counts) - 1)
		if x, most := chiSquare(counts), f+4*math.Sqrt(2*f); x > most {
			t.Errorf("%s replica: chi-square %.1f with %.0f degrees of freedom is above %.1f: %v", name, x, f, most, counts)
		}
	}
}

// A topology may have a rack in which no node stands, although cluster.Config makes none like that.
// The second replica then has no other rack to go to, but must still be on another node.
func TestPlacementWithAnEmptyRack(t *testing.T) {
	top := racked(2, 0)
	for seed := range uint64(20) {
		if nodes := place(top, 2, seed); nodes[0] == nodes[1] {
			t.Fatalf("seed %d: both replicas on node %d", seed, nodes[0])
		}
	}
	top = racked(3, 0)
	for seed := range uint64(20) {
		if n := place(top, 3, seed); n[0] == n[1] || n[1] == n[2] || n[0] == n[2] {
			t.Fatalf("seed %d: replicas on %v", seed, n)
		}
	}
}

// Empty racks beside two that have nodes do no harm.
func TestPlacementBesideAnEmptyRack(t *testing.T) {
	top := racked(0, 2, 0, 2)
	for seed := range uint64(200) {
		nodes := place(top, 3, seed)
		slices.Sort(nodes)
		if len(slices.Compact(nodes)) != 3 || racksOf(top, nodes) != 2 {
			t.Fatalf("seed %d: replicas on %v", seed, nodes)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	c := DefaultConfig()
	if c.Validate(3) != nil {
		t.Error("three replicas on three nodes were refused")
	}
	if p := c.Validate(2); len(p) != 1 || p[0].Path != "replication" || p[0].Found != "3 replicas on 2 nodes" {
		t.Errorf("three replicas on two nodes: %v", p)
	}
}

// The first replica lies in the racks of its job, each as often as the others; the rest are where HDFS puts them. A
// job without racks, or with an empty one, has its blocks anywhere.
func TestPlannedPlacement(t *testing.T) {
	top := racked(4, 4, 0, 4)
	p := NewPlanned(top, func(job model.JobID) []model.RackID {
		return [][]model.RackID{{0, 3}, nil, {2}}[job]
	})
	var first [3][4]int
	stream := rng.New(7, rng.BlockPlacement)
	const blocks = 4000
	for job := range model.JobID(3) {
		for i := range int32(blocks) {
			nodes := make([]model.NodeID, 3)
			draw := stream.Uint64(uint64(job), uint64(i), 0)
			p.Place(Block{job, i}, nodes, &draw)
			first[job][top.Nodes[nodes[0]].Rack]++
			if racksOf(top, nodes) != 2 || nodes[1] == nodes[2] || top.Nodes[nodes[1]].Rack != top.Nodes[nodes[2]].Rack {
				t.Fatalf("job %d block %d on %v", job, i, nodes)
			}
		}
	}
	for job, shares := range [3][4]float64{{.5, 0, 0, .5}, {1. / 3, 1. / 3, 0, 1. / 3}, {1. / 3, 1. / 3, 0, 1. / 3}} {
		for rack, share := range shares {
			if got := float64(first[job][rack]) / blocks; math.Abs(got-share) > 0.03 || share == 0 && got != 0 {
				t.Errorf("job %d: %.3f of first replicas in rack %d, want %.3f", job, got, rack, share)
			}
		}
	}
}

// fileOf notes which blocks are placed.
type fileOf struct{ blocks []Block }

func (f *fileOf) Place(b Block, nodes []model.NodeID, _ *uint64) {
	f.blocks = append(f.blocks, b)
	clear(nodes)
}

// A placement is told the job that a file is named after, whoever reads it.
func TestPlacementIsToldTheFile(t *testing.T) {
	f := &fileOf{}
	s := NewStore(racked(2), 1, f, 1)
	s.ShareFile(5, 2)
	s.Index(5, 2)
	s.Index(3, 1)
	if want := []Block{{2, 0}, {2, 1}, {3, 0}}; !slices.Equal(f.blocks, want) {
		t.Errorf("placed %v, want %v", f.blocks, want)
	}
}
