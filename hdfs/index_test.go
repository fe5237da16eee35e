// SPDX-License-Identifier: Apache-2.0

package hdfs

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// machine starts and kills maps at random and compares every look-up with a scan of all replicas.
type machine struct {
	top         *model.Topology
	ix          *Index
	holders     []model.NodeID // of an index that keeps them
	replication int
	maps        int32
	started     []uint64
}

func newMachine(t *rapid.T) *machine {
	sizes := rapid.SliceOfN(rapid.IntRange(1, 12), 1, 8).Draw(t, "racks")
	switch rapid.IntRange(0, 4).Draw(t, "many") {
	case 0: // so that racks have lists
		sizes = slices.Repeat([]int{1, 2}, 80)
	case 1: // so that the sets of racks of a large job are made when they are asked for
		sizes = slices.Repeat([]int{10}, 20)
	}
	m := &machine{top: racked(sizes...)}
	m.replication = rapid.IntRange(1, min(len(m.top.Nodes), 5)).Draw(t, "replication")
	m.maps = rapid.SampledFrom([]int32{1, 2, 5, 20, 64, 65, 300, 400}).Draw(t, "maps")
	m.started = make([]uint64, (m.maps+63)/64)
	seed := rapid.Uint64().Draw(t, "seed")
	m.ix = NewStore(m.top, m.replication, nil, seed).Index(0, m.maps)
	m.holders = NewStore(m.top, m.replication, kept{NewDefault(m.top)}, seed).Index(0, m.maps).Holders()
	return m
}

// kept places as HDFS does, but the store does not know that it would do so again.
type kept struct{ *Default }

func (m *machine) pending(b int32) bool { return m.started[b>>6]>>(b&63)&1 == 0 }

// locality is the twin of Index.Locality.
func (m *machine) locality(b int32, n model.NodeID) model.Locality {
	holders := m.holders[int(b)*m.replication:][:m.replication]
	if slices.Contains(holders, n) {
		return model.NodeLocal
	}
	for _, h := range holders {
		if m.top.Nodes[h].Rack == m.top.Nodes[n].Rack {
			return model.RackLocal
		}
	}
	return model.Remote
}

// exists reports whether some pending map is at least as near to the node as l.
func (m *machine) exists(n model.NodeID, l model.Locality) bool {
	for b := range m.maps {
		if m.pending(b) && m.locality(b, n) <= l {
			return true
		}
	}
	return false
}

func (m *machine) onNode(t *rapid.T, n model.NodeID) int32 {
	b := m.ix.OnNode(n, m.started)
	switch {
	case b == model.None && m.exists(n, model.NodeLocal):
		t.Fatalf("no map found on node %d, but there is one", n)
	case b != model.None && (!m.pending(b) || m.locality(b, n) != model.NodeLocal):
		t.Fatalf("map %d found on node %d: pending %t, %v", b, n, m.pending(b), m.locality(b, n))
	}
	return b
}

func (m *machine) inRack(t *rapid.T, n model.NodeID) int32 {
	b := m.ix.InRack(m.top.Nodes[n].Rack, m.started)
	switch {
	case b == model.None && m.exists(n, model.RackLocal):
		t.Fatalf("no map found in the rack of node %d, but there is one", n)
	case b != model.None && (!m.pending(b) || m.locality(b, n) == model.Remote):
		t.Fatalf("map %d found in the rack of node %d: pending %t, %v", b, n, m.pending(b), m.locality(b, n))
	}
	return b
}

// starts compares how far a pending map is from where it starts.
func (m *machine) starts(t *rapid.T, b int32, n model.NodeID) {
	if got, want := m.ix.Starts(b, n), m.locality(b, n); got != want {
		t.Fatalf("map %d that starts on node %d is %v, the twin says %v", b, n, got, want)
	}
}

func (m *machine) start(b int32) { m.started[b>>6] |= 1 << (b & 63) }

func (m *machine) kill(b int32) {
	m.started[b>>6] &^= 1 << (b & 63)
	m.ix.Restore(b)
}

func (m *machine) node(t *rapid.T) model.NodeID {
	return model.NodeID(rapid.IntRange(0, len(m.top.Nodes)-1).Draw(t, "node"))
}

// The set of a rack that was left until somebody asks has all that lies in it and is pending by then.
func TestLeftRacks(t *testing.T) {
	top := racked(slices.Repeat([]int{10}, 20)...)
	m := &machine{top: top, replication: 3, maps: 400, started: make([]uint64, 7)}
	m.ix = NewStore(top, 3, nil, 5).Index(0, 400)
	m.holders = NewStore(top, 3, kept{NewDefault(top)}, 5).Index(0, 400).Holders()
	for rack := range model.RackID(20) {
		left := 0
		for b := range m.maps {
			if m.pending(b) && m.locality(b, model.NodeID(10*rack)) != model.Remote {
				left++
			}
		}
		for b := m.ix.InRack(rack, m.started); b >= 0; b = m.ix.InRack(rack, m.started) {
			m.started[b>>6] |= 1 << (b & 63)
			left--
		}
		if left != 0 {
			t.Errorf("rack %d: %d maps more than are found", rack, left)
		}
	}
	if !m.ix.sets.leave(1) {
		t.Error("no set was left")
	}
}

func TestIndexIsAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		t.Repeat(map[string]func(*rapid.T){
			"start on a node": func(t *rapid.T) {
				if b := m.onNode(t, m.node(t)); b >= 0 {
					m.start(b)
				}
			},
			"start in a rack": func(t *rapid.T) {
				if b := m.inRack(t, m.node(t)); b >= 0 {
					m.start(b)
				}
			},
			"start as near as possible": func(t *rapid.T) {
				n := m.node(t)
				b := m.onNode(t, n)
				if b < 0 {
					b = m.inRack(t, n)
				}
				if b >= 0 {
					m.starts(t, b, n)
					m.start(b)
				}
			},
			"look on a node and in the rack of another": func(t *rapid.T) {
				n := m.node(t)
				m.onNode(t, n)
				if b := m.inRack(t, m.node(t)); b >= 0 {
					m.starts(t, b, n)
				}
			},
			"start all on a node": func(t *rapid.T) {
				for n, b := m.node(t), int32(0); b >= 0; {
					if b = m.onNode(t, n); b >= 0 {
						m.start(b)
					}
				}
			},
			"start any": func(t *rapid.T) { m.start(rapid.Int32Range(0, m.maps-1).Draw(t, "map")) },
			"start most": func(t *rapid.T) {
				for b := range m.maps {
					if b%7 != 3 {
						m.start(b)
					}
				}
			},
			"kill": func(t *rapid.T) { // of a map that look-ups may or may not have met since its start
				if b := rapid.Int32Range(0, m.maps-1).Draw(t, "map"); !m.pending(b) {
					m.kill(b)
				}
			},
			"kill most": func(t *rapid.T) {
				for b := range m.maps {
					if b%3 != 1 && !m.pending(b) {
						m.kill(b)
					}
				}
			},
			"look everywhere": func(t *rapid.T) {
				for n := range m.top.Nodes {
					m.onNode(t, model.NodeID(n))
					m.inRack(t, model.NodeID(n))
				}
			},
			"": func(t *rapid.T) {
				b, n := rapid.Int32Range(0, m.maps-1).Draw(t, "map"), m.node(t)
				if got, want := m.ix.Block(b), m.holders[int(b)*m.replication:][:m.replication]; !slices.Equal(got, want) {
					t.Fatalf("block %d is on %v, and was placed on %v", b, got, want)
				}
				if got, want := m.ix.Locality(b, n), m.locality(b, n); got != want {
					t.Fatalf("map %d on node %d is %v, the twin says %v", b, n, got, want)
				}
				if m.pending(b) {
					m.starts(t, b, n)
				}
			},
		})
	})
}

// Both layouts are met: few maps on many nodes hash their heads, many maps on few nodes do not, and
// every map is found exactly once by going round the nodes.
func TestEveryMapIsFoundOnce(t *testing.T) {
	for _, c := range []struct {
		racks       []int
		maps        int32
		replication int
		hashed      bool
	}{
		{[]int{50, 50, 50, 50}, 3, 3, true},
		{[]int{1000, 1000}, 100, 5, true},
		{[]int{10}, 1, 1, true},
		{[]int{3, 3}, 2, 3, false}, // as many entries as nodes
		{[]int{2, 1}, 1000, 2, false},
		{[]int{1}, 64, 1, false},
	} {
		top := racked(c.racks...)
		ix := NewStore(top, c.replication, nil, 9).Index(0, c.maps)
		if (ix.shift != 0) != c.hashed {
			t.Errorf("%v, %d maps: hashed %t", c.racks, c.maps, ix.shift != 0)
		}
		started := make([]uint64, (c.maps+63)/64)
		found := int32(0)
		for n := range top.Nodes {
			for b := ix.OnNode(model.NodeID(n), started); b >= 0; b = ix.OnNode(model.NodeID(n), started) {
				started[b>>6] |= 1 << (b & 63)
				found++
			}
		}
		if found != c.maps {
			t.Errorf("%v: %d of %d maps found", c.racks, found, c.maps)
		}
	}
}

// All layouts are met: sets and lists, of nodes and of racks, and lists that nodes share.
func TestSetsOrLists(t *testing.T) {
	many := slices.Repeat([]int{2}, 200)
	for _, c := range []struct {
		racks               []int
		maps                int32
		node, shared, rackL bool // sets by node, lists that nodes share, lists by rack
	}{
		{[]int{10, 10}, 100, true, false, false},
		{[]int{50, 50}, 33, true, false, false},
		{[]int{50, 50}, 11, false, true, false},
		{[]int{200, 200}, 300, false, false, false},
		{[]int{200, 200}, 100, false, true, false},
		{many, 300, false, false, true},
		{many, 65, false, true, true},
		{many, 1, false, true, false},
	} {
		ix := NewStore(racked(c.racks...), 3, nil, 1).Index(0, c.maps)
		ix.InRack(0, make([]uint64, setWords(c.maps)))
		if ix.is.all(inSets) != c.node || ix.shift != 0 != c.shared || len(ix.byRack) > 0 != c.rackL {
			t.Errorf("%d maps, %d racks: sets by node %t, shared lists %t, lists by rack %t", c.maps, len(c.racks), ix.is.all(inSets), ix.shift != 0, len(ix.byRack) > 0)
		}
	}
}

// block divides by multiplication; the twin divides.
func TestBlockOfEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Int32Range(1, 16).Draw(t, "replication")
		ix := NewStore(racked(16), int(r), nil, 1).Index(0, 1)
		e := rapid.Int32Range(0, 1<<28-1).Draw(t, "entry")
		for _, e := range []int32{e, e / r * r, max(e/r*r-1, 0), 1<<28 - 1} {
			if got := ix.block(e); got != e/r {
				t.Fatalf("entry %d of %d replicas: block %d, want %d", e, r, got, e/r)
			}
		}
	})
}

func TestBlocksThatLieNowhere(t *testing.T) {
	ix := NewStore(racked(2, 2), 0, nil, 1).Index(0, 3)
	started := []uint64{0}
	if ix.OnNode(1, started) != model.None || ix.InRack(1, started) != model.None || ix.Locality(2, 3) != model.Remote {
		t.Error("a block without replicas was found")
	}
	ix.Restore(1)
	if len(ix.Holders()) != 0 {
		t.Error("a block without replicas has holders")
	}
}

// A block's nodes depend on (seed, job, block) alone: not on which job was asked for first, on
// whether it was forgotten in between, or on how many blocks follow.
func TestSameBlockSameNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := racked(4, 3, 5)
		seed := rapid.Uint64().Draw(t, "seed")
		const jobs, maps = 5, 20
		want := make([][]model.NodeID, jobs)
		inOrder := NewStore(top, 3, nil, seed)
		for j := range want {
			want[j] = slices.Clone(inOrder.Index(model.JobID(j), maps).Holders())
		}
		other := NewStore(top, 3, nil, seed)
		for range 2 {
			for _, j := range rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order") {
				n := rapid.Int32Range(1, maps).Draw(t, "maps")
				if got := other.Index(model.JobID(j), n).Holders(); !slices.Equal(got, want[j][:len(got)]) || len(got) != int(3*n) {
					t.Fatalf("job %d: %v, want a start of %v", j, got, want[j])
				}
				other.Release(model.JobID(j))
			}
		}
		if slices.Equal(want[0], want[1]) {
			t.Fatal("two jobs have the same blocks")
		}
		if slices.Equal(want[0], NewStore(top, 3, nil, seed+1).Index(0, maps).Holders()) {
			t.Fatal("two seeds give the same blocks")
		}
	})
}

// corner puts every replica on the lowest nodes.
type corner struct{}

func (corner) Place(_ Block, nodes []model.NodeID, _ *uint64) {
	for i := range nodes {
		nodes[i] = model.NodeID(i)
	}
}

func TestStoreUsesThePlacement(t *testing.T) {
	top := racked(3, 3)
	given := NewStore(top, 2, corner{}, 1)
	set := NewStore(top, 2, nil, 1)
	set.SetPlacement(corner{})
	for _, s := range []*Store{given, set} {
		if got := s.Index(0, 2).Holders(); !slices.Equal(got, []model.NodeID{0, 1, 0, 1}) {
			t.Errorf("replicas on %v", got)
		}
	}
	if a, b := given.Index(0, 2), given.Index(0, 2); a != b {
		t.Error("the index was built twice")
	}
}

// Blocks lie where the workload says; others are placed, with as many replicas as ever.
func TestGivenBlocks(t *testing.T) {
	top := racked(3, 3)
	s := NewStore(top, 2, corner{}, 1)
	s.Give(7, [][]model.NodeID{{5}, {}, {4, 3, 2}})
	if got := s.Index(7, 4).Holders(); !slices.Equal(got, []model.NodeID{5, 5, 5, 0, 1, 0, 4, 3, 2, 0, 1, 0}) {
		t.Errorf("replicas on %v", got)
	}
	s.Give(8, [][]model.NodeID{{5}, {5}})
	ix := s.Index(8, 2)
	started := []uint64{0}
	if ix.OnNode(4, started) != model.None || ix.OnNode(5, started) != 0 || ix.InRack(1, started) != 0 || ix.InRack(0, started) != model.None {
		t.Error("a block was found elsewhere")
	}
	if started[0] = 1; ix.OnNode(5, started) != 1 {
		t.Error("the second block was not found")
	}
	nowhere := NewStore(top, 0, corner{}, 1)
	nowhere.Give(7, [][]model.NodeID{{5}})
	if got := nowhere.Index(7, 1).Holders(); len(got) > 0 {
		t.Errorf("without replicas: on %v", got)
	}
}

// A node that came after the blocks were placed has no local map, whether or not nodes share heads.
func TestLaterNodesHoldNothing(t *testing.T) {
	for _, maps := range []int32{1, 50} {
		top := &model.Topology{Racks: 1, Classes: make([]model.NodeClass, 1), Nodes: make([]model.Node, 4)}
		ix := NewStore(top, 2, nil, 1).Index(0, maps)
		top.Nodes = append(top.Nodes, make([]model.Node, 200)...)
		for n := model.NodeID(4); n < 204; n++ {
			if got := ix.OnNode(n, make([]uint64, 1)); got != model.None {
				t.Errorf("%d maps: node %d holds the block of map %d", maps, n, got)
			}
		}
		for _, n := range ix.Block(0) {
			if ix.OnNode(n, make([]uint64, 1)) == model.None {
				t.Errorf("%d maps: nothing is found on node %d after looks on nodes that came later", maps, n)
			}
		}
	}
}

// Nodes that came after the store was made have no place in lists by rack.
func TestLaterNodesAreInNoRack(t *testing.T) {
	top := &model.Topology{Racks: 1, Classes: make([]model.NodeClass, 1), Nodes: make([]model.Node, 4)}
	s := NewStore(top, 2, nil, 1)
	top.Nodes = append(top.Nodes, make([]model.Node, 10)...)
	if got := s.Index(0, 50).InRack(0, []uint64{1}); got != 1 {
		t.Errorf("the first pending map in the rack is %d, want 1", got)
	}
}

// What a look-up needs of the index lies in one line of memory, or two if it looks at the rack.
func TestIndexIsLines(t *testing.T) {
	if size, hot := unsafe.Sizeof(Index{}), unsafe.Offsetof(Index{}.byNode); size != 192 || hot != 64 {
		t.Errorf("an index has %d bytes, %d of them for look-ups", size, hot)
	}
}
