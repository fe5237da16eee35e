// SPDX-License-Identifier: Apache-2.0

// Package policy is the contract between a scheduling policy and whatever drives it: the simulator, or
// a live cluster. The driver's side of it is Driver.
//
// A policy is a state machine: facts in, one decision out. It starts no goroutine, reads no clock,
// draws randomness only from rng, and never changes the cluster. The driver tells it what happened
// through the observer interfaces it implements, in the order in which things happened, and asks
// it with Pick whenever a node has free room.
//
// Policies are composed of roles: an order of jobs, a way to place tasks, a partition of the nodes, an
// admission rule, a placement of data. The package policy/kit has roles and what they are made of; a
// published scheduler is a named preset of them in the package policies.
package policy

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/model"
)

// Policy decides what runs next.
type Policy interface {
	// Pick chooses the next task for the free room that the offer describes. The offer is valid
	// during the call, and while the driver tells of the start that it led to.
	Pick(*Offer) Decision
}

// Offer is free room of one pool on one node.
type Offer struct {
	Now  model.Time
	Node model.NodeID
	Rack model.RackID
	Pool int        // tasks whose kind draws from this pool may start
	Free model.Room // all that is free on the node
	Beat Beat

	blocked  func(*cluster.Job, model.Limit)
	confined func(*cluster.Job)
	changed  func()
	stolen   func(*cluster.Job)
	enough   func(again model.Time)
}

// Beat is the heartbeat that an offer belongs to and what it has been given so far.
type Beat struct {
	Sequence  int64
	Periodic  bool // false where nodes ask as soon as they have room, so that a limit for each heartbeat means nothing
	Tasks     [model.Kinds]int32
	OffSwitch int32 // maps neither node- nor rack-local
	Masters   int32 // application masters
}

// Blocked tells the driver which limit keeps the job from using this offer. It feeds blame and
// explain; the last limit named for room of a pool holds until the job starts a task in that pool. What keeps reduces
// from room of their own does not count as long as the job has maps to start.
func (o *Offer) Blocked(j *cluster.Job, limit model.Limit) {
	if o.blocked != nil {
		o.blocked(j, limit)
	}
}

// OnBlocked sets the receiver of Blocked. For drivers.
func (o *Offer) OnBlocked(f func(*cluster.Job, model.Limit)) { o.blocked = f }

// Confined is Blocked for a job that must wait for one of certain nodes, which are full, while others have room:
// LimitPartition. What ends on those others changes nothing about it, so their room is not offered again for its sake.
func (o *Offer) Confined(j *cluster.Job) {
	if o.confined != nil {
		o.confined(j)
	} else {
		o.Blocked(j, model.LimitPartition)
	}
}

// OnConfined sets the receiver of Confined in place of that of Blocked. For drivers.
func (o *Offer) OnConfined(f func(*cluster.Job)) { o.confined = f }

// Changed tells the driver that this offer made the policy see other room in a new light, such as a job
// that has moved to another part of the cluster: what it said about Everywhere no longer holds.
func (o *Offer) Changed() {
	if o.changed != nil {
		o.changed()
	}
}

// OnChanged sets the receiver of Changed. For drivers.
func (o *Offer) OnChanged(f func()) { o.changed = f }

// Stolen tells the driver that the machines of the offer take over a job that had to run on machines of another kind and
// has not started. It stays with them. What it said about Everywhere no longer holds.
func (o *Offer) Stolen(j *cluster.Job) {
	if o.stolen != nil {
		o.stolen(j)
	}
	o.Changed()
}

// OnStolen sets the receiver of Stolen. For drivers.
func (o *Offer) OnStolen(f func(*cluster.Job)) { o.stolen = f }

// Enough tells the driver, while it tells of the start that the offer led to, that with this start the pool has been given all it
// is to have: asked once more, the policy would answer with nothing, Everywhere and Again. So it need not be asked.
func (o *Offer) Enough(again model.Time) {
	if o.enough != nil {
		o.enough(again)
	}
}

// OnEnough sets the receiver of Enough. For drivers.
func (o *Offer) OnEnough(f func(again model.Time)) { o.enough = f }

// Decision is the answer to an offer: a task, or nothing. It has four words of memory: with more, or with more than four fields, it
// would not be handed over in registers.
type Decision struct {
	Job   *cluster.Job // whose task is to be started; nil if it has to be found by its number
	Again model.Time   // with nothing: ask again at this time at the latest; 0 means when something changes
	Task  model.Task   // what to start; Task.Job is model.None for nothing
	Scope Scope        // with nothing: for whom
}

// Scope says how far a refusal reaches.
type Scope uint8

// Here: this node gets nothing, another might. Everywhere: no node would get anything from this
// pool until something changes (a job arrives, a task ends, the time Again comes), so the driver
// need not ask the others.
const (
	Here Scope = iota
	Everywhere
)

// Start returns the decision to start a task.
func Start(j *cluster.Job, k model.Kind, index int32) Decision {
	return Decision{Task: model.Task{Job: j.ID, Kind: k, Index: index}, Job: j}
}

// Nothing returns the decision to leave the room free.
func Nothing(scope Scope, again model.Time) Decision {
	return Decision{Task: model.Task{Job: model.None}, Scope: scope, Again: again}
}

// Env is what a policy is built on: the cluster as a resource manager sees it, where blocks lie,
// and the extras that its registry entry declares as needs.
//
// The cluster has no jobs yet when a policy is built: jobs, queues, users and nodes come as they come.
// What a policy keeps about a job lives in a PerJob.
type Env struct {
	Cluster *cluster.State // read only
	Blocks  *hdfs.Store
	Seed    uint64
	Sizes   Sizes // nil unless the entry needs KnownSizes

	Links    *Links   // nil unless the entry needs LinkLoads
	Shuffles Shuffles // nil unless the entry needs KnownShuffle
	Labels   Labels   // nil unless the entry needs KnownLabels

	// Classifier tells jobs apart by what is known of them when they are submitted; nil unless the entry needs it.
	Classifier *svm.Classifier

	Circuits *Circuits // nil where racks have no circuits

	Served Served // nil where policies count for themselves what jobs have received

	stores []store      // made for the policy; the driver makes them forget jobs
	rows   []ahead.Rows // of the stores, to be asked for
}

// Sizes reveals what only an oracle knows.
type Sizes interface {
	// Remaining returns the sum of the lengths of the job's tasks that have not ended.
	Remaining(model.JobID) model.Time
	// Total returns the sum of the lengths of all the job's tasks.
	Total(model.JobID) model.Time
}

// Served tells how much service jobs have received, as somebody measures it: the sum of the run times of their tasks.
type Served interface {
	Received(now model.Time, id model.JobID) model.Time
}

// Links is how loaded the racks' links are, as a monitor has sampled them last.
type Links struct {
	Shares []float64 // of the capacity in use: 2*rack up, 2*rack+1 down
}

// Load returns the share of a rack's links that is in use, the busier of the two ways.
func (l *Links) Load(r model.RackID) float64 { return max(l.Shares[2*r], l.Shares[2*r+1]) }

// Down returns the share of the link by which a rack receives that is in use.
func (l *Links) Down(r model.RackID) float64 { return l.Shares[2*r+1] }

// Racks returns the number of racks.
func (l *Links) Racks() int { return len(l.Shares) / 2 }

// Labels reveals on which class of machines a job ends first.
type Labels interface {
	Label(model.JobID) string
}

// Shuffles reveals how much data the maps of a job will make: known of jobs that have run before.
type Shuffles interface {
	Shuffle(model.JobID) model.Bytes
}

// The optional interfaces of a policy. Driver finds them and says in which order they are called: after
// the cluster's state has changed, before the next Pick.

// JobObserver is told when a job may be given room and when it has ended.
type JobObserver interface {
	JobAdmitted(now model.Time, j *cluster.Job)
	JobEnded(now model.Time, j *cluster.Job)
}

// WantObserver is told when a job begins or ceases to want room of a pool: when the number of tasks
// that may start now changes between zero and more. Orders keep exactly the jobs that want room.
type WantObserver interface {
	Wants(now model.Time, j *cluster.Job, pool int, wants bool)
}

// KindObserver is told when a job may have begun or ceased to want tasks of one kind, where maps and reduces share room: it may
// want room all the same.
type KindObserver interface {
	KindsWanted(now model.Time, j *cluster.Job)
}

// TaskObserver is told when a task starts on a node, and when it ends or is killed.
type TaskObserver interface {
	TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID)
	TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool)
}

// AttemptObserver is told the same as TaskObserver, with the task itself and, at its end, since when it has
// run: for policies that measure how long tasks take.
type AttemptObserver interface {
	AttemptStarted(now model.Time, j *cluster.Job, t model.Task, node model.NodeID)
	AttemptEnded(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, since model.Time, done bool)
}

// DoubleObserver is told when a running task becomes pending for a second attempt. That it no longer is,
// because the first has ended, it is not told.
type DoubleObserver interface {
	TaskDoubled(now model.Time, j *cluster.Job, t model.Task)
}

// LengthObserver is told how long a task worked that has just ended, before TaskEnded: without the
// time in which a reduce merely held its room.
type LengthObserver interface {
	TaskRan(now model.Time, j *cluster.Job, k model.Kind, length model.Time)
}

// OutputObserver is told how much data a map has made for the reduces of its job, when it has ended and when
// its output is lost with its node.
type OutputObserver interface {
	MapMade(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes)
	MapLost(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes)
}

// LinkObserver is told when the racks' links have been sampled. It reports whether room that was declined
// should be offered again.
type LinkObserver interface {
	LinksSampled(now model.Time) bool
}

// SlowStarter names the share of a job's maps that must have ended before its reduces may start, in place of
// one number for all jobs. It is asked when the job is admitted and whenever a map of it has ended, until
// that share is reached.
type SlowStarter interface {
	SlowStart(j *cluster.Job) model.Fraction
}

// ShuffleGate says when the reduces of a job may begin to fetch what its maps made in other racks. Without it
// they fetch as soon as there is something for them; what was made in their own rack is never held back.
type ShuffleGate interface {
	// Aggregates reports whether all that the job sends from one rack to another is one flow; otherwise each
	// reduce has a flow of its own. The answer stays the same while the job is there.
	Aggregates(j *cluster.Job) bool
	// MayFetch reports whether the reduces in one rack may begin to fetch from another. It is asked when
	// there is something to fetch; after a refusal again when more map output is released, when a reduce of the
	// job starts in the rack, when the last of its reduces has started and when its last map has ended.
	// After a yes it is not asked again for these racks. It must not refuse when all reduces of the job have started.
	// With a refusal it may name a time at which it is to be asked again although nothing has happened; model.Forever is none.
	MayFetch(now model.Time, j *cluster.Job, f RackFlow) (may bool, again model.Time)
}

// RackFlow is what a job sends from one rack to another.
type RackFlow struct {
	From, To model.RackID
	// Bytes is what the reduces that have started in To will get from the maps that have started in From. Maps that
	// run are taken to make as much as those that have ended.
	Bytes model.Bytes
}

// MapDelayer holds maps back although there is room for them, so that the job's reduces need not make way there.
type MapDelayer interface {
	// DelaysMaps reports whether nodes of the rack start no maps of the job at this time, whatever room they have.
	DelaysMaps(j *cluster.Job, rack model.RackID) bool
}

// Confiner keeps jobs to some of the nodes. Without it a job may use all of them.
type Confiner interface {
	// Reach returns the free room of the nodes that the job may use.
	Reach(j *cluster.Job) [model.Dims]int64
}

// Partitioner keeps jobs off some of the nodes. Without it a job may use all of them.
type Partitioner interface {
	// Allows reports whether the job may use the node, if it has room.
	Allows(j *cluster.Job, node model.NodeID) bool
}

// Restarter makes jobs begin anew: what runs of such a job is killed, and what was done is lost. Without it jobs keep
// their work.
type Restarter interface {
	// NextRestart returns a job that is to begin anew, or nil. It is asked after each Pick until it returns nil. If
	// there was such a job, what Pick chose is not started, and room is offered again when the job has lost its work.
	NextRestart() *cluster.Job
}

// Foreseer says which jobs it will serve next, so that whoever drives it can have them at hand. Nothing but time depends on
// it: it may be wrong.
type Foreseer interface {
	// Foresee tells who is served next from a pool of room, one after the other, if nothing changes but by that: as many jobs as
	// there are seats, or none. They may be in the seats that it is given or elsewhere, and are valid until something changes. A job
	// is named by its slot and, as its tie, its ID: to look at it takes time if nobody did for long. The last two are there; of those
	// before them some may have been served before, or have left.
	Foresee(pool int, seats []keyed.Seat) []keyed.Seat
}

// Estimator keeps estimates of when jobs with goals will end. Whoever wants the same ones reads these.
type Estimator interface {
	Estimates() *goal.Watch
}

// Choosy says that jobs may decline room though they want some, so that the next one is asked.
type Choosy interface {
	// Asked returns how many jobs are asked at an offer, in most cases, until one accepts it.
	Asked() int
}

// Admitter decides which submitted job may start. Without it every job is admitted at once.
type Admitter interface {
	JobSubmitted(now model.Time, j *cluster.Job)
	// NextAdmitted returns a submitted job that may start now. If there is none, it returns the
	// first that waits and the limit that holds it back. It is asked again after each submission,
	// end and tick.
	NextAdmitted(now model.Time) (admitted, held *cluster.Job, limit model.Limit)
}

// Refuser is an Admitter that turns some jobs away for good. It is asked about each job before
// JobSubmitted, which is then not called for a job that is refused.
type Refuser interface {
	Refuses(now model.Time, j *cluster.Job) (limit model.Limit, refused bool)
}

// Ticker is called at the time that its last call returned (first at time 0); after model.Forever its
// clock stands still, and it is called again when a job is submitted or ends, before admission is asked.
type Ticker interface {
	Tick(now model.Time) (next model.Time)
}

// Ranker lists the jobs that want room of a pool, in the order in which they would be served.
type Ranker interface {
	Rank(pool int) []model.JobID
}

// DataPlacer has a say in where the blocks of input files are put.
type DataPlacer interface {
	Placement() hdfs.Placement
}
