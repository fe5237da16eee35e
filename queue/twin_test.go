// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawTree returns a tree of up to 20 queues with percentages, weights or vectors.
func drawTree(t *rapid.T) *Tree {
	calc := rapid.SampledFrom([]Calculator{Memory{}, Dominant{}}).Draw(t, "calculator")
	tr := tree(calc)
	tr.Vectors = rapid.Bool().Draw(t, "vectors")
	for i := range rapid.IntRange(1, 20).Draw(t, "queues") {
		parent := 0
		if i > 0 {
			parent = rapid.IntRange(0, len(tr.Queues)-1).Draw(t, "parent")
		}
		unit := Weight
		if tr.Vectors {
			unit = rapid.SampledFrom([]Unit{Percent, Weight, Absolute}).Draw(t, "unit")
		}
		value := float32(rapid.IntRange(1, 9).Draw(t, "value"))
		if unit == Percent {
			value *= 2
		}
		q := tr.add(parent, fmt.Sprintf("%s.q%d", tr.Queues[parent].Path, i), All(unit, value))
		q.Priority = rapid.IntRange(0, 2).Draw(t, "priority")
		q.ByPriority = rapid.Bool().Draw(t, "by priority")
	}
	tr.Resize(Resource{int64(rapid.IntRange(0, 64).Draw(t, "memory")) * gb, int64(rapid.IntRange(0, 64).Draw(t, "cores"))})
	return tr
}

// TestTree: whatever is used and asked for, the children that wait stand in the order that sorting all of them gives,
// a parent uses and waits for what its children do, and no guarantee of vectors is more than there is.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := drawTree(t)
		var leaves []int
		for i := range tr.Queues {
			if tr.Queues[i].Leaf() {
				leaves = append(leaves, i)
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			leaf := rapid.SampledFrom(leaves).Draw(t, "leaf")
			r := Resource{int64(rapid.IntRange(1, 4).Draw(t, "size")) * gb, 1}
			q := &tr.Queues[leaf]
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				tr.Charge(leaf, r)
			case 1:
				tr.Charge(leaf, q.Used.Times(-1))
			case 2:
				tr.Await(leaf, r)
			case 3:
				tr.Await(leaf, q.Pending.Times(-1))
			case 4:
				tr.Resize(tr.Cluster.Add(r))
			}
			checkTree(t, tr)
		}
	})
}

func checkTree(t *rapid.T, tr *Tree) {
	for i := range tr.Queues {
		q := &tr.Queues[i]
		if q.Leaf() {
			continue
		}
		var want []int
		var used, pending, min Resource
		for _, c := range q.Children {
			child := &tr.Queues[c]
			used, pending, min = used.Add(child.Used), pending.Add(child.Pending), min.Add(child.Min)
			if tr.Some(child.Pending) {
				want = append(want, c)
			}
		}
		slices.SortStableFunc(want, func(a, b int) int { return tr.Before(a, b, q.ByPriority) })
		var got []int
		for _, c := range tr.Next(i) {
			got = append(got, int(c.At))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", q.Path, got, want)
		}
		if used != q.Used || pending != q.Pending {
			t.Fatalf("%s uses %v and waits for %v, its children %v and %v", q.Path, q.Used, q.Pending, used, pending)
		}
		if tr.Vectors && !min.Within(q.Min) {
			t.Fatalf("%s: children are guaranteed %v of %v", q.Path, min, q.Min)
		}
	}
}

// TestCalculators: what both calculators promise.
func TestCalculators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Resource {
			return Resource{int64(rapid.IntRange(0, 1<<20).Draw(t, name)), int64(rapid.IntRange(0, 1000).Draw(t, name))}
		}
		cluster, a, b := draw("cluster"), draw("a"), draw("b")
		unit := Resource{int64(rapid.IntRange(1, 4096).Draw(t, "step")), int64(rapid.IntRange(1, 4).Draw(t, "step"))}
		for _, c := range []Calculator{Memory{}, Dominant{}} {
			if c.Compare(cluster, a, b) != -c.Compare(cluster, b, a) {
				t.Errorf("%T: %v and %v compare differently in either order", c, a, b)
			}
			up, down := c.Up(a, 1, unit), c.Down(a, 1, unit)
			if !c.Fits(a, up) || !c.Fits(down, a) || up.Memory%unit.Memory != 0 || down.Memory%unit.Memory != 0 || up.Memory-down.Memory > unit.Memory {
				t.Errorf("%T: %v is rounded to %v and %v by %v", c, a, up, down, unit)
			}
			if m := Min(c, cluster, a, b); m != a && m != b {
				t.Errorf("%T: the smaller of %v and %v is %v", c, a, b, m)
			}
		}
	})
}
