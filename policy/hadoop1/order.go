// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// Order is the order of the Capacity Scheduler, with its limits by queue and user. Occupied room,
// users with tasks to start and the order of queues and jobs are kept up to date by what the observers
// are told; an offer looks at the queues that want room in order and, in each, at users in the order of
// their first job, until one may be served.
type Order struct {
	*Book
	slots    bool
	order    [model.Kinds]keyed.Stable // queues by use over capacity, by pool
	fullness [model.Kinds]func(queue int32) float64
	settled  int // version of the limits that the order goes by
	beat     given

	offer *policy.Offer // of the iteration; nil for one over all jobs
	full  bool          // the heartbeat may be given nothing more
	queue int32         // of the iteration, -1 at its end
	merge merging       // of the iteration in the queue
	skip  bool          // the iteration leaves out the other jobs of the user
	asked bool          // a job of the queue was kept from the offer by something else than its user's limit
	shut  [model.Kinds]shutQueues
}

// given is what the current heartbeat has been given beside what the offer says.
type given struct {
	sequence int64
	after    int32 // maps since the first one off-switch
}

var (
	_ kit.Order           = (*Order)(nil)
	_ kit.Aimer           = (*Order)(nil)
	_ kit.Limiter         = (*Order)(nil)
	_ kit.Passer          = (*Order)(nil)
	_ policy.JobObserver  = (*Order)(nil)
	_ policy.TaskObserver = (*Order)(nil)
)

// New returns the order for the environment; its book is shared with the admission.
func New(env *policy.Env, b *Book) *Order {
	c := &Order{Book: b, slots: env.Cluster.Topology.Model == model.Slots,
		merge: merging{b: b}}
	for pool := range c.fullness {
		c.shut[pool] = shutQueues{book: b, order: &c.order[pool], pool: pool}
		if c.thesis {
			c.fullness[pool] = c.waitingTasks(pool)
			continue
		}
		c.fullness[pool] = func(queue int32) float64 {
			q := &b.queues[queue]
			if q.limits.Capacity[pool] == 0 { // a queue without capacity counts as full
				return 1
			}
			return float64(q.pools[pool].occupied) / float64(q.limits.Capacity[pool])
		}
	}
	return c
}

// Aim implements kit.Aimer.
func (c *Order) Aim(o *policy.Offer) policy.Scope {
	c.offer, c.full = o, false
	if o == nil {
		return policy.Everywhere
	}
	if c.room != c.cluster.Total { // nodes have come, were lost or have returned
		c.setRoom()
	}
	if c.beat.sequence != o.Beat.Sequence {
		c.beat = given{sequence: o.Beat.Sequence}
	}
	if c.full = c.beatFull(o); c.full {
		return policy.Here
	}
	return policy.Everywhere
}

// beatFull reports whether the heartbeat may be given no more from this pool: at most one reduce;
// maps up to their number, and after one off-switch only a few more. A node that asks as soon as it
// has room has no heartbeats to limit.
func (c *Order) beatFull(o *policy.Offer) bool {
	if !o.Beat.Periodic {
		return false
	}
	maps, reduces := o.Beat.Tasks[model.Map], o.Beat.Tasks[model.Reduce]
	stopReduces := reduces >= 1
	stopMaps := maps >= 1 && int(maps) >= c.params.MaximumTasksPerHeartbeat ||
		o.Beat.OffSwitch > 0 && int(c.beat.after) >= c.params.MaximumTasksAfterOffswitch
	if c.slots {
		return o.Pool == int(model.Map) && stopMaps || o.Pool == int(model.Reduce) && stopReduces
	}
	return stopMaps || stopReduces
}

// Passed implements kit.Passer.
func (c *Order) Passed(o *policy.Offer, _ *cluster.Job, k model.Kind) {
	c.shut[o.Pool].tell(o)
	if k == model.Map && o.Beat.OffSwitch > 0 {
		c.beat.after++
	}
}

// First implements kit.Order.
func (c *Order) First(pool int) *cluster.Job {
	if c.full {
		return nil
	}
	c.grow()
	if c.shut[pool].hide(); c.offer == nil {
		c.shut[pool].reopenAll()
	}
	c.order[pool].Settle(c.fullness[pool])
	c.queue = c.order[pool].First()
	return c.enter(pool)
}

// Next implements kit.Order.
func (c *Order) Next(pool int) *cluster.Job {
	if c.queue < 0 {
		return nil
	}
	var j *cluster.Job
	if c.skip {
		c.skip = false
		j = c.merge.nextUser()
	} else {
		c.asked = true
		j = c.merge.next()
	}
	if j != nil {
		return j
	}
	if c.offer != nil && !c.asked && !c.thesis { // the thesis has a handful of queues
		c.shut[pool].note(c.queue)
	}
	c.queue = c.order[pool].Next()
	return c.enter(pool)
}

// enter returns the first job of the iteration's queue, or of the next one that is not at its maximum.
func (c *Order) enter(pool int) *cluster.Job {
	c.skip, c.asked = false, false
	for ; c.queue >= 0; c.queue = c.order[pool].Next() {
		q := &c.queues[c.queue]
		if most := c.maximum(q, pool); c.offer != nil && c.slots && most > 0 && q.pools[pool].occupied+1 > most {
			c.tellQueue(c.offer, q, model.LimitQueueMax)
			continue
		}
		return c.merge.first(q, pool)
	}
	if c.offer != nil {
		c.shut[pool].tell(c.offer)
	}
	return nil
}

// grow takes in queues that have been added and limits that have changed.
func (c *Order) grow() {
	if c.settled != c.version {
		c.takeIn()
	}
}

func (c *Order) takeIn() {
	c.settled = c.version
	for pool := range c.order {
		for id := range c.queues {
			if id < c.order[pool].Added() {
				c.shut[pool].reopen(int32(id))
				c.order[pool].Changed(int32(id))
			} else {
				c.order[pool].Add()
			}
		}
	}
}

// May implements kit.Limiter.
func (c *Order) May(o *policy.Offer, j *cluster.Job, k model.Kind) kit.Verdict {
	if k == model.Reduce && j.Wants(model.Map) > 0 && c.mapsFirst(j, model.Map) {
		return kit.OtherKind
	}
	job, acc, q := c.of(j)
	p, l := &q.pools[o.Pool], &q.limits
	most, need := c.maximum(q, o.Pool), int64(j.Need[k][o.Pool])
	held, limit := acc.pools[o.Pool].occupied, c.userLimit(l, o.Pool, need, p)
	alone := !c.slots && held == 0 // beside slots, a task larger than a limit may run alone
	switch {
	case most > 0 && p.occupied+need > most && !c.mapsFirst(j, k) && !(alone && p.occupied == 0):
		o.Blocked(j, model.LimitQueueMax)
		return kit.PassedOver
	case held+need > limit && !c.mapsFirst(j, k) && !alone:
		c.tellUser(o, job.account, model.LimitUser)
		c.skip = c.slots && need == 1 // all their jobs have the same limit
		return kit.PassedOver
	}
	return kit.Granted
}

// mapsFirst reports whether the task is free of limits: where maps and reduces share room, which
// Hadoop 1 does not know, reduces may hold all that a user or queue may have while they wait for maps;
// then one map of the job may run at a time in spite of the limits.
func (c *Order) mapsFirst(j *cluster.Job, k model.Kind) bool {
	return !c.slots && k == model.Map && j.Running[model.Reduce] > 0 && j.Running[model.Map] == 0
}

// JobAdmitted implements policy.JobObserver: the job is initialised.
func (c *Order) JobAdmitted(_ model.Time, j *cluster.Job) {
	c.enlist(j)
	c.jobs.Of(j).admitted = true
	c.updatePending(j)
}

// JobEnded implements policy.JobObserver.
func (c *Order) JobEnded(_ model.Time, j *cluster.Job) {
	job, _, q := c.of(j)
	job.admitted = false
	q.jobs--
	c.updatePending(j)
}

// Wants implements policy.WantObserver.
func (c *Order) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	job, acc, q := c.of(j)
	use := &acc.pools[pool]
	if job.wants[pool] = wants; wants {
		use.wanting.Set(j, job.key)
		c.mustTell(j, pool)
	} else {
		use.wanting.Remove(j)
	}
	p := &q.pools[pool]
	if use.wanting.Len() == 0 {
		p.users.Remove(acc.number)
	} else {
		_, key := use.wanting.Top()
		p.users.Set(acc.number, key)
	}
	if p.head = nil; p.users.Len() > 0 {
		number, _ := p.users.Top()
		p.first = q.accounts[number]
		p.head = c.accounts[p.first].pools[pool].wanting.Head()
	}
	c.grow()
	c.shut[pool].reopen(job.queue)
	c.order[pool].Show(job.queue, p.head != nil)
	c.updatePending(j)
}

// TaskStarted implements policy.TaskObserver.
func (c *Order) TaskStarted(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID) {
	pool := c.pool(k)
	job := c.use(j, k, pool, 1)
	if j.Pending(k) == 0 || !job.pending[pool] || c.thesis {
		c.updatePending(j)
	}
	if !job.untold[pool] && job.wants[pool] { // what kept the job from this room has ended
		c.mustTell(j, pool)
	}
}

// TaskEnded implements policy.TaskObserver.
func (c *Order) TaskEnded(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID, done bool) {
	c.use(j, k, c.pool(k), -1)
	if !done { // it is to start again
		c.updatePending(j)
	}
}

// use adds a task to the room of a pool in use, or takes it off, and returns what is kept about its job.
func (c *Order) use(j *cluster.Job, k model.Kind, pool int, sign int64) *jobState {
	job, acc, q := c.of(j)
	room, p := sign*int64(j.Need[k][pool]), &q.pools[pool]
	acc.pools[pool].occupied += room
	p.occupied += room
	c.grow()
	if p.shut != open {
		c.shut[pool].reopen(job.queue)
	}
	c.order[pool].Changed(job.queue)
	return job
}

// updatePending keeps the number of active users: those with a running job that has tasks to start.
// Reduces count before slow start lets them go.
func (c *Order) updatePending(j *cluster.Job) {
	job, acc, q := c.of(j)
	if c.thesis {
		c.countUnstarted(j, job)
	}
	var pending [model.Kinds]bool
	if job.admitted {
		for k := range model.Kind(model.Kinds) {
			if j.Pending(k) > 0 {
				pending[c.pool(k)] = true
			}
		}
	}
	for pool, is := range pending {
		if is == job.pending[pool] {
			continue
		}
		job.pending[pool] = is
		c.shut[pool].reopen(job.queue)
		p := &q.pools[pool]
		if is {
			if acc.pools[pool].pending++; acc.pools[pool].pending == 1 {
				p.active++
			}
		} else if acc.pools[pool].pending--; acc.pools[pool].pending == 0 {
			p.active--
		}
	}
}
