// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
)

// Order is the role that says which job is served next. It holds exactly the jobs that want room
// of a pool, so it is a WantObserver too.
type Order interface {
	WantObserver
	// First starts an iteration over the jobs that want room of the pool, in the order in which
	// they should be served, and returns the first of them, or nil.
	First(pool int) *cluster.Job
	// Next returns the job after the last one returned, or nil. Nothing changes in between.
	Next(pool int) *cluster.Job
}

// Aimer is an order that depends on the room that is offered.
type Aimer interface {
	// Aim is called before the First of an offer, and says how far the answer reaches if the
	// iteration finds no job to serve. A nil offer is for an iteration over all jobs.
	Aim(o *Offer) Scope
}

// Passer is an order that can name jobs which the choice passed over by rank, for blame.
type Passer interface {
	Passed(o *Offer, chosen *cluster.Job)
}

// Place is the role that says which of a job's tasks suits the node of an offer.
type Place interface {
	// Choose returns a task of kind k that the job wants to run here, or model.None and a time at
	// which the answer may change by itself (0: only with an event). A None is a locality delay.
	Choose(o *Offer, j *cluster.Job, k model.Kind) (index int32, again model.Time)
}

// Partition is the role that says which nodes a job may use.
type Partition interface {
	Allows(j *cluster.Job, node model.NodeID) bool
}

// Roles are the parts of a composed policy. Partition, Admit and Data may be nil: the whole
// cluster, every job at once, HDFS's default placement.
type Roles struct {
	Order     Order
	Place     Place
	Partition Partition
	Admit     Admitter
	Data      hdfs.Placement
}

// Compose makes a policy of roles. The driver finds what each role observes; the order comes first,
// then place, partition and admit.
func Compose(env *Env, r Roles) Policy {
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
	_ Whole      = (*composed)(nil)
	_ Ranker     = (*composed)(nil)
	_ DataPlacer = (*composed)(nil)
)

// Parts implements Whole: the roles, each object once though it may play several, and the policy
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
func (c *composed) Pick(o *Offer) Decision {
	scope, again := Everywhere, model.Time(0)
	if c.aimer != nil {
		scope = c.aimer.Aim(o)
	}
	for j := c.Order.First(o.Pool); j != nil; j = c.Order.Next(o.Pool) {
		if c.Partition != nil && !c.Partition.Allows(j, o.Node) {
			o.Blocked(j, model.LimitPartition)
			scope = Here
			continue
		}
		kind, fits := c.kind(o, j)
		if !fits {
			scope = Here
			continue
		}
		index, t := c.Place.Choose(o, j, kind)
		if index >= 0 {
			if c.passer != nil {
				c.passer.Passed(o, j)
			}
			return Start(j, kind, index)
		}
		o.Blocked(j, model.LimitLocality)
		scope = Here
		if t > 0 && (again == 0 || t < again) {
			again = t
		}
	}
	return Nothing(scope, again)
}

// kind returns the kind of task that the job would start from the offer's pool, and whether its
// room suffices. Where maps and reduces share room, eligible reduces go first, as the MapReduce
// application master asks for them; the ramp-up limit keeps them from taking everything.
func (c *composed) kind(o *Offer, j *cluster.Job) (model.Kind, bool) {
	if c.model == model.Slots {
		k := model.Kind(o.Pool)
		return k, o.Free.Fits(j.Need[k])
	}
	if j.Wants(model.Reduce) > 0 && o.Free.Fits(j.Need[model.Reduce]) {
		return model.Reduce, true
	}
	return model.Map, j.Wants(model.Map) > 0 && o.Free.Fits(j.Need[model.Map])
}

// Rank implements Ranker.
func (c *composed) Rank(pool int) (jobs []model.JobID) {
	if c.aimer != nil {
		c.aimer.Aim(nil)
	}
	for j := c.Order.First(pool); j != nil; j = c.Order.Next(pool) {
		jobs = append(jobs, j.ID)
	}
	return jobs
}

// Placement implements DataPlacer.
func (c *composed) Placement() hdfs.Placement { return c.Data }
