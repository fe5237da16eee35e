// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"math"
	"slices"
)

// Unit says what the number of an amount means.
type Unit uint8

// The units of capacities.
const (
	Percent  Unit = iota // of what the parent has
	Weight               // a part of what is left, among siblings
	Absolute             // MB or virtual cores
)

// Amount is one component of a capacity as it is configured, percentages from 0 to 100. Capacities of one unit have
// values of 32 bits, as in the release; components of vectors have 64.
type Amount struct {
	Unit  Unit
	Value float64
}

// Vector is a capacity as it is configured.
type Vector struct{ Memory, VCores Amount }

// All returns the capacity with the same amount of everything.
func All(unit Unit, value float32) Vector {
	return Vector{Amount{unit, float64(value)}, Amount{unit, float64(value)}}
}

// Uniform reports whether both components have that unit.
func (v Vector) Uniform(unit Unit) bool { return v.Memory.Unit == unit && v.VCores.Unit == unit }

// Fraction returns a percentage of everything as a part of 1.
func (v Vector) Fraction() float32 { return float32(v.Memory.Value) / 100 }

// Named returns the amounts of a capacity in MB and virtual cores, nothing if it has other units.
func (v Vector) Named() Resource {
	if !v.Uniform(Absolute) {
		return Resource{}
	}
	return v.absolute()
}

func (v Vector) absolute() Resource {
	return Resource{int64(v.Memory.Value), int64(v.VCores.Value)}
}

// amounts returns the numbers of a capacity that names memory in MB, nothing for others. As in the release, a weight of
// virtual cores stands for as many, and a percentage makes it none.
func (v Vector) amounts() Resource {
	if v.Memory.Unit != Absolute || v.VCores.Unit == Percent {
		return Resource{}
	}
	return v.absolute()
}

// Queue is one queue: its settings, what follows from them for a cluster, and its use.
type Queue struct {
	Path     string
	Parent   int   // place of the parent in the tree, -1 of the root
	Children []int // places, in the order that decides between equals

	Capacity, Maximum Vector
	Priority          int
	ByPriority        bool // its children are ordered by priority before use

	Share                   float32  // of the parent, 0 of a queue with a weight
	AbsCapacity, AbsMaximum float32  // shares of the cluster
	Min, Max                Resource // guarantee and maximum

	Used, Pending, Reserved Resource

	rank  int32   // among the siblings
	waits bool    // something is asked for: it stands in the parent's list
	next  []Child // children that wait, in the order in which they are served
}

// Leaf reports whether the queue takes applications.
func (q *Queue) Leaf() bool { return len(q.Children) == 0 }

// Tree is all queues, a parent before its children; the root is the first.
type Tree struct {
	Scale
	Queues  []Queue
	Vectors bool // capacities may mix units (legacy-queue-mode.enabled=false)
}

// Resize works out what every queue is guaranteed and may use in a cluster of that room.
func (t *Tree) Resize(cluster Resource) {
	t.Cluster = cluster
	root := &t.Queues[0]
	root.Share, root.AbsCapacity, root.AbsMaximum = 1, 1, 1
	root.Min, root.Max = cluster, cluster
	if m := root.Maximum; m.Uniform(Percent) && m.Memory.Value > 0 { // it bounds the queues below, not the root itself
		root.AbsMaximum = m.Fraction()
	}
	for i := range t.Queues {
		if q := &t.Queues[i]; !q.Leaf() {
			t.divide(q)
		}
	}
	for i := range t.Queues {
		t.arrange(&t.Queues[i])
	}
}

// divide hands a queue's room to its children.
func (t *Tree) divide(parent *Queue) {
	switch {
	case t.Vectors:
		t.divideVectors(parent)
	case slices.ContainsFunc(parent.Children, func(c int) bool { return t.Queues[c].Capacity.Uniform(Absolute) }):
		t.divideAbsolute(parent)
	default:
		t.divideShares(parent)
	}
}

func (t *Tree) divideShares(parent *Queue) {
	var weights float32
	for _, c := range parent.Children {
		if a := t.Queues[c].Capacity.Memory; a.Unit == Weight {
			weights += float32(a.Value)
		}
	}
	for _, c := range parent.Children {
		q := &t.Queues[c]
		share := q.Capacity.Fraction()
		q.Share = share
		if q.Capacity.Memory.Unit == Weight {
			share = 0
			if weights > 0 {
				share = float32(q.Capacity.Memory.Value) / weights
			}
			q.Share = 0
		}
		q.AbsCapacity = share * parent.AbsCapacity
		q.Min = t.Cluster.Part(float64(q.AbsCapacity))
		if q.Maximum.Uniform(Absolute) {
			t.capAbsolute(q, parent)
			continue
		}
		q.AbsMaximum = q.Maximum.Fraction() * parent.AbsMaximum
		q.Max = t.Cluster.Part(float64(q.AbsMaximum))
	}
}

// divideAbsolute gives children the room that they name, or less in proportion where the parent has less.
func (t *Tree) divideAbsolute(parent *Queue) {
	var sum Resource
	for _, c := range parent.Children {
		sum = sum.Add(t.Queues[c].Capacity.absolute())
	}
	short := parent.Min != (Resource{}) && t.Less(parent.Min, sum) // without nodes guarantees are as they are named
	scaled := func(v, have, want int64) int64 {
		if !short {
			return v
		}
		return int64(float32(v) * (float32(have) / float32(want)))
	}
	for _, c := range parent.Children {
		q := &t.Queues[c]
		want := q.Capacity.absolute()
		q.Min = Resource{scaled(want.Memory, parent.Min.Memory, sum.Memory), scaled(want.VCores, parent.Min.VCores, sum.VCores)}
		q.Share = t.Divide(t.Cluster, q.Min, parent.Min)
		q.AbsCapacity = q.Share * parent.AbsCapacity
		t.capAbsolute(q, parent)
	}
}

// capAbsolute sets the maximum of a queue that names it in MB and virtual cores, or not at all. It is held within what
// the parent names, even where that is more than the cluster, or else within what the parent may use.
func (t *Tree) capAbsolute(q, parent *Queue) {
	most := parent.Max
	if m := parent.Maximum.Named(); m != (Resource{}) {
		most = m
	}
	q.Max = most
	if m := q.Maximum.Named(); m != (Resource{}) {
		q.Max = t.Min(m, most)
	}
	q.AbsMaximum = t.Divide(t.Cluster, q.Max, parent.Max) * parent.AbsMaximum
}

// divideVectors takes what is absolute first, then percentages of the rest, then weights, for each component.
// Weights are rounded to whole numbers, the others down. Memory comes first: a queue that is left without any is
// guaranteed nothing else, and what it would have had stays for the siblings behind it.
func (t *Tree) divideVectors(parent *Queue) {
	t.divideComponent(parent, func(v *Vector) Amount { return v.Memory }, func(r *Resource) *int64 { return &r.Memory },
		func(*Queue) bool { return true })
	t.divideComponent(parent, func(v *Vector) Amount { return v.VCores }, func(r *Resource) *int64 { return &r.VCores },
		func(q *Queue) bool { return q.Min.Memory > 0 })
	for _, c := range parent.Children {
		q := &t.Queues[c]
		q.Share = t.Divide(t.Cluster, q.Min, parent.Min)
		q.AbsCapacity = q.Share * parent.AbsCapacity
		q.AbsMaximum = t.Divide(t.Cluster, q.Max, t.Cluster)
	}
}

// divideComponent gives children their part of one component; those that may not have any get none.
func (t *Tree) divideComponent(parent *Queue, amount func(*Vector) Amount, part func(*Resource) *int64, may func(*Queue) bool) {
	have, cluster := float64(*part(&parent.Min)), float64(*part(&t.Cluster))
	named, weights := 0.0, 0.0
	for _, c := range parent.Children {
		switch a := amount(&t.Queues[c].Capacity); a.Unit {
		case Absolute:
			named += a.Value
		case Weight:
			weights += a.Value
		}
	}
	scale := float32(1)
	if named > have { // less is there than children name: in proportion
		scale = float32(have) / float32(named)
	}
	rest := *part(&parent.Min)
	for _, unit := range [...]Unit{Absolute, Percent, Weight} {
		// The release multiplies shares of the cluster, so that whole numbers may come out one too small.
		open := have / cluster * (float64(rest) / have)
		for _, c := range parent.Children {
			q := &t.Queues[c]
			a := amount(&q.Capacity)
			if a.Unit != unit {
				continue
			}
			var value float64
			switch unit {
			case Absolute:
				value = a.Value * float64(scale)
			case Percent:
				value = cluster * (open * a.Value / 100)
			case Weight:
				value = math.Round(cluster * (open * (a.Value / weights)))
			}
			*part(&q.Min) = 0
			if may(q) {
				*part(&q.Min) = min(whole(value), rest)
				rest -= *part(&q.Min)
			}
		}
	}
	for _, c := range parent.Children {
		q := &t.Queues[c]
		most := *part(&parent.Max)
		if a := amount(&q.Maximum); a.Unit == Percent {
			most = whole(cluster * (float64(most) / cluster * a.Value / 100))
		} else if a.Unit == Absolute {
			most = min(most, int64(a.Value))
		}
		*part(&q.Max) = most
	}
}

// whole cuts a number off as Java does: what is no number is 0, and what is too large or too small is the largest or the
// smallest number that there is.
func whole(f float64) int64 {
	switch {
	case f >= math.MaxInt64: // 2^63 as a float64
		return math.MaxInt64
	case f >= math.MinInt64:
		return int64(f)
	case f < math.MinInt64:
		return math.MinInt64
	}
	return 0
}

// UsedCapacity returns what a queue uses as a share of its guarantee.
func (t *Tree) UsedCapacity(q *Queue) float32 {
	if !t.Some(t.Cluster) {
		return 0
	}
	return t.Divide(t.Cluster, q.Used, t.Max(q.Min, t.Step))
}

// AbsUsed returns what a queue uses as a share of the cluster.
func (t *Tree) AbsUsed(q *Queue) float32 {
	if !t.Some(t.Cluster) {
		return 0
	}
	return t.Divide(t.Cluster, q.Used, t.Cluster)
}

// Charge adds to what a leaf and its ancestors use.
func (t *Tree) Charge(leaf int, r Resource) {
	for i := leaf; i >= 0; {
		q := &t.Queues[i]
		if q.waits && q.Parent >= 0 && len(t.Queues[q.Parent].next) > 1 {
			parent := &t.Queues[q.Parent]
			was := t.place(parent, t.child(i))
			q.Used = q.Used.Add(r)
			t.move(parent, was, t.child(i))
		} else {
			q.Used = q.Used.Add(r)
		}
		i = q.Parent
	}
}

// Reserve adds to what is reserved in a leaf and its ancestors, which counts as used: Charge is told too.
func (t *Tree) Reserve(leaf int, r Resource) {
	for i := leaf; i >= 0; i = t.Queues[i].Parent {
		t.Queues[i].Reserved = t.Queues[i].Reserved.Add(r)
	}
}

// Await adds to what is asked for in a leaf and its ancestors.
func (t *Tree) Await(leaf int, r Resource) {
	for i := leaf; i >= 0; i = t.Queues[i].Parent {
		q := &t.Queues[i]
		q.Pending = q.Pending.Add(r)
		if waits := t.Some(q.Pending); waits != q.waits {
			t.take(i)
			q.waits = waits
			t.put(i)
		}
	}
}

// Room returns the limit that a queue hands down to a child, given its own and what waits in vain for room
// among the child's siblings.
func (t *Tree) Room(parent, child *Queue, limit, blocked Resource) Resource {
	return t.Floor(t.Min(limit, parent.Max).Sub(blocked).Sub(parent.Used).Add(child.Used))
}
