// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// The simulator of capacity-2013 reads four rules of the release in its own way. Each is a sentence of the thesis,
// or what its results say where the sentence leaves it open. One slot is within every limit: otherwise a small queue
// would never run anything.

// full reports whether a queue or a user may have no more jobs initialised. The thesis asks whether there are more than the limit
// says (§3.3.2), the release whether there are as many. What the poller of the thesis chooses is initialised at once: there it is the
// poller that "initializes the jobs", and workers are part of the release alone (§2.1.3).
func (w *Admit) full(jobs, limit int) bool { return jobs > limit || jobs == limit && !w.thesis }

// maximum is what a queue may use at most; 0 or less is no limit. "The admissibility criterion requires the queue's
// new slot usage (old slot usage + 1) to be less than the Maximum-Capacity of the queue" (§3.3.2): one slot less
// than in the release. Reduces are not held by it: with four users at a time experiments 6 and 8 take no longer with one
// than 4 and 7 without (table 6.5).
func (c *Order) maximum(q *queueState, pool int) int64 {
	most := q.limits.Maximum[pool]
	if c.params.LendEmpty && most > 0 {
		most += c.lent(q, pool)
	}
	switch {
	case !c.thesis || most <= 0:
		return most
	case pool == int(model.Reduce):
		return 0
	}
	return max(most-1, 1)
}

// lent is the capacity of the other queues that have no jobs left, "allowing large jobs to use the small jobs queue
// capacity when the small job's queue does not have any more jobs" (§7.3.2).
func (c *Order) lent(q *queueState, pool int) (slots int64) {
	for i := range c.queues {
		if other := &c.queues[i]; other != q && other.jobs == 0 {
			slots += other.limits.Capacity[pool]
		}
	}
	return slots
}

// userLimit is what a user may use at most. User-limit-factor times the capacity is read as the maximum is, "less
// than": the low response ratio of type 4 in experiment 1 "is an artifact of delayed map execution" (§6.1.2), which
// needs a slot that the first user's limit leaves to the second, and does not show with a factor of 2. "The user and queue
// limit are checked for each job" (§3.3.2): reduces are held by it too, unless the settings say otherwise.
func (c *Order) userLimit(l *Limits, pool int, need int64, p *poolState) int64 {
	limit := l.UserLimit(pool, need, p.occupied, p.active)
	switch {
	case !c.thesis:
		return limit
	case pool == int(model.Reduce) && c.params.FreeReduces:
		return math.MaxInt64 / 2
	}
	return max(min(limit, int64(float64(l.Capacity[pool])*l.UserLimitFactor)-1), need)
}

// waitingTasks orders queues by the tasks that their initialised jobs have not started, over the capacity, most first.
// "The queues are sorted according to the number of running tasks in the queue/queue capacity" (§3.3.2) says neither in
// which direction nor which tasks; a queue's data has running tasks beside occupied slots (§3.3.1). Of the readings that
// were tried (occupied slots, rising and falling; slots without the capacity; tasks that have not ended) this one
// alone gives what the thesis sees without a maximum: equal queues share evenly (§6.1.4), the queue of 30 % takes room
// from the queue of 70 % (§6.2.2), and long jobs take the room of the short jobs' queues until most of them have finished
// (§6.4.2).
func (c *Order) waitingTasks(pool int) func(int32) float64 {
	return func(queue int32) float64 {
		q := &c.queues[queue]
		return 1 / (1 + float64(q.pools[pool].unstarted)/float64(max(q.limits.Capacity[pool], 1)))
	}
}

// countUnstarted keeps the number of tasks that the queue's initialised jobs have not started.
func (c *Order) countUnstarted(j *cluster.Job, job *jobState) {
	for k := range model.Kind(model.Kinds) {
		now := int32(0)
		if job.admitted {
			now = j.Pending(k)
		}
		if now == job.unstarted[k] {
			continue
		}
		pool := c.pool(k)
		c.queues[job.queue].pools[pool].unstarted += int64(now - job.unstarted[k])
		job.unstarted[k] = now
		c.grow()
		c.order[pool].Changed(job.queue)
	}
}
