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

// Passer is an order that is told which job an offer serves, before the task starts. It can name jobs which
// the choice passed over by rank, for blame.
type Passer interface {
	Passed(o *policy.Offer, chosen *cluster.Job, k model.Kind)
}

// Limiter is an order that may keep a job from using room although it is the job's turn.
type Limiter interface {
	// May says whether the job that First or Next returned last may start a task of kind k, which fits,
	// from the offer. An order that passes over a job has told the offer why. Its Next may leave out
	// others as well, such as jobs of the same user or queue.
	May(o *policy.Offer, j *cluster.Job, k model.Kind) Verdict
}

// Verdict is what a Limiter says about a task.
type Verdict uint8

// The verdicts.
const (
	Granted    Verdict = iota // it may start
	OtherKind                 // it may not, but one of the other kind might
	PassedOver                // the job waits, here and on every other node
)

// Keeper is an order that keeps room free for reasons of its own. Kept is called when an offer served
// nobody; it says how far the reasons reach, and when they may have changed by themselves (0: only with
// an event).
type Keeper interface {
	Kept(o *policy.Offer) (policy.Scope, model.Time)
}

// Teller is an admission role that has something to say about waiting jobs before an offer is filled.
type Teller interface {
	Tell(o *policy.Offer)
}

// Place is the role that says which of a job's tasks suits the node of an offer.
type Place interface {
	// Choose returns a task of kind k that the job wants to run here, or model.None and a time at
	// which the answer may change by itself (0: only with an event). A None is a locality delay.
	Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (index int32, again model.Time)
}

// BothKinds is a place role that is asked for a map of a job after it has declined a reduce of it, where
// maps and reduces share room. Others are asked for one kind of task of each job.
type BothKinds interface {
	Place
	BothKinds()
}

// Chooser is a place role that chooses among the jobs of a sharer, maps and reduces alike, instead of
// being asked job by job. A sharer is whom the order serves: a user, a pool, or, with an order that is not
// Grouped, a job by its slot.
type Chooser interface {
	Place
	// Sharers tells whose a job is. It is called once, before anything else.
	Sharers(of func(*cluster.Job) int32)
	// ChooseOf returns a task of the sharer's jobs for the offer, or no job and a time at which the answer may
	// change by itself. may says whether a job may start a task of a kind from the offer. A role that declines
	// tells the offer why.
	ChooseOf(o *policy.Offer, sharer int32, may func(*cluster.Job, model.Kind) bool) (Choice, model.Time)
}

// Repeater is a Chooser that knows when all sharers would decline an offer as they declined one before. It is asked
// where nothing but the room itself stands between a job and an offer: no partition, no limits of the order, and an
// order that is the same whatever is offered.
type Repeater interface {
	Chooser
	// Repeat is called before the sharers are asked about an offer. If it reports that all of them decline, it has done
	// what asking them would have done and returns the earliest time that they name; they are not asked.
	Repeat(o *policy.Offer) (again model.Time, declined bool)
	// Declined tells that all sharers were asked about the offer and have declined it.
	Declined(o *policy.Offer)
}

// Choice is a task of a job; no job is no choice.
type Choice struct {
	Job   *cluster.Job
	Kind  model.Kind
	Index int32
}

// Grouped is an order that serves sharers with several jobs each.
type Grouped interface {
	Order
	Sharer(j *cluster.Job) int32
	// FirstSharer and NextSharer are First and Next over sharers; -1 ends the iteration.
	FirstSharer(pool int) int32
	NextSharer(pool int) int32
}

// Partition is the role that says which nodes a job may use.
type Partition interface{ policy.Partitioner }

// Roles are the parts of a composed policy. Partition, Admit and Data may be nil: the whole
// cluster, every job at once, HDFS's default placement.
type Roles struct {
	Order     Order
	Place     Place
	Partition Partition
	Admit     policy.Admitter
	Data      hdfs.Placement
}
