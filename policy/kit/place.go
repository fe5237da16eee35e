// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// GreedyLocal is the place role of plain Hadoop: a map whose block is on the node, else one whose
// block is in the rack, else any; the next reduce in line. It never declines.
type GreedyLocal struct {
	Blocks *hdfs.Store
	racks  int
}

// NewGreedyLocal returns the role for the environment.
func NewGreedyLocal(env *policy.Env) *GreedyLocal {
	return &GreedyLocal{Blocks: env.Blocks, racks: env.Cluster.Topology.Racks}
}

var _ Place = (*GreedyLocal)(nil)

// Choose implements Place.
func (g *GreedyLocal) Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	if k == model.Reduce || !j.Reads {
		return j.First(k), 0
	}
	index, started := g.Blocks.Index(j.ID, j.Total[model.Map]), j.Started(model.Map)
	t := index.OnNode(o.Node, started)
	if t < 0 && g.racks > 1 {
		t = index.InRack(o.Rack, started)
	}
	if t < 0 {
		t = j.First(k)
	}
	return t, 0
}

// OnNode returns a pending map of j whose block is on the offer's node, or model.None.
func (g *GreedyLocal) OnNode(o *policy.Offer, j *cluster.Job) int32 {
	return g.Blocks.Index(j.ID, j.Total[model.Map]).OnNode(o.Node, j.Started(model.Map))
}

// InRack returns a pending map of j whose block is in the offer's rack, or model.None.
func (g *GreedyLocal) InRack(o *policy.Offer, j *cluster.Job) int32 {
	if g.racks == 1 {
		return j.First(model.Map)
	}
	return g.Blocks.Index(j.ID, j.Total[model.Map]).InRack(o.Rack, j.Started(model.Map))
}
