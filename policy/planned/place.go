// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// Place is the place role of planned jobs: a map runs in the rack where the first replica of its block was put, on the
// node that holds it if that asks first. Everything else is placed as GreedyLocal does.
type Place struct {
	*kit.GreedyLocal
	orders []*Order
}

var _ kit.Place = (*Place)(nil)

// NewPlace returns the role beside orders, at most one of which plans a job.
func NewPlace(env *policy.Env, orders ...*Order) *Place {
	return &Place{kit.NewGreedyLocal(env), orders}
}

// Choose implements kit.Place.
func (p *Place) Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	for _, order := range p.orders {
		if placed := order.Planned(j.ID); placed != nil && k == model.Map {
			own := order.known.Of(j)
			if i, is := placed.At(k, o.Rack); is && own.homes != nil {
				if t := own.homes[i].next(o.Node, j.Started(k)); t >= 0 {
					return t, 0
				}
			}
		}
	}
	return p.GreedyLocal.Choose(o, j, k)
}

// home is the maps of a job whose blocks have their first replicas in a rack.
type home struct {
	maps  []block // by node
	from  int     // before it all have started
	count int32   // of maps
}

type block struct {
	node model.NodeID
	task int32
}

// homes returns the maps of a planned job by the racks of their first replicas; nil if some lie elsewhere, as those of a
// file that another job reads may, or nowhere.
func (s *sequences) homesOf(j *cluster.Job, placed *rackplan.Placement) []home {
	if !j.Reads || !s.env.Blocks.Replicated() {
		return nil
	}
	homes := make([]home, len(placed.Racks[model.Map]))
	index := s.env.Blocks.Index(j.ID, j.Total[model.Map])
	for t := range j.Total[model.Map] {
		node := index.Block(t)[0]
		i, is := placed.At(model.Map, s.env.Cluster.Nodes[node].Rack)
		if !is {
			return nil
		}
		homes[i].maps = append(homes[i].maps, block{node, t})
	}
	for i := range homes {
		homes[i].count = int32(len(homes[i].maps))
		slices.SortFunc(homes[i].maps, func(a, b block) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.task, b.task)) })
	}
	return homes
}

// next returns a map that has not started, one with its block on the node if there is such, or model.None.
func (h *home) next(node model.NodeID, started []uint64) int32 {
	pending := func(b block) bool { return started[b.task>>6]>>(b.task&63)&1 == 0 }
	at, _ := slices.BinarySearchFunc(h.maps, node, func(b block, n model.NodeID) int { return cmp.Compare(b.node, n) })
	for ; at < len(h.maps) && h.maps[at].node == node; at++ {
		if pending(h.maps[at]) {
			return h.maps[at].task
		}
	}
	for ; h.from < len(h.maps); h.from++ {
		if pending(h.maps[h.from]) {
			return h.maps[h.from].task
		}
	}
	return model.None
}
