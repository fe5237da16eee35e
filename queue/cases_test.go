// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"fmt"
	"slices"
	"testing"
)

const gb = 1024

var step = Resource{gb, 1}

// tree returns a root with children of those capacities and a maximum of 100 %.
func tree(calc Calculator, capacities ...Vector) *Tree {
	t := &Tree{Scale: Scale{Calculator: calc, Step: step}, Queues: []Queue{{Path: "root", Parent: -1, Capacity: All(Percent, 100), Maximum: All(Percent, 100)}}}
	for i, c := range capacities {
		t.add(0, fmt.Sprintf("root.%c", 'a'+i), c)
	}
	return t
}

func (t *Tree) add(parent int, path string, c Vector) *Queue {
	t.Queues[parent].Children = append(t.Queues[parent].Children, len(t.Queues))
	t.Queues = append(t.Queues, Queue{Path: path, Parent: parent, Capacity: c, Maximum: All(Percent, 100)})
	return &t.Queues[len(t.Queues)-1]
}

// TestUserLimitCase38 is the release's case of a queue without a guarantee: half of 16 GB is used, the queue may
// use 9 GB, and so may a user.
func TestUserLimitCase38(t *testing.T) {
	s := Scale{Memory{}, Resource{16 * gb, 16}, step}
	got := s.UserLimit(UserRules{Percent: 100, Factor: 1}, Resource{}, Resource{9 * gb, 9}, Crowd{Ratio: 0.5}, false)
	if got.Memory != 9*gb {
		t.Errorf("%v, want %d MB", got, 9*gb)
	}
}

// TestOrderCases are the release's cases 69, 71 and 72: names of children in order, given priorities and the
// shares of their guarantees that they use.
func TestOrderCases(t *testing.T) {
	for _, c := range []struct {
		byPriority bool
		priorities []int
		used       []float32
		want       string
	}{
		{false, []int{1, 2, 3}, []float32{0.1, 0, 0.2}, "bac"},
		{true, []int{1, 2}, []float32{1.1, 1.2}, "ba"},
		{true, []int{1, 2}, []float32{0.1, 0.2}, "ba"},
		{true, []int{1, 2}, []float32{0.1, 1.2}, "ab"},
		{true, []int{1, 2}, []float32{0.1, 1.0}, "ab"},
	} {
		tr := tree(Memory{})
		tr.Cluster = Resource{1000 * gb, 1000}
		var list []int
		for i, used := range c.used {
			q := tr.add(0, string(rune('a'+i)), All(Percent, 30))
			q.Priority, q.AbsCapacity, q.Min = c.priorities[i], 0.3, Resource{300 * gb, 300}
			q.Used = q.Min.Part(float64(used))
			list = append(list, i+1)
		}
		slices.SortStableFunc(list, func(a, b int) int { return tr.Before(a, b, c.byPriority) })
		got := ""
		for _, i := range list {
			got += tr.Queues[i].Path
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestWeightsCase75: 3w, 2w and 5w are 30, 20 and 50 %; with another 10w everybody has half.
func TestWeightsCase75(t *testing.T) {
	tr := tree(Memory{}, All(Weight, 3), All(Weight, 2), All(Weight, 5))
	check := func(want ...float32) {
		t.Helper()
		tr.Resize(Resource{100 * gb, 100})
		for i, w := range want {
			if got := tr.Queues[i+1].AbsCapacity; got != w {
				t.Errorf("%s: %v, want %v", tr.Queues[i+1].Path, got, w)
			}
		}
	}
	check(0.3, 0.2, 0.5)
	tr.add(0, "root.d", All(Weight, 10))
	check(0.15, 0.1, 0.25, 0.5)
}

// TestVectorsCase76: absolute amounts come first, then percentages of the rest, then weights.
func TestVectorsCase76(t *testing.T) {
	absolute := func(mb, cores float64) Vector { return Vector{Amount{Absolute, mb}, Amount{Absolute, cores}} }
	tr := tree(Dominant{}, All(Weight, 1), absolute(16384, 16), All(Percent, 75))
	tr.Vectors = true
	tr.add(2, "root.b.x", All(Percent, 50))
	tr.add(2, "root.b.y", All(Weight, 1))
	tr.add(2, "root.b.z", absolute(12288, 12))
	tr.Resize(Resource{32 * gb, 32})
	for i, want := range []Resource{{32 * gb, 32}, {4096, 4}, {16384, 16}, {12288, 12}, {2048, 2}, {2048, 2}, {12288, 12}} {
		if got := tr.Queues[i].Min; got != want {
			t.Errorf("%s: %v, want %v", tr.Queues[i].Path, got, want)
		}
	}
}

// TestVectorsWithoutMemory: who is left without memory gets no virtual cores, and siblings behind it get more.
func TestVectorsWithoutMemory(t *testing.T) {
	tr := tree(Memory{},
		Vector{Amount{Percent, 2}, Amount{Absolute, 8}}, Vector{Amount{Absolute, 4096}, Amount{Absolute, 4}}, Vector{Amount{Weight, 4}, Amount{Weight, 5}},
		Vector{Amount{Absolute, 1024}, Amount{Weight, 1}}, Vector{Amount{Percent, 36}, Amount{Absolute, 6}}, Vector{Amount{Percent, 6}, Amount{Weight, 3}})
	tr.Vectors = true
	tr.Resize(Resource{1843, 7})
	for i, want := range []Resource{{1843, 7}, {0, 0}, {1474, 1}, {1, 3}, {368, 1}, {0, 0}, {0, 0}} {
		if got := tr.Queues[i].Min; got != want {
			t.Errorf("%s: %v, want %v", tr.Queues[i].Path, got, want)
		}
	}
}
