// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
)

// KeyedOrder is an order by one key for each job: the base of srpt, edf and the like. The key is asked
// for when a job begins to want room; a policy whose keys move calls Rekey.
type KeyedOrder struct {
	keyOf func(now model.Time, j *cluster.Job) Key
	heaps [model.Kinds]JobHeap // by pool
}

// NewKeyedOrder returns the order by the key.
func NewKeyedOrder(env *Env, keyOf func(now model.Time, j *cluster.Job) Key) *KeyedOrder {
	o := &KeyedOrder{keyOf: keyOf}
	for p := range o.heaps {
		o.heaps[p].Cluster = env.Cluster
	}
	return o
}

var _ Order = (*KeyedOrder)(nil)

// Wants implements WantObserver.
func (o *KeyedOrder) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	if wants {
		o.heaps[pool].Set(j, o.keyOf(now, j))
	} else {
		o.heaps[pool].Remove(j)
	}
}

// Rekey moves the job to where its key now belongs, in every pool where it wants room.
func (o *KeyedOrder) Rekey(now model.Time, j *cluster.Job) {
	for p := range o.heaps {
		if o.heaps[p].Has(j) {
			o.heaps[p].Set(j, o.keyOf(now, j))
		}
	}
}

// First implements Order.
func (o *KeyedOrder) First(pool int) *cluster.Job { return o.heaps[pool].First() }

// Next implements Order.
func (o *KeyedOrder) Next(pool int) *cluster.Job { return o.heaps[pool].Next() }

// GreedyLocal is the place role of plain Hadoop: a map whose block is on the node, else one whose
// block is in the rack, else any; the next reduce in line. It never declines.
type GreedyLocal struct {
	Blocks *hdfs.Store
	racks  int
}

// NewGreedyLocal returns the role for the environment.
func NewGreedyLocal(env *Env) *GreedyLocal {
	return &GreedyLocal{Blocks: env.Blocks, racks: env.Cluster.Topology.Racks}
}

var _ Place = (*GreedyLocal)(nil)

// Choose implements Place.
func (g *GreedyLocal) Choose(o *Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	if k == model.Reduce || j.Input == 0 {
		return j.First(k), 0
	}
	if t := g.OnNode(o, j); t >= 0 {
		return t, 0
	}
	if t := g.InRack(o, j); t >= 0 {
		return t, 0
	}
	return j.First(k), 0
}

// OnNode returns a pending map of j whose block is on the offer's node, or model.None.
func (g *GreedyLocal) OnNode(o *Offer, j *cluster.Job) int32 {
	return g.Blocks.Index(j.ID, j.Total[model.Map]).OnNode(o.Node, j.Started(model.Map))
}

// InRack returns a pending map of j whose block is in the offer's rack, or model.None.
func (g *GreedyLocal) InRack(o *Offer, j *cluster.Job) int32 {
	if g.racks == 1 {
		return j.First(model.Map)
	}
	return g.Blocks.Index(j.ID, j.Total[model.Map]).InRack(o.Rack, j.Started(model.Map))
}
