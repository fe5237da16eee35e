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
	c.passer, _ = r.Order.(Passer)
	c.aimer, _ = r.Order.(Aimer)
	return c
}

type composed struct {
	Roles
	model  model.RoomModel
	passer Passer
	aimer  Aimer
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
	return parts
}

// Pick goes through the jobs in order and gives the room to the first that may use it here.
func (c *composed) Pick(o *policy.Offer) policy.Decision {
	scope, again := policy.Everywhere, model.Time(0)
	if c.aimer != nil {
		scope = c.aimer.Aim(o)
	}
	for j := c.Order.First(o.Pool); j != nil; j = c.Order.Next(o.Pool) {
		if c.Partition != nil && !c.Partition.Allows(j, o.Node) {
			o.Blocked(j, model.LimitPartition)
			scope = policy.Here
			continue
		}
		kind, fits := c.kind(o, j)
		if !fits {
			scope = policy.Here
			continue
		}
		index, t := c.Place.Choose(o, j, kind)
		if index >= 0 {
			if c.passer != nil {
				c.passer.Passed(o, j)
			}
			return policy.Start(j, kind, index)
		}
		o.Blocked(j, model.LimitLocality)
		scope = policy.Here
		if t > 0 && (again == 0 || t < again) {
			again = t
		}
	}
	return policy.Nothing(scope, again)
}

// kind returns the kind of task that the job would start from the offer's pool, and whether its
// room suffices. Where maps and reduces share room, eligible reduces go first, as the MapReduce
// application master asks for them; the ramp-up limit keeps them from taking everything.
func (c *composed) kind(o *policy.Offer, j *cluster.Job) (model.Kind, bool) {
	if c.model == model.Slots {
		k := model.Kind(o.Pool)
		return k, o.Free.Fits(j.Need[k])
	}
	if j.Wants(model.Reduce) > 0 && o.Free.Fits(j.Need[model.Reduce]) {
		return model.Reduce, true
	}
	return model.Map, j.Wants(model.Map) > 0 && o.Free.Fits(j.Need[model.Map])
}

// Rank implements policy.Ranker.
func (c *composed) Rank(pool int) (jobs []model.JobID) {
	if c.aimer != nil {
		c.aimer.Aim(nil)
	}
	for j := c.Order.First(pool); j != nil; j = c.Order.Next(pool) {
		jobs = append(jobs, j.ID)
	}
	return jobs
}

// Placement implements policy.DataPlacer.
func (c *composed) Placement() hdfs.Placement { return c.Data }
