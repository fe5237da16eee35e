// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Compose makes a policy of roles. The driver finds what each role observes; the order comes first,
// then place, partition and admit.
func Compose(env *policy.Env, r Roles) policy.Policy {
	c := &composed{Roles: r, model: env.Cluster.Topology.Model}
	c.aimer, _ = r.Order.(Aimer)
	c.limiter, _ = r.Order.(Limiter)
	c.passer, _ = r.Order.(Passer)
	c.keeper, _ = r.Order.(Keeper)
	c.teller, _ = r.Admit.(Teller)
	_, c.both = r.Place.(BothKinds)
	if c.chooser, _ = r.Place.(Chooser); c.chooser != nil {
		if c.grouped, _ = r.Order.(Grouped); c.grouped == nil {
			c.grouped = byJob{r.Order}
		}
		c.chooser.Sharers(c.grouped.Sharer)
		if c.aimer == nil && c.limiter == nil && r.Partition == nil {
			c.repeater, _ = r.Place.(Repeater)
		}
		c.mayUse = func(j *cluster.Job, k model.Kind) bool { return c.allows(c.offer, j, k) }
	}
	if c.aimer == nil && c.limiter == nil && c.passer == nil && c.keeper == nil {
		c.parked = newParked(env, r)
	}
	return c
}

type composed struct {
	Roles
	model   model.RoomModel
	aimer   Aimer
	limiter Limiter
	passer  Passer
	keeper  Keeper
	teller  Teller
	parked  *parked // nil if jobs that decline stay in the order
	both    bool    // the place role is asked for both kinds

	// For a Chooser alone.
	chooser  Chooser
	repeater Repeater // nil if all sharers are asked about each offer
	grouped  Grouped
	mayUse   func(*cluster.Job, model.Kind) bool
	offer    *policy.Offer // that mayUse is about
}

// byJob is an order in which each job is served for itself.
type byJob struct{ Order }

func (b byJob) Sharer(j *cluster.Job) int32 { return j.Slot }
func (b byJob) FirstSharer(pool int) int32  { return slotOf(b.First(pool)) }
func (b byJob) NextSharer(pool int) int32   { return slotOf(b.Next(pool)) }

func slotOf(j *cluster.Job) int32 {
	if j == nil {
		return -1
	}
	return j.Slot
}

var (
	_ policy.Whole      = (*composed)(nil)
	_ policy.Ranker     = (*composed)(nil)
	_ policy.DataPlacer = (*composed)(nil)
)

// Parts implements policy.Whole: the roles, each object once though it may play several, and the policy
// itself for what roles are not asked.
func (c *composed) Parts() (parts []any) {
	for _, role := range []any{c.Order, c.Place, c.Partition, c.Admit, c} {
		if role != nil && !slices.Contains(parts, role) {
			parts = append(parts, role)
		}
	}
	if c.parked != nil {
		parts = append(parts, c.parked)
	}
	return parts
}

// Pick goes through the jobs in order and gives the room to the first that may use it here.
func (c *composed) Pick(o *policy.Offer) policy.Decision {
	if c.teller != nil {
		c.teller.Tell(o)
	}
	if c.parked != nil && o.Pool == int(model.Map) {
		return c.parked.pick(o)
	}
	scope, again := policy.Everywhere, model.Time(0)
	if c.aimer != nil {
		scope = c.aimer.Aim(o)
	}
	if c.chooser != nil {
		return c.pickOf(o, scope)
	}
	for j := c.Order.First(o.Pool); j != nil; j = c.Order.Next(o.Pool) {
		if c.Partition != nil && !c.Partition.Allows(j, o.Node) {
			o.Blocked(j, model.LimitPartition)
			scope = policy.Here
			continue
		}
		kind, verdict := c.kind(o, j)
		if verdict != Granted {
			if verdict != PassedOver { // another node may have room for it
				scope = policy.Here
			}
			continue
		}
		index, t := c.Place.Choose(o, j, kind)
		if index >= 0 {
			return c.start(o, j, kind, index)
		}
		if !c.both { // else it says why by itself
			o.Blocked(j, model.LimitLocality)
		} else if kind == model.Reduce && c.allows(o, j, model.Map) {
			index, later := c.Place.Choose(o, j, model.Map)
			if index >= 0 {
				return c.start(o, j, model.Map, index)
			}
			t = sooner(t, later)
		}
		scope = policy.Here
		again = sooner(again, t)
	}
	return c.kept(o, scope, again)
}

// start is the decision to start a task, which the order is told first.
func (c *composed) start(o *policy.Offer, j *cluster.Job, k model.Kind, index int32) policy.Decision {
	if c.passer != nil {
		c.passer.Passed(o, j, k)
	}
	return policy.Start(j, k, index)
}

// pickOf goes through the sharers in order and gives the room to the first of whose jobs one may use it
// here.
func (c *composed) pickOf(o *policy.Offer, scope policy.Scope) policy.Decision {
	c.offer = o
	again := model.Time(0)
	if c.repeater != nil {
		if t, declined := c.repeater.Repeat(o); declined {
			return c.kept(o, policy.Here, t)
		}
	}
	for s := c.grouped.FirstSharer(o.Pool); s >= 0; s = c.grouped.NextSharer(o.Pool) {
		choice, t := c.chooser.ChooseOf(o, s, c.mayUse)
		if choice.Job != nil {
			return c.start(o, choice.Job, choice.Kind, choice.Index)
		}
		scope = policy.Here
		again = sooner(again, t)
	}
	if c.repeater != nil && scope == policy.Here {
		c.repeater.Declined(o)
	}
	return c.kept(o, scope, again)
}

// allows reports whether the job may start a task of the kind from the offer: it wants one that fits, and
// neither partition nor limits stand in the way.
func (c *composed) allows(o *policy.Offer, j *cluster.Job, k model.Kind) bool {
	if c.model.Pool(k) != o.Pool || j.Wants(k) <= 0 || !o.Free.Fits(j.Need[k]) {
		return false
	}
	if c.Partition != nil && !c.Partition.Allows(j, o.Node) {
		o.Blocked(j, model.LimitPartition)
		return false
	}
	return c.limiter == nil || c.limiter.May(o, j, k) == Granted
}

// kept is the answer to an offer that serves nobody.
func (c *composed) kept(o *policy.Offer, scope policy.Scope, again model.Time) policy.Decision {
	if c.keeper != nil {
		kept, t := c.keeper.Kept(o)
		if kept == policy.Here {
			scope = policy.Here
		}
		again = sooner(again, t)
	}
	return policy.Nothing(scope, again)
}

// sooner returns the earlier of two times to ask again, 0 being none.
func sooner(a, b model.Time) model.Time {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// kind returns the kind of task that the job may start from the offer's pool: the first that it wants,
// that fits, and that limits allow; OtherKind if there is none. Where maps and reduces share room, eligible
// reduces go first, as the MapReduce application master asks for them; the ramp-up limit keeps them from
// taking everything.
func (c *composed) kind(o *policy.Offer, j *cluster.Job) (model.Kind, Verdict) {
	if c.model == model.Slots {
		k := model.Kind(o.Pool)
		switch {
		case !o.Free.Holds(&j.Need[k]):
			return k, OtherKind
		case c.limiter == nil:
			return k, Granted
		}
		return k, c.limiter.May(o, j, k)
	}
	for k := model.Reduce; ; k = model.Map {
		if v := c.may(o, j, k, j.Wants(k) > 0 && o.Free.Fits(j.Need[k])); v != OtherKind || k == model.Map {
			return k, v
		}
	}
}

// Usable reports whether some task that the job wants from a pool fits the room.
func Usable(m model.RoomModel, pool int, free *model.Room, j *cluster.Job) bool {
	for k := range model.Kind(model.Kinds) {
		if m.Pool(k) == pool && j.Wants(k) > 0 && free.Holds(&j.Need[k]) {
			return true
		}
	}
	return false
}

// may returns what limits say about a task that the job wants and that fits, OtherKind for any other.
func (c *composed) may(o *policy.Offer, j *cluster.Job, k model.Kind, fits bool) Verdict {
	switch {
	case !fits:
		return OtherKind
	case c.limiter == nil:
		return Granted
	}
	return c.limiter.May(o, j, k)
}

// Rank implements policy.Ranker.
func (c *composed) Rank(pool int) (jobs []model.JobID) {
	if c.aimer != nil {
		c.aimer.Aim(nil)
	}
	if c.parked != nil {
		c.parked.unparkAll(0)
	}
	for j := c.Order.First(pool); j != nil; j = c.Order.Next(pool) {
		jobs = append(jobs, j.ID)
	}
	return jobs
}

// Placement implements policy.DataPlacer.
func (c *composed) Placement() hdfs.Placement { return c.Data }
