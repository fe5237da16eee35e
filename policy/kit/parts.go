// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// PartsParams configures Parts. Policies that give each of their queues a part of the cluster embed
// it in their parameters.
type PartsParams struct {
	Capacities []model.Fraction `yaml:"capacities" doc:"Share of the cluster that each queue has for itself, one per queue; together the whole cluster."`
	Partition  string           `yaml:"partition" oneof:"nodes,slots" doc:"What parts are made of: whole nodes, or (room: slots) numbers of slots on any nodes."`
}

// Problems returns the faults of the capacities for the given number of queues.
func (p *PartsParams) Problems(queues int) []model.Problem {
	bad := func(found, allowed string) []model.Problem {
		return []model.Problem{{Path: "capacities", Found: found, Allowed: allowed}}
	}
	if len(p.Capacities) != queues {
		return bad(fmt.Sprintf("%d capacities for %d queues", len(p.Capacities), queues), "one capacity for each queue; there is one queue more than limits")
	}
	sum := 0.0
	for _, c := range p.Capacities {
		if sum += float64(c); !(c > 0 && c < 1) {
			return bad(fmt.Sprintf("a capacity of %g %%", 100*float64(c)), "capacities above 0 % and below 100 %")
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		return bad(fmt.Sprintf("capacities that sum to %.6g %%", 100*sum), "capacities that sum to 100 %, the whole cluster")
	}
	return nil
}

// ProblemsOn returns why the parts do not suit the cluster or a job: a part without room, or one in
// which a job's task fits nowhere, so that the job could never end.
func (p *PartsParams) ProblemsOn(t *model.Topology, jobs []model.Job) []model.Problem {
	if p.Partition == "slots" && t.Model != model.Slots {
		return []model.Problem{{Path: "partition", Found: "slots where the cluster has none", Allowed: "nodes, or slots with cluster.room: slots"}}
	}
	parts := newParts(t, p)
	for part := range parts.Len() {
		where := fmt.Sprintf("part %d of %d, %g %% of the cluster", part+1, parts.Len(), 100*float64(p.Capacities[part]))
		if parts.total[part] == [model.Dims]int64{} {
			return []model.Problem{{Path: "capacities", Found: where + ", which is no " + p.Partition, Allowed: "parts with room for every task of every job"}}
		}
		for i := range jobs {
			for k := range model.Kind(model.Kinds) {
				if jobs[i].Tasks(k) > 0 && !parts.fits(t, part, jobs[i].Need[k]) {
					return []model.Problem{{Path: "capacities",
						Found:   fmt.Sprintf("%s, which has no room for a %s task of job %q that needs %s", where, k, jobs[i].Name, t.Model.Describe(jobs[i].Need[k])),
						Allowed: "parts with room for every task of every job"}}
				}
			}
		}
	}
	return nil
}

// NodeParts returns the part of each node, counted from 0; nil if parts are made of slots. It is
// what results need to be told by part.
func (p *PartsParams) NodeParts(t *model.Topology) []int { return newParts(t, p).of }

// Parts is the partition role of policies that keep queues apart: part k serves queue k of the
// levels alone (slowdown-2015 §IV-A: "allocate the compute resources (processors or slots) across
// disjoint partitions"). Parts made of nodes are spread evenly over the cluster in the order of the
// nodes, so that every rack and class is divided in the same way. Parts made of slots are numbers of
// slots anywhere.
//
// A task that runs when its job moves to another queue stays where it is until it ends (§IV-C). With
// slots, the slots that a job holds longest in a higher queue's part are the first that it gives back.
type Parts struct {
	topology *model.Topology
	nodes    int                                 // of the topology that have been taken in
	shares   []model.Fraction                    // by part
	of       []int                               // by node; nil for slots
	total    [][model.Dims]int64                 // by part: room of each dimension
	used     [][model.Dims]int64                 // by part
	held     *policy.PerJob[[][model.Dims]int32] // with slots: by part, slots that a job uses
	levels   *Levels
}

var (
	_ policy.Divider      = (*PartsParams)(nil)
	_ Partition           = (*Parts)(nil)
	_ policy.TaskObserver = (*Parts)(nil)
)

// NewParts returns the role for the environment. It fails where the parts do not suit the cluster.
func NewParts(env *policy.Env, p PartsParams) (*Parts, error) {
	if bad := p.ProblemsOn(env.Cluster.Topology, nil); len(bad) > 0 {
		return nil, fmt.Errorf("%s: %s; allowed: %s", bad[0].Path, bad[0].Found, bad[0].Allowed)
	}
	parts := newParts(env.Cluster.Topology, &p)
	if parts.of == nil {
		parts.held = policy.NewPerJob[[][model.Dims]int32](env)
	}
	return parts, nil
}

func newParts(t *model.Topology, p *PartsParams) *Parts {
	k := len(p.Capacities)
	parts := &Parts{total: make([][model.Dims]int64, k), used: make([][model.Dims]int64, k), topology: t, nodes: len(t.Nodes), shares: p.Capacities}
	if p.Partition == "slots" {
		parts.shareSlots()
		return parts
	}
	parts.of = spread(apportion(p.Capacities, int64(len(t.Nodes))), len(t.Nodes))
	for node := range parts.of {
		parts.furnish(model.NodeID(node))
	}
	return parts
}

// furnish adds the room of a node to its part.
func (p *Parts) furnish(node model.NodeID) {
	for d, v := range p.topology.Classes[p.topology.Nodes[node].Class].Room {
		p.total[p.of[node]][d] += int64(v)
	}
}

// shareSlots divides the slots of all nodes among the parts.
func (p *Parts) shareSlots() {
	for d, total := range p.topology.Total() {
		for part, n := range apportion(p.shares, total) {
			p.total[part][d] = n
		}
	}
}

// grow takes in the nodes that came since the last time. With nodes they go, one by one, to the part
// that is furthest behind its share.
func (p *Parts) grow() {
	if p.nodes != len(p.topology.Nodes) {
		p.takeIn()
	}
}

func (p *Parts) takeIn() {
	p.nodes = len(p.topology.Nodes)
	if p.of == nil {
		p.shareSlots()
		return
	}
	dealt := make([]int, len(p.shares))
	for _, part := range p.of {
		dealt[part]++
	}
	for len(p.of) < p.nodes {
		best, lag := 0, math.Inf(-1)
		for part, share := range p.shares {
			if behind := float64(share)*float64(len(p.of)+1) - float64(dealt[part]); behind > lag {
				best, lag = part, behind
			}
		}
		dealt[best]++
		p.of = append(p.of, best)
		p.furnish(model.NodeID(len(p.of) - 1))
	}
}

// part returns the part of a node.
func (p *Parts) part(node model.NodeID) int {
	p.grow()
	return p.of[node]
}

// apportion divides a whole number by shares: each gets its share rounded down, and what is left
// goes to those with the largest remainders, the first of equals.
func apportion(shares []model.Fraction, total int64) []int64 {
	out, order := make([]int64, len(shares)), make([]int, len(shares))
	rest := make([]float64, len(shares))
	left := total
	for i, s := range shares {
		exact := float64(s) * float64(total)
		out[i] = int64(exact + 1e-6)
		rest[i], order[i] = exact-float64(out[i]), i
		left -= out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return -compareFloat(rest[a], rest[b]) })
	for i := range left {
		out[order[int(i)%len(order)]]++
	}
	return out
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// spread deals n nodes out to parts of the given sizes: each node goes to the part that is furthest
// behind its share of the nodes so far.
func spread(sizes []int64, n int) []int {
	of, dealt := make([]int, n), make([]int64, len(sizes))
	for i := range of {
		best, lag := -1, int64(0)
		for part, size := range sizes {
			if behind := size*int64(i+1) - dealt[part]*int64(n); dealt[part] < size && (best < 0 || behind > lag) {
				best, lag = part, behind
			}
		}
		of[i] = best
		dealt[best]++
	}
	return of
}

// Len returns the number of parts.
func (p *Parts) Len() int { return len(p.total) }

// Full reports whether the part has certainly no room left in the pool. Nodes that have come must have been taken in.
func (p *Parts) Full(part, pool int) bool {
	return p.used[part][pool] >= p.total[part][pool] && p.topology.Model != model.Yarn
}

// fits reports whether a task fits some node of the part.
func (p *Parts) fits(t *model.Topology, part int, need model.Room) bool {
	if p.of == nil {
		return int64(need[0]) <= p.total[part][0] && int64(need[1]) <= p.total[part][1]
	}
	for node, of := range p.of {
		if of == part && t.Classes[t.Nodes[node].Class].Room.Fits(need) {
			return true
		}
	}
	return false
}

// Allows implements Partition.
func (p *Parts) Allows(j *cluster.Job, node model.NodeID) bool {
	return p.of == nil || p.part(node) == p.levels.Level(j)
}

// TaskStarted implements policy.TaskObserver.
func (p *Parts) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	part := 0
	if p.of != nil {
		part = p.part(node)
	} else {
		part = p.levels.Level(j)
		held := p.held.Of(j)
		if *held == nil {
			*held = make([][model.Dims]int32, p.Len())
		}
		(*held)[part][k]++
	}
	p.use(part, &j.Need[k], 1)
	p.levels.served(now, j, p.topology.Model.Pool(k), part)
}

// TaskEnded implements policy.TaskObserver.
func (p *Parts) TaskEnded(_ model.Time, j *cluster.Job, k model.Kind, node model.NodeID, _ bool) {
	part := 0
	if p.of != nil {
		part = p.part(node)
	} else {
		held := *p.held.Of(j)
		for held[part][k] == 0 {
			part++
		}
		held[part][k]--
	}
	p.use(part, &j.Need[k], -1)
}

func (p *Parts) use(part int, need *model.Room, sign int64) {
	used := &p.used[part]
	used[0] += sign * int64(need[0])
	used[1] += sign * int64(need[1])
}
