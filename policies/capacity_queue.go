// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// capacityQueue is one queue.
type capacityQueue struct {
	config   CapacityQueue
	limits   CapacityLimits
	accounts []int32 // users that have had jobs here, numbered from 0 in order of appearance
	pools    [model.Kinds]capacityPool
	init     capacityCounts
	waiting  [model.Priorities][]*cluster.Job // submitted and not chosen by the poller, in order
}

// capacityPool is what a queue knows about one kind of room.
type capacityPool struct {
	occupied int64
	active   int      // users with tasks to start, eligible or not
	users    kit.Heap // users with a job that wants room, by their first such job
	untold   []int32  // accounts with jobs that have not been told why they wait
}

// capacityAccount is one user of one queue.
type capacityAccount struct {
	queue, number int32
	pools         [model.Kinds]capacityUse
	init          capacityCounts
}

// capacityUse is what one user of one queue has of one kind of room.
type capacityUse struct {
	occupied int64
	pending  int            // jobs with tasks to start
	wanting  kit.JobHeap    // jobs that want room, by priority and submission
	untold   []*cluster.Job // jobs that have not been told why they wait; some may have ended
	listed   bool           // in the untold of the queue
}

// capacityJob is what the policy keeps about a job.
type capacityJob struct {
	account  int32
	key      kit.Key
	chances  int32 // offers since the last local map
	wait     float64
	pending  [model.Kinds]bool
	untold   [model.Kinds]bool
	admitted bool
	held     bool // told that a limit on initialisation holds it
}

// enlist gives a submitted job its account and its place in the order of the queue.
func (c *capacity) enlist(j *cluster.Job) {
	queue := c.queue(j)
	q := &c.queues[queue]
	id := [2]int32{queue, j.User}
	a, ok := c.index[id]
	if !ok {
		a = int32(len(c.accounts))
		c.index[id] = a
		acc := capacityAccount{queue: queue, number: int32(len(q.accounts))}
		for pool := range acc.pools {
			acc.pools[pool].wanting.Cluster = c.cluster
		}
		c.accounts = append(c.accounts, acc)
		q.accounts = append(q.accounts, a)
	}
	job := c.jobs.Of(j)
	*job = capacityJob{account: a, key: kit.Key{Minor: c.waits.submitted}}
	if q.limits.SupportsPriority {
		job.key.Major = int64(j.Priority)
	}
	c.waits.submitted++
}

// JobAdmitted implements policy.JobObserver: the job is initialised.
func (c *capacity) JobAdmitted(_ model.Time, j *cluster.Job) {
	job := c.jobs.Of(j)
	job.admitted, job.wait = true, c.waitFactor(j)
	c.updatePending(j)
}

// JobEnded implements policy.JobObserver.
func (c *capacity) JobEnded(_ model.Time, j *cluster.Job) {
	c.jobs.Of(j).admitted = false
	c.updatePending(j)
	c.leaveInit(j)
}

// Wants implements policy.WantObserver.
func (c *capacity) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	job := c.jobs.Of(j)
	acc := &c.accounts[job.account]
	use := &acc.pools[pool]
	if wants {
		use.wanting.Set(j, job.key)
		c.mustTell(j, pool)
	} else {
		use.wanting.Remove(j)
	}
	users := &c.queues[acc.queue].pools[pool].users
	if use.wanting.Len() == 0 {
		users.Remove(acc.number)
	} else {
		_, key := use.wanting.Top()
		users.Set(acc.number, key)
	}
	c.updatePending(j)
}

// TaskStarted implements policy.TaskObserver.
func (c *capacity) TaskStarted(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID) {
	c.use(j, k, 1)
	job := c.jobs.Of(j)
	for pool := range c.order { // a start of either kind ends what held the job back
		if c.accounts[job.account].pools[pool].wanting.Has(j) {
			c.mustTell(j, pool)
		}
	}
}

// TaskEnded implements policy.TaskObserver.
func (c *capacity) TaskEnded(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID, _ bool) {
	c.use(j, k, -1)
}

// use adds a task to the room in use, or takes it off.
func (c *capacity) use(j *cluster.Job, k model.Kind, sign int64) {
	pool := c.pool(k)
	acc := &c.accounts[c.jobs.Of(j).account]
	room := sign * int64(j.Need[k][pool])
	acc.pools[pool].occupied += room
	c.queues[acc.queue].pools[pool].occupied += room
	c.moved[pool] = true
	c.updatePending(j)
}

// pool returns the pool that tasks of the kind draw from. Room is counted in its dimension of the
// same number: slots, containers or, under YARN, memory.
func (c *capacity) pool(k model.Kind) int { return c.cluster.Topology.Model.Pool(k) }

// updatePending keeps the number of active users: those with a running job that has tasks to start.
// Reduces count before slow start lets them go.
func (c *capacity) updatePending(j *cluster.Job) {
	job := c.jobs.Of(j)
	acc := &c.accounts[job.account]
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
		p := &c.queues[acc.queue].pools[pool]
		if is {
			if acc.pools[pool].pending++; acc.pools[pool].pending == 1 {
				p.active++
			}
		} else if acc.pools[pool].pending--; acc.pools[pool].pending == 0 {
			p.active--
		}
	}
}

// mustTell notes that the job has not been told why it waits. Each job is told once between two of
// its starts, so telling costs O(1) per start.
func (c *capacity) mustTell(j *cluster.Job, pool int) {
	job := c.jobs.Of(j)
	if job.untold[pool] {
		return
	}
	job.untold[pool] = true
	acc := &c.accounts[job.account]
	use := &acc.pools[pool]
	if len(use.untold) == cap(use.untold) { // amortised: the list grows no longer than the jobs that are there
		use.untold = slices.DeleteFunc(use.untold, func(j *cluster.Job) bool { return j.Phase == cluster.Ended })
	}
	use.untold = append(use.untold, j)
	if !use.listed {
		use.listed = true
		p := &c.queues[acc.queue].pools[pool]
		p.untold = append(p.untold, job.account)
	}
}

// tellUser tells the jobs of an account that the limit holds them back; the first is always told.
func (c *capacity) tellUser(o *policy.Offer, account int32, limit model.Limit) {
	use := &c.accounts[account].pools[o.Pool]
	if j := use.wanting.Head(); j != nil {
		o.Blocked(j, limit)
	}
	for _, j := range use.untold {
		if j.Phase == cluster.Ended {
			continue
		}
		c.jobs.Of(j).untold[o.Pool] = false
		if use.wanting.Has(j) {
			o.Blocked(j, limit)
		}
	}
	use.untold = use.untold[:0]
}

// tellQueue does the same for all jobs of a queue.
func (c *capacity) tellQueue(o *policy.Offer, q *capacityQueue, limit model.Limit) {
	p := &q.pools[o.Pool]
	if p.users.Len() > 0 {
		number, _ := p.users.Top()
		c.tellUser(o, q.accounts[number], limit)
	}
	for _, a := range p.untold {
		c.accounts[a].pools[o.Pool].listed = false
		c.tellUser(o, a, limit)
	}
	p.untold = p.untold[:0]
}

// sortQueues puts the queues of a pool in order of use over capacity; a queue without capacity counts
// as full. The sort is stable, so that ties keep the order that they had, and costs one comparison a
// queue that has not moved.
func (c *capacity) sortQueues(pool int) {
	if !c.moved[pool] {
		return
	}
	c.moved[pool] = false
	order := c.order[pool]
	for i := 1; i < len(order); i++ {
		for k := i; k > 0 && c.fullness(order[k-1], pool) > c.fullness(order[k], pool); k-- {
			order[k-1], order[k] = order[k], order[k-1]
		}
	}
}

func (c *capacity) fullness(queue int32, pool int) float64 {
	q := &c.queues[queue]
	if q.limits.Capacity[pool] == 0 {
		return 1
	}
	return float64(q.pools[pool].occupied) / float64(q.limits.Capacity[pool])
}

// Rank implements policy.Ranker: queue by queue, jobs in order; limits are left aside.
func (c *capacity) Rank(pool int) (ranked []model.JobID) {
	c.sortQueues(pool)
	var m capacityMerge
	for _, queue := range c.order[pool] {
		for j := m.first(c, &c.queues[queue], pool); j != nil; j = m.next() {
			ranked = append(ranked, j.ID)
		}
	}
	return ranked
}
