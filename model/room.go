// SPDX-License-Identifier: Apache-2.0

package model

import "fmt"

// RoomModel says what the two dimensions of a Room mean.
type RoomModel uint8

// The room models: Hadoop 1 slots, plain containers, YARN memory and vcores.
const (
	Slots RoomModel = iota
	Containers
	Yarn
)

// Dims is the number of dimensions of a Room.
const Dims = 2

// Room is an amount of what tasks take from a node: (map slots, reduce slots), (containers, 0)
// or (MiB of memory, vcores), as the cluster's RoomModel says. All code that compares, adds and
// subtracts room is the same for the three.
type Room [Dims]int32

// Fits reports whether need can be taken from r.
func (r Room) Fits(need Room) bool { return need[0] <= r[0] && need[1] <= r[1] }

// Add returns r + o.
func (r Room) Add(o Room) Room { return Room{r[0] + o[0], r[1] + o[1]} }

// Sub returns r - o.
func (r Room) Sub(o Room) Room { return Room{r[0] - o[0], r[1] - o[1]} }

// Holds is Fits without a copy of either, which is faster where tasks start.
func (r *Room) Holds(need *Room) bool { return need[0] <= r[0] && need[1] <= r[1] }

// Take takes need out of r in its place, which is faster than Sub.
func (r *Room) Take(need *Room) {
	r[0] -= need[0]
	r[1] -= need[1]
}

// Give is the opposite of Take.
func (r *Room) Give(need *Room) {
	r[0] += need[0]
	r[1] += need[1]
}

// IsZero reports whether r holds nothing.
func (r Room) IsZero() bool { return r[0] == 0 && r[1] == 0 }

// Times returns how many tasks of the given need fit into r at once.
func (r Room) Times(need Room) int {
	n := -1
	for d := range r {
		if need[d] > 0 {
			if k := int(r[d] / need[d]); n < 0 || k < n {
				n = k
			}
		}
	}
	return max(n, 0)
}

// Need returns what one task of the kind takes in a room model where tasks take one unit
// (slots and containers). Under Yarn a job states its own needs.
func (m RoomModel) Need(k Kind) Room {
	if m == Slots && k == Reduce {
		return Room{0, 1}
	}
	return Room{1, 0}
}

// Pools is the number of separate pools of room: maps and reduces draw from different pools
// under Slots and from the same pool otherwise.
func (m RoomModel) Pools() int {
	if m == Slots {
		return 2
	}
	return 1
}

// Pool returns the pool that tasks of kind k draw from.
func (m RoomModel) Pool(k Kind) int {
	if m == Slots {
		return int(k)
	}
	return 0
}

// PoolName returns the name of pool p in results.
func (m RoomModel) PoolName(p int) string {
	switch m {
	case Slots:
		return Kind(p).String()
	case Containers:
		return "container"
	}
	return "memory"
}

// Measures is the number of amounts that results report on: the pools, and vcores beside memory.
func (m RoomModel) Measures() int {
	if m == Yarn {
		return Dims
	}
	return m.Pools()
}

// MeasureName returns the name of a measure in results: that of a pool, or vcores.
func (m RoomModel) MeasureName(i int) string {
	if m == Yarn && i > 0 {
		return "vcores"
	}
	return m.PoolName(i)
}

// Describe formats r in the words of the model.
func (m RoomModel) Describe(r Room) string {
	switch m {
	case Slots:
		return fmt.Sprintf("%d map + %d reduce slots", r[0], r[1])
	case Containers:
		return fmt.Sprintf("%d containers", r[0])
	}
	return fmt.Sprintf("%d MiB + %d vcores", r[0], r[1])
}
