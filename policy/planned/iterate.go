// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/nodeset"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// Aim implements kit.Aimer. Racks have sequences of their own, so a refusal is for this one unless no planned job
// wants anything.
func (o *Order) Aim(offer *policy.Offer) policy.Scope {
	o.rack, o.turns = model.None, [2]int{0, 1}
	o.settle()
	scope := policy.Everywhere
	for i := range o.adhoc {
		if o.adhoc[i].Aim(offer) == policy.Here {
			scope = policy.Here
		}
	}
	if offer == nil {
		return policy.Everywhere
	}
	if o.room != o.env.Cluster.Total {
		o.count(offer.Now)
	}
	o.rack = offer.Rack
	if o.heavy[o.rack] == 0 { // heavy ones first, where none run
		o.turns = [2]int{len(o.adhoc) - 1, 0}
	}
	if o.all[offer.Pool].Len() > 0 {
		return policy.Here
	}
	return scope
}

// sequence returns the entries that could start in the rack in hand.
func (o *Order) sequence(pool int) *nodeset.Set {
	if o.rack == model.None {
		return o.all[pool]
	}
	return o.racks[pool][o.rack]
}

// First implements kit.Order.
func (o *Order) First(pool int) *cluster.Job {
	o.entry, o.turn, o.begun = 0, 0, false
	return o.planned(pool)
}

// Next implements kit.Order.
func (o *Order) Next(pool int) *cluster.Job {
	if o.entry >= 0 {
		o.entry++
		return o.planned(pool)
	}
	return o.other(pool)
}

// planned returns the job of the next entry of the sequence, then ad-hoc jobs. In an iteration over all racks a job with
// two entries comes once.
func (o *Order) planned(pool int) *cluster.Job {
	if o.rack == model.None && o.entry&1 != 0 && o.all[pool].Has(o.entry-1) {
		o.entry++
	}
	o.entry = o.sequence(pool).Next(o.entry)
	if o.entry < 0 {
		return o.other(pool)
	}
	o.kind = model.Kind(o.entry & 1)
	return o.env.Cluster.Job(o.plan.Jobs[o.entry/2].Job)
}

// other returns the next ad-hoc job.
func (o *Order) other(pool int) *cluster.Job {
	for ; o.turn < len(o.adhoc); o.turn, o.begun = o.turn+1, false {
		order := &o.adhoc[o.turns[o.turn]]
		next := order.Next
		if !o.begun {
			next, o.begun = order.First, true
		}
		if j := next(pool); j != nil {
			return j
		}
	}
	return nil
}

// May implements kit.Limiter: an entry of a sequence is about tasks of one kind, and ad-hoc jobs may have racks of their
// own.
func (o *Order) May(offer *policy.Offer, j *cluster.Job, k model.Kind) kit.Verdict {
	if o.entry >= 0 {
		if k != o.kind {
			return kit.OtherKind
		}
		return kit.Granted
	}
	if o.narrow != nil && !o.narrow.allows(j, k, offer.Rack) {
		return kit.OtherKind
	}
	return o.adhoc[o.class(j)].May(offer, j, k)
}

// count looks which racks have nodes, after some have gone or come. Jobs with a rack that is lost are ad-hoc jobs from
// then on, even if it returns.
func (o *Order) count(now model.Time) {
	o.room = o.env.Cluster.Total
	was := o.lost
	o.lost = make([]bool, len(was))
	for r := range o.lost {
		o.lost[r] = true
	}
	nodes := o.env.Cluster.Nodes
	for i := range nodes {
		if !nodes[i].Lost {
			o.lost[nodes[i].Rack] = false
		}
	}
	for i := range o.plan.Jobs {
		p := &o.plan.Jobs[i]
		for _, s := range slices.Concat(p.Racks[model.Map], p.Racks[model.Reduce]) {
			if o.lost[s.Rack] && !was[s.Rack] && o.Planned(p.Job) != nil {
				o.abandon(now, p)
			}
		}
	}
}

// abandon makes a planned job an ad-hoc job.
func (o *Order) abandon(now model.Time, p *rackplan.Placement) {
	j := o.env.Cluster.Job(p.Job)
	if j == nil { // it has not come yet, or has gone
		o.ranks[p.Job] = -1
		return
	}
	o.drop(j, p)
	own := o.known.Of(j)
	own.moved, own.aggregated = true, p.Heavy
	to := &o.adhoc[o.class(j)]
	to.JobAdmitted(now, j)
	for k := range model.Kind(model.Kinds) {
		for range j.Running[k] {
			to.TaskStarted(now, j, k, model.None)
		}
	}
	for pool := range o.env.Cluster.Topology.Model.Pools() {
		wants := false
		for k := range model.Kind(model.Kinds) {
			wants = wants || o.pool(k) == pool && own.wants[k]
		}
		if wants {
			to.Wants(now, j, pool, true)
		}
	}
}
