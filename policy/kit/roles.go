// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Order is the role that says which job is served next. It holds exactly the jobs that want room
// of a pool, so it is a policy.WantObserver too.
type Order interface {
	policy.WantObserver
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
	Aim(o *policy.Offer) policy.Scope
}

// Passer is an order that can name jobs which the choice passed over by rank, for blame.
type Passer interface {
	Passed(o *policy.Offer, chosen *cluster.Job)
}

// Place is the role that says which of a job's tasks suits the node of an offer.
type Place interface {
	// Choose returns a task of kind k that the job wants to run here, or model.None and a time at
	// which the answer may change by itself (0: only with an event). A None is a locality delay.
	Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (index int32, again model.Time)
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
	Admit     policy.Admitter
	Data      hdfs.Placement
}
