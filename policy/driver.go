// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/model"
)

// Driver calls a policy. It finds the optional interfaces of the policy, or of the parts that it is
// made of, once, and owns the order in which they are called; the engine, a live cluster, the
// conformance suite and tests by hand all use it. The cluster's state has changed before a call.
//
// Before anything else Planner, if the policy is one, is handed the forecasts that its entry needs. The life of
// a job is
//
//	Submit         Refuses; unless refused JobSubmitted, then clocks that stand still tick
//	NextAdmitted   until it returns no job; each job that it returns is admitted by the caller
//	Admitted       JobAdmitted
//	Wants          whenever it begins or ceases to want room of a pool
//	Kinds          KindsWanted, whenever it may have begun or ceased to want tasks of one kind; after Wants
//	Started        TaskStarted, then AttemptStarted
//	Doubled        TaskDoubled when a running task is to have a second attempt
//	NextRestart    a job that begins anew: Ended for each task that runs, Lost for each map that is done, Wants
//	Ended          TaskRan (if the task is done), TaskEnded, AttemptEnded
//	Gate           MayFetch when a reduce has something to fetch from another rack
//	Made, Lost     MapMade after the end of a map, MapLost when its output is lost; then SlowStart
//	Left           JobEnded, then stores forget it, then clocks that stand still tick
//
// A job that is refused leaves without Admitted and Left. A driver is for one policy and one cluster.
type Driver struct {
	// Watcher, if set, is told before and after every call of the policy. For tests.
	Watcher Watcher
	// Gate asks the policy when reduces may fetch, nil if it has no say.
	Gate *Gate
	// Planner is the part of the policy that plans recurring jobs, nil if it has none.
	Planner Planner
	// HearsOutput is whether the policy wants to be told what maps make.
	HearsOutput bool
	// Kinds tells the policy which kinds of tasks jobs want, nil if it does not ask or not all share room.
	Kinds *Kinds
	// Confiner says which room jobs may use, nil if all of it.
	Confiner Confiner
	// Partitioner says which nodes jobs may use, nil if all of them.
	Partitioner Partitioner
	// Restarter says which jobs begin anew, nil if none ever does.
	Restarter Restarter
	// Foreseer says which jobs come next, nil if nobody knows.
	Foreseer Foreseer
	// Asked is how many of them are asked at an offer, in most cases, until one accepts it.
	Asked int
	// Estimates is what the policy expects of jobs with goals, nil if it does not estimate.
	Estimates *goal.Watch
	// Delayer says where maps are held back although there is room, nil if nowhere.
	Delayer MapDelayer

	env      *Env
	policy   Policy
	jobs     []JobObserver
	wants    []WantObserver
	tasks    TaskObserver    // nil if no part is one
	attempts AttemptObserver // nil if no part is one
	doubles  []DoubleObserver
	lengths  []LengthObserver
	outputs  []OutputObserver
	links    []LinkObserver
	starter  SlowStarter
	clocks   []clock
	ranker   Ranker
	data     hdfs.Placement
	admitter Admitter
	refuser  Refuser
	waiting  []*cluster.Job // without an admitter: submitted and not admitted
}

// Watcher stands beside a driver. A call is named after the method of the optional interface.
type Watcher interface {
	Before(call string, now model.Time)
	After(call string, now model.Time)
}

// clock is a part that ticks.
type clock struct {
	Ticker
	next model.Time // Forever if it stands still
}

// Whole is implemented by a policy that is made of parts, such as roles. The driver looks for the
// optional interfaces in the parts, in this order, instead of the policy itself.
type Whole interface {
	Parts() []any
}

// Drive returns the driver of a policy that was built on the environment.
func Drive(env *Env, p Policy) *Driver {
	d := &Driver{env: env, policy: p, Asked: 1}
	parts := []any{p}
	if w, ok := p.(Whole); ok {
		parts = w.Parts()
	}
	for _, part := range parts {
		d.add(part)
	}
	return d
}

// add resolves the optional interfaces of a part.
func (d *Driver) add(part any) {
	if o, ok := part.(JobObserver); ok {
		d.jobs = append(d.jobs, o)
	}
	if o, ok := part.(WantObserver); ok {
		d.wants = append(d.wants, o)
	}
	if o, ok := part.(KindObserver); ok && d.env.Cluster.Topology.Model.Pools() == 1 {
		if d.Kinds == nil {
			d.Kinds = &Kinds{driver: d}
		}
		d.Kinds.to = append(d.Kinds.to, o)
	}
	if o, ok := part.(TaskObserver); ok {
		d.tasks = bothTasks(d.tasks, o)
	}
	if o, ok := part.(AttemptObserver); ok {
		d.attempts = bothAttempts(d.attempts, o)
	}
	if o, ok := part.(DoubleObserver); ok {
		d.doubles = append(d.doubles, o)
	}
	if o, ok := part.(LengthObserver); ok {
		d.lengths = append(d.lengths, o)
	}
	if o, ok := part.(OutputObserver); ok {
		d.outputs = append(d.outputs, o)
		d.HearsOutput = true
	}
	if o, ok := part.(LinkObserver); ok {
		d.links = append(d.links, o)
	}
	if s, ok := part.(SlowStarter); ok && d.starter == nil {
		d.starter = s
	}
	if p, ok := part.(Planner); ok && d.Planner == nil {
		d.Planner = p
	}
	if g, ok := part.(ShuffleGate); ok && d.Gate == nil {
		d.Gate = &Gate{g, d}
	}
	if m, ok := part.(MapDelayer); ok && d.Delayer == nil {
		d.Delayer = m
	}
	if c, ok := part.(Confiner); ok && d.Confiner == nil {
		d.Confiner = c
	}
	if p, ok := part.(Partitioner); ok && d.Partitioner == nil {
		d.Partitioner = p
	}
	if r, ok := part.(Restarter); ok && d.Restarter == nil {
		d.Restarter = r
	}
	if f, ok := part.(Foreseer); ok && d.Foreseer == nil {
		d.Foreseer = f
	}
	if e, ok := part.(Estimator); ok && d.Estimates == nil {
		d.Estimates = e.Estimates()
	}
	if c, ok := part.(Choosy); ok {
		d.Asked = c.Asked()
	}
	if t, ok := part.(Ticker); ok {
		d.clocks = append(d.clocks, clock{Ticker: t})
	}
	if r, ok := part.(Ranker); ok && d.ranker == nil {
		d.ranker = r
	}
	if p, ok := part.(DataPlacer); ok && d.data == nil {
		d.data = p.Placement()
	}
	if a, ok := part.(Admitter); ok && d.admitter == nil {
		d.admitter = a
		d.refuser, _ = part.(Refuser)
	}
}

func (d *Driver) before(call string, now model.Time) {
	if d.Watcher != nil {
		d.Watcher.Before(call, now)
	}
}

func (d *Driver) after(call string, now model.Time) {
	if d.Watcher != nil {
		d.Watcher.After(call, now)
	}
}

// Can returns what the policy implements of what its entry may declare: ranking and admitting jobs,
// placing data, slow start, when reduces fetch.
func (d *Driver) Can() (can Can) {
	if d.ranker != nil {
		can |= CanRank
	}
	if d.admitter != nil {
		can |= CanAdmit
	}
	if d.data != nil {
		can |= CanPlaceData
	}
	if d.starter != nil {
		can |= CanSlowStart
	}
	if d.Gate != nil {
		can |= CanGateShuffle
	}
	return can
}

// Placement returns where blocks are put, nil for HDFS's default.
func (d *Driver) Placement() hdfs.Placement { return d.data }

// Pick asks the policy for the next task for the offered room.
func (d *Driver) Pick(o *Offer) (decision Decision) {
	d.before("Pick", o.Now)
	decision = d.policy.Pick(o)
	d.after("Pick", o.Now)
	return decision
}

// Rank lists the jobs that want room of a pool in the order in which they would be served, nil if the
// policy has none.
func (d *Driver) Rank(pool int) []model.JobID {
	if d.ranker == nil {
		return nil
	}
	return d.ranker.Rank(pool)
}

// Submit tells of a job that has come. If it is refused, the limit says why, and the job must leave.
func (d *Driver) Submit(now model.Time, j *cluster.Job) (limit model.Limit, refused bool) {
	if d.refuser != nil {
		d.before("Refuses", now)
		limit, refused = d.refuser.Refuses(now, j)
		d.after("Refuses", now)
		if refused {
			d.env.forget(j)
			return limit, true
		}
	}
	if d.admitter != nil {
		d.before("JobSubmitted", now)
		d.admitter.JobSubmitted(now, j)
		d.after("JobSubmitted", now)
	} else {
		d.waiting = append(d.waiting, j)
	}
	d.wake(now)
	return 0, false
}

// NextAdmitted returns a submitted job that may start now. If there is none, it returns the first that
// waits and the limit that holds it back, if there is such a job. It is asked after each submission,
// tick and end of a job, until it returns no job to admit.
func (d *Driver) NextAdmitted(now model.Time) (admitted, held *cluster.Job, limit model.Limit) {
	if d.admitter != nil {
		d.before("NextAdmitted", now)
		admitted, held, limit = d.admitter.NextAdmitted(now)
		d.after("NextAdmitted", now)
		return admitted, held, limit
	}
	if len(d.waiting) > 0 {
		admitted = d.waiting[0]
		d.waiting = slices.Delete(d.waiting, 0, 1)
	}
	return admitted, nil, 0
}

// Admitted tells that a job may be given room.
func (d *Driver) Admitted(now model.Time, j *cluster.Job) {
	d.before("JobAdmitted", now)
	for _, o := range d.jobs {
		o.JobAdmitted(now, j)
	}
	d.after("JobAdmitted", now)
}

// Left tells that a job has ended, and lets stores forget it.
func (d *Driver) Left(now model.Time, j *cluster.Job) {
	d.before("JobEnded", now)
	for _, o := range d.jobs {
		o.JobEnded(now, j)
	}
	d.after("JobEnded", now)
	d.env.forget(j)
	d.wake(now)
}

// Wants tells that a job begins or ceases to want room of a pool.
func (d *Driver) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	d.before("Wants", now)
	for _, o := range d.wants {
		o.Wants(now, j, pool, wants)
	}
	d.after("Wants", now)
}

// Started tells that a task has started on a node.
func (d *Driver) Started(now model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	if d.tasks != nil {
		d.before("TaskStarted", now)
		d.tasks.TaskStarted(now, j, t.Kind, node)
		d.after("TaskStarted", now)
	}
	if d.attempts != nil {
		d.before("AttemptStarted", now)
		d.attempts.AttemptStarted(now, j, t, node)
		d.after("AttemptStarted", now)
	}
}

// Doubled tells that a running task is pending for a second attempt.
func (d *Driver) Doubled(now model.Time, j *cluster.Job, t model.Task) {
	if len(d.doubles) == 0 {
		return
	}
	d.before("TaskDoubled", now)
	for _, o := range d.doubles {
		o.TaskDoubled(now, j, t)
	}
	d.after("TaskDoubled", now)
}

// Done tells that a task has ended on a node, its work done: one of which Started told at the time since. length is how long it
// worked.
func (d *Driver) Done(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, since, length model.Time) {
	if len(d.lengths) > 0 {
		d.before("TaskRan", now)
		for _, o := range d.lengths {
			o.TaskRan(now, j, t.Kind, length)
		}
		d.after("TaskRan", now)
	}
	d.ended(now, j, t, node, since, true)
}

// Killed tells that an attempt, of which Started told at the time since, has ended without its work done.
func (d *Driver) Killed(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, since model.Time) {
	d.ended(now, j, t, node, since, false)
}

func (d *Driver) ended(now model.Time, j *cluster.Job, t model.Task, node model.NodeID, since model.Time, done bool) {
	if d.tasks != nil {
		d.before("TaskEnded", now)
		d.tasks.TaskEnded(now, j, t.Kind, node, done)
		d.after("TaskEnded", now)
	}
	if d.attempts != nil {
		d.before("AttemptEnded", now)
		d.attempts.AttemptEnded(now, j, t, node, since, done)
		d.after("AttemptEnded", now)
	}
}

// Made tells how much data a map of a job that has reduces has made.
func (d *Driver) Made(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	if len(d.outputs) == 0 {
		return
	}
	d.before("MapMade", now)
	for _, o := range d.outputs {
		o.MapMade(now, j, index, node, output)
	}
	d.after("MapMade", now)
}

// Lost tells that this output is lost with its node; the map is pending again.
func (d *Driver) Lost(now model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	if len(d.outputs) == 0 {
		return
	}
	d.before("MapLost", now)
	for _, o := range d.outputs {
		o.MapLost(now, j, index, node, output)
	}
	d.after("MapLost", now)
}

// LinksSampled tells that the racks' links have been sampled, and reports whether free room should be
// offered again.
func (d *Driver) LinksSampled(now model.Time) (again bool) {
	d.before("LinksSampled", now)
	for _, o := range d.links {
		again = o.LinksSampled(now) || again
	}
	d.after("LinksSampled", now)
	return again
}

// SlowStart returns the share of the job's maps that must have ended before its reduces may start, if the
// policy names it.
func (d *Driver) SlowStart(j *cluster.Job) (share model.Fraction, named bool) {
	if d.starter == nil {
		return 0, false
	}
	return d.starter.SlowStart(j), true
}

// Ahead implements ahead.Keeper, for what the policy keeps about jobs.
func (d *Driver) Ahead(slot int32) { ahead.Items(d.env.rows, slot) }

// Tick lets the clocks tick that are due. It is called at the times that Next returns, first at time 0,
// and NextAdmitted after it.
func (d *Driver) Tick(now model.Time) {
	for i := range d.clocks {
		if d.clocks[i].next <= now {
			d.clocks[i].tick(now, d)
		}
	}
}

// wake lets the clocks tick that stand still: a job was submitted or has ended.
func (d *Driver) wake(now model.Time) {
	for i := range d.clocks {
		if d.clocks[i].next == model.Forever {
			d.clocks[i].tick(now, d)
		}
	}
}

func (c *clock) tick(now model.Time, d *Driver) {
	d.before("Tick", now)
	c.next = c.Ticker.Tick(now)
	d.after("Tick", now)
	if c.next != model.Forever {
		c.next = max(c.next, now+1)
	}
}

// Next returns when Tick is to be called, Forever if no clock waits for a time.
func (d *Driver) Next() model.Time {
	next := model.Forever
	for i := range d.clocks {
		next = min(next, d.clocks[i].next)
	}
	return next
}
