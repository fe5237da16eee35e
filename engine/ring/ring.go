// SPDX-License-Identifier: Apache-2.0

// Package ring says in which order nodes ask for work: each sends its heartbeats at a time of its own, or, where nodes ask as soon
// as they are idle, stands at a place of its own in a ring.
package ring

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Ring is the nodes in the order of the phases of their heartbeats; those with the same one by their numbers.
type Ring struct {
	Nodes []model.NodeID // by place
	Phase []model.Time   // by place
	At    []int32        // the place of each node
}

// New draws the phase of each of n nodes within the interval, or from all there are if that is 0.
func New(seed uint64, n int, interval model.Time) Ring {
	draw, phase := rng.New(seed, rng.HeartbeatOffset), make([]model.Time, n)
	r := Ring{make([]model.NodeID, n), make([]model.Time, n), make([]int32, n)}
	for i := range phase {
		u := draw.Uint64(uint64(i), 0, 0)
		if r.Nodes[i], phase[i] = model.NodeID(i), model.Time(u>>2); interval > 0 {
			phase[i] = model.Time(u % uint64(interval))
		}
	}
	slices.SortFunc(r.Nodes, func(a, b model.NodeID) int { return cmp.Or(cmp.Compare(phase[a], phase[b]), int(a-b)) })
	for i, node := range r.Nodes {
		r.Phase[i], r.At[node] = phase[node], int32(i)
	}
	return r
}
