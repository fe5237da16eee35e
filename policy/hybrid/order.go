// SPDX-License-Identifier: Apache-2.0

package hybrid

import (
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// side is one of the two kinds of machines, and of the jobs that run there.
type side uint8

const (
	out side = iota
	up
)

// String returns the kind's name in messages.
func (s side) String() string { return [...]string{"scale-out", "scale-up"}[s] }

func sideOf(isUp bool) side {
	if isUp {
		return up
	}
	return out
}

// Order keeps the two kinds of jobs apart, each in an order of its own.
type Order struct {
	stolen  [2]bool // by side: its jobs may be taken over by machines of the other
	patient bool    // steals only what finds no room on the machines of its own side
	cluster *cluster.State
	judge   judge
	inner   [2]kit.Inside               // by side
	of      []side                      // by class of nodes
	both    bool                        // there are machines of both kinds
	jobs    *policy.PerJob[state]       // where they belong
	waiting [2][model.Kinds]kit.JobHeap // by side: jobs that may be taken over

	offer *policy.Offer // of the iteration; nil if it is over all jobs
	sides []side        // that the iteration goes through
	at    int
}

// state is what is kept of a job.
type state struct {
	side    side
	settled bool    // it has started or was taken over: it stays where it is
	value   float64 // what the judge said
	wants   [model.Kinds]bool
}

var (
	_ kit.Order             = (*Order)(nil)
	_ kit.Aimer             = (*Order)(nil)
	_ kit.Limiter           = (*Order)(nil)
	_ kit.Passer            = (*Order)(nil)
	_ policy.JobObserver    = (*Order)(nil)
	_ policy.TaskObserver   = (*Order)(nil)
	_ policy.LengthObserver = (*Order)(nil)
	_ policy.Confiner       = (*Order)(nil)
)

// New returns the order; inner makes the order of the jobs of one kind, which is told the racks of its machines.
func New(env *policy.Env, p Params, inner func(racks []model.RackID) kit.Order) (*Order, error) {
	t := env.Cluster.Topology
	class, both := p.Class(t)
	p.Placement = p.Placement && both
	o := &Order{stolen: [2]bool{out: p.StealBack && p.Placement, up: p.Stealing && p.Placement}, patient: p.WhenBusy, cluster: env.Cluster, both: p.Placement, of: make([]side, len(t.Classes)),
		jobs: policy.NewPerJob[state](env)}
	var err error
	if o.judge, err = newJudge(env, &p, t.Classes[class].Name); err != nil {
		return nil, err
	}
	if both && p.Placement {
		o.of[class] = up
	}
	for s := range o.inner {
		o.inner[s] = kit.NewInside(inner(o.racks(side(s))))
	}
	for s := range o.waiting {
		for pool := range o.waiting[s] {
			o.waiting[s][pool].Cluster = env.Cluster
		}
	}
	return o, nil
}

// racks returns the racks with machines of a side.
func (o *Order) racks(s side) []model.RackID {
	racks := []model.RackID{}
	for _, n := range o.cluster.Topology.Nodes {
		if o.of[n.Class] == s {
			racks = append(racks, n.Rack)
		}
	}
	slices.Sort(racks)
	return slices.Compact(racks)
}

// JobAdmitted implements policy.JobObserver: what the judge says holds for good, unless the job is stolen.
func (o *Order) JobAdmitted(now model.Time, j *cluster.Job) {
	s := o.jobs.Of(j)
	s.value = o.judge(j)
	s.side = sideOf(s.value > 0)
	for i := range o.inner {
		o.inner[i].JobAdmitted(now, j)
	}
	o.inner[1-s.side].Leave(now, j, [model.Kinds]bool{}) // if it was expected there
}

// JobEnded implements policy.JobObserver.
func (o *Order) JobEnded(now model.Time, j *cluster.Job) {
	for i := range o.inner {
		o.inner[i].JobEnded(now, j)
	}
}

// Wants implements policy.WantObserver.
func (o *Order) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	s := o.jobs.Of(j)
	s.wants[pool] = wants
	if o.stolen[s.side] && !s.settled {
		if wants { // nearest to the hyperplane first; a positive number orders like its bits
			o.waiting[s.side][pool].Set(j, keyed.Key{Major: int64(math.Float64bits(math.Abs(s.value)))})
		} else {
			o.waiting[s.side][pool].Remove(j)
		}
	}
	o.inner[s.side].Wants(now, j, pool, wants)
}

// TaskStarted implements policy.TaskObserver.
func (o *Order) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	s := o.jobs.Of(j)
	if !s.settled {
		o.settle(j, s)
	}
	o.inner[s.side].TaskStarted(now, j, k, node)
}

// settle takes a job off the list of those that may be taken over, for good.
func (o *Order) settle(j *cluster.Job, s *state) {
	s.settled = true
	for pool := range o.waiting[s.side] {
		if o.waiting[s.side][pool].Has(j) {
			o.waiting[s.side][pool].Remove(j)
		}
	}
}

// TaskEnded implements policy.TaskObserver.
func (o *Order) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	o.inner[o.jobs.Of(j).side].TaskEnded(now, j, k, node, done)
}

// TaskRan implements policy.LengthObserver.
func (o *Order) TaskRan(now model.Time, j *cluster.Job, k model.Kind, length model.Time) {
	o.inner[o.jobs.Of(j).side].TaskRan(now, j, k, length)
}

// May implements kit.Limiter.
func (o *Order) May(offer *policy.Offer, j *cluster.Job, k model.Kind) kit.Verdict {
	return o.inner[o.jobs.Of(j).side].May(offer, j, k)
}

// Passed implements kit.Passer.
func (o *Order) Passed(offer *policy.Offer, chosen *cluster.Job, k model.Kind) {
	o.inner[o.jobs.Of(chosen).side].Passed(offer, chosen, k)
}

// Aim implements kit.Aimer: an offer is for the jobs of the node's kind, and for all if no machine of the other kind is
// left.
func (o *Order) Aim(offer *policy.Offer) policy.Scope {
	o.offer = offer
	scope := o.choose(offer)
	for _, s := range o.sides {
		if o.inner[s].Aim(offer) == policy.Here {
			scope = policy.Here
		}
	}
	return scope
}

// choose says which jobs an offer is for.
func (o *Order) choose(offer *policy.Offer) policy.Scope {
	if offer == nil {
		o.sides = append(o.sides[:0], up, out)
		return policy.Everywhere
	}
	own := o.of[o.cluster.Topology.Nodes[offer.Node].Class]
	o.sides = append(o.sides[:0], own)
	if !o.both {
		return policy.Everywhere
	}
	if o.room(1-own) == 0 {
		o.sides = append(o.sides, 1-own)
	}
	return policy.Here
}

// room returns the number of nodes of a side.
func (o *Order) room(s side) (nodes int) {
	for c, of := range o.of {
		if of == s {
			_, live := o.cluster.FreeOf(uint8(c))
			nodes += live
		}
	}
	return nodes
}

// First implements kit.Order.
func (o *Order) First(pool int) *cluster.Job {
	o.at = 0
	return o.enter(pool)
}

// Next implements kit.Order.
func (o *Order) Next(pool int) *cluster.Job {
	if j := o.inner[o.sides[o.at]].Next(pool); j != nil {
		return j
	}
	o.at++
	return o.enter(pool)
}

// enter begins with the jobs of a side.
func (o *Order) enter(pool int) *cluster.Job {
	for ; o.at < len(o.sides); o.at++ {
		s := o.sides[o.at]
		if j := o.inner[s].First(pool); j != nil {
			return j
		}
		if o.stolen[1-s] && o.offer != nil && len(o.sides) == 1 && o.steal(pool, 1-s) {
			return o.inner[s].First(pool)
		}
	}
	return nil
}

// steal takes over, of the jobs of a side that have not started and can use the offer, the one that is nearest to
// belonging to the other side.
func (o *Order) steal(pool int, from side) bool {
	j := o.waiting[from][pool].Head()
	if j == nil || !kit.Usable(o.cluster.Topology.Model, o.offer.Pool, &o.offer.Free, j) || o.patient && o.roomFor(from, j) {
		return false
	}
	s := o.jobs.Of(j)
	o.settle(j, s)
	o.inner[from].Leave(o.offer.Now, j, s.wants)
	s.side = 1 - from
	for p, wants := range s.wants {
		if wants {
			o.inner[s.side].Wants(o.offer.Now, j, p, true)
		}
	}
	o.offer.Stolen(j)
	return true
}

// roomFor reports whether the free room of a side's nodes together holds a task of the job.
func (o *Order) roomFor(s side, j *cluster.Job) bool {
	free := o.freeOf(s)
	for d, need := range j.Need[model.Map] {
		if free[d] < int64(need) {
			return false
		}
	}
	return true
}

// freeOf returns the free room of a side.
func (o *Order) freeOf(s side) (free [model.Dims]int64) {
	for c, of := range o.of {
		if of != s {
			continue
		}
		room, _ := o.cluster.FreeOf(uint8(c))
		for d, v := range room {
			free[d] += v
		}
	}
	return free
}

// Reach implements policy.Confiner.
func (o *Order) Reach(j *cluster.Job) (free [model.Dims]int64) {
	if !o.both {
		return o.cluster.Free()
	}
	s := o.jobs.Of(j).side
	if o.room(s) == 0 {
		s = 1 - s
	}
	return o.freeOf(s)
}
