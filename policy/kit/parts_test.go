// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

func TestApportion(t *testing.T) {
	for _, c := range []struct {
		shares []model.Fraction
		total  int64
		want   []int64
	}{
		{[]model.Fraction{0.5, 0.5}, 100, []int64{50, 50}},
		{[]model.Fraction{0.3, 0.7}, 10, []int64{3, 7}},
		{[]model.Fraction{0.3, 0.7}, 5, []int64{2, 3}}, // 1.5 and 3.5: the first of equals gets the rest
		{[]model.Fraction{0.34, 0.33, 0.33}, 4, []int64{2, 1, 1}},
		{[]model.Fraction{0.05, 0.95}, 4, []int64{0, 4}},
	} {
		if got := apportion(c.shares, c.total); !slices.Equal(got, c.want) {
			t.Errorf("%v of %d is %v, want %v", c.shares, c.total, got, c.want)
		}
	}
}

// Nodes are dealt out so that the parts have exactly their sizes, and that any stretch of nodes from
// the first on is divided nearly as the whole is.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 40), 2, 5).Draw(t, "sizes")
		n := 0
		for _, s := range sizes {
			n += int(s)
		}
		of, dealt := spread(sizes, n), make([]int64, len(sizes))
		for i, part := range of {
			dealt[part]++
			for p, s := range sizes {
				if fair := float64(s) * float64(i+1) / float64(n); math.Abs(float64(dealt[p])-fair) > float64(len(sizes)) {
					t.Fatalf("part %d has %d of the first %d nodes, its share is %.1f", p, dealt[p], i+1, fair)
				}
			}
		}
		if !slices.Equal(dealt, sizes) {
			t.Fatalf("parts of %v, want %v", dealt, sizes)
		}
	})
}

// Two classes of nodes are both divided, so that neither part is made of one class alone.
func TestPartsDivideClasses(t *testing.T) {
	top := &model.Topology{Model: model.Slots, Racks: 1, Classes: []model.NodeClass{{Room: model.Room{6, 2}, Speed: 1}, {Room: model.Room{2, 1}, Speed: 1}}}
	for i := range 20 {
		top.Nodes = append(top.Nodes, model.Node{Class: uint8(i / 10)})
	}
	p := newParts(top, &PartsParams{Capacities: []model.Fraction{0.3, 0.7}, Partition: "nodes"})
	if want := [][model.Dims]int64{{3*6 + 3*2, 3*2 + 3}, {7*6 + 7*2, 7*2 + 7}}; !slices.Equal(p.total, want) {
		t.Errorf("room of the parts %v, want %v", p.total, want)
	}
	slots := newParts(top, &PartsParams{Capacities: []model.Fraction{0.3, 0.7}, Partition: "slots"})
	if want := [][model.Dims]int64{{24, 9}, {56, 21}}; !slices.Equal(slots.total, want) { // 30 % of 80 and 30
		t.Errorf("slots of the parts %v, want %v", slots.total, want)
	}
}

// Nodes that come after the parts were made are dealt out one by one, so that the parts stay near their
// shares, and their room is counted.
func TestPartsDealLaterNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SampledFrom([][]model.Fraction{{0.5, 0.5}, {0.3, 0.7}, {0.2, 0.3, 0.5}, {0.05, 0.95}}).Draw(t, "shares")
		top := &model.Topology{Model: model.Slots, Racks: 1, Classes: []model.NodeClass{{Room: model.Room{6, 2}, Speed: 1}, {Room: model.Room{2, 1}, Speed: 1}}}
		top.Nodes = make([]model.Node, rapid.IntRange(20, 60).Draw(t, "first"))
		state := cluster.New(top)
		parts, err := NewParts(&policy.Env{Cluster: state}, PartsParams{Capacities: shares, Partition: "nodes"})
		if err != nil {
			t.Fatal(err)
		}
		slots, err := NewParts(&policy.Env{Cluster: state}, PartsParams{Capacities: shares, Partition: "slots"})
		if err != nil {
			t.Fatal(err)
		}
		first := slices.Clone(parts.of)
		for range rapid.IntRange(1, 50).Draw(t, "later") {
			node := state.AddNode(model.Node{Class: uint8(rapid.IntRange(0, 1).Draw(t, "class"))})
			if rapid.Bool().Draw(t, "look") {
				parts.part(node)
			}
		}
		parts.part(model.NodeID(len(state.Nodes) - 1))
		if !slices.Equal(parts.of[:len(first)], first) || len(parts.of) != len(state.Nodes) {
			t.Fatalf("parts %v became %v", first, parts.of)
		}
		dealt, room := make([]float64, len(shares)), make([][model.Dims]int64, len(shares))
		for node, part := range parts.of {
			dealt[part]++
			for d, v := range state.Nodes[node].Room {
				room[part][d] += int64(v)
			}
		}
		for part, share := range shares {
			if fair := float64(share) * float64(len(parts.of)); math.Abs(dealt[part]-fair) > float64(len(shares)) {
				t.Fatalf("part %d has %g of %d nodes, its share is %.1f", part, dealt[part], len(parts.of), fair)
			}
		}
		if !slices.Equal(parts.total, room) {
			t.Fatalf("room of the parts %v, their nodes have %v", parts.total, room)
		}
		slots.grow()
		if want := newParts(state.Topology, &PartsParams{Capacities: shares, Partition: "slots"}); !slices.Equal(slots.total, want.total) {
			t.Fatalf("slots of the parts %v, want %v", slots.total, want.total)
		}
	})
}
