// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// times holds the next finish time of every class in a flat tournament tree: node i has the lesser
// of its children 2i and 2i+1, leaves start at size. Empty places hold +Inf.
type times struct {
	node []float64
	size int
}

// grow makes room for n leaves.
func (t *times) grow(n int) {
	if n <= t.size {
		return
	}
	size := max(16, t.size)
	for size < n {
		size *= 2
	}
	node := make([]float64, 2*size)
	for i := range node {
		node[i] = math.Inf(1)
	}
	copy(node[size:], t.leaves())
	t.node, t.size = node, size
	t.rebuild()
}

func (t *times) leaves() []float64 { return t.node[t.size:] }

// least returns the earliest time, +Inf if there is none.
func (t *times) least() float64 {
	if t.size == 0 {
		return math.Inf(1)
	}
	return t.node[1]
}

// set changes one leaf and the winners above it.
func (t *times) set(leaf int32, x float64) {
	i := t.size + int(leaf)
	node := t.node
	node[i] = x
	for i > 1 {
		low := node[i]
		if other := node[i^1]; other < low {
			low = other
		}
		i >>= 1
		if node[i] == low {
			return
		}
		node[i] = low
	}
}

// put changes one leaf only; rebuild must follow before the tree is read.
func (t *times) put(leaf int32, x float64) { t.node[t.size+int(leaf)] = x }

// rebuild works out all winners.
func (t *times) rebuild() {
	for i := t.size - 1; i > 0; i-- {
		// Which child is less is a coin toss; times are never negative, so their bits compare like
		// numbers, and the least of two integers takes no branch.
		t.node[i] = math.Float64frombits(min(math.Float64bits(t.node[2*i]), math.Float64bits(t.node[2*i+1])))
	}
}

// due appends the leaves whose time is at most limit, in order of number.
func (t *times) due(limit float64, to []int32) []int32 {
	if t.size == 0 || t.node[1] > limit {
		return to
	}
	return t.collect(1, limit, to)
}

// collect does the leaves below node i, one of which is due. Then one child of each node on the way
// down is, most often one alone.
func (t *times) collect(i int, limit float64, to []int32) []int32 {
	for i < t.size {
		i *= 2
		if t.node[i] > limit {
			i++
		} else if t.node[i+1] <= limit {
			to = t.collect(i, limit, to)
			i++
		}
	}
	return append(to, int32(i-t.size))
}
