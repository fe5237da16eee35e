// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// mustTell notes that the job has not been told why it waits. Each job is told once between two of
// its starts, so telling costs O(1) per start.
func (c *Order) mustTell(j *cluster.Job, pool int) {
	job := c.jobs.Of(j)
	if job.untold[pool] {
		return
	}
	job.untold[pool] = true
	_, acc, q := c.of(j)
	c.shut[pool].reopen(job.queue)
	use := &acc.pools[pool]
	if len(use.untold) == cap(use.untold) { // amortised: the list grows no longer than the jobs that are there
		use.untold = slices.DeleteFunc(use.untold, func(j *cluster.Job) bool { return j.Phase == cluster.Ended })
	}
	use.untold = append(use.untold, j)
	if !use.listed {
		use.listed = true
		q.pools[pool].untold = append(q.pools[pool].untold, job.account)
	}
}

// tellUser tells the jobs of an account that the limit holds them back; the first is always told.
func (c *Order) tellUser(o *policy.Offer, account int32, limit model.Limit) {
	use := &c.accounts[account].pools[o.Pool]
	if j := use.wanting.Head(); j != nil {
		o.Blocked(j, limit)
	}
	for _, j := range use.untold {
		if j.Phase == cluster.Ended {
			continue
		}
		job := c.jobs.Of(j)
		job.untold[o.Pool] = false
		if job.wants[o.Pool] {
			o.Blocked(j, limit)
		}
	}
	use.untold = use.untold[:0]
}

// tellQueue does the same for all jobs of a queue.
func (c *Order) tellQueue(o *policy.Offer, q *queueState, limit model.Limit) {
	p := &q.pools[o.Pool]
	if p.head != nil {
		c.tellUser(o, p.first, limit)
	}
	for _, a := range p.untold {
		c.accounts[a].pools[o.Pool].listed = false
		c.tellUser(o, a, limit)
	}
	p.untold = p.untold[:0]
}
