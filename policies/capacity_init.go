// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// capacityCounts are jobs and tasks of a queue, or of one user in it, that limits on initialisation
// look at.
type capacityCounts struct {
	jobs    int   // initialised or being initialised, and not ended
	tasks   int   // of these jobs, all of them until the job ends
	waiting int   // jobs that the poller has not chosen
	over    int64 // the round of the poller in which the user was at their limit
}

// capacityInit is how submitted jobs come to run: a poller looks at the queues every interval and
// chooses jobs within the limits; each queue has a worker that looks for chosen jobs every interval
// too, and initialises them. Both have a phase of their own, so that a job waits for up to two
// intervals even if no limit holds it.
type capacityInit struct {
	interval  model.Time
	poll      model.Time   // when the poller looks next
	work      []model.Time // when each worker looks next
	worker    []int32      // of each queue
	chosen    [][]*cluster.Job
	ready     []*cluster.Job // initialised, to be admitted
	held      []*cluster.Job // jobs that a limit holds back since the last round, not told yet
	first     *cluster.Job   // the first job that a limit held back in the last round
	changed   bool           // a job was submitted or has ended since the poller's last round
	submitted int64          // jobs so far
	round     int64          // rounds of the poller so far, each queue counted
}

func (w *capacityInit) init(seed uint64, p *CapacityParams) {
	phases := rng.New(seed, "init-poller")
	phase := func(i int) model.Time {
		return model.Time(phases.Uint64(uint64(i), 0, 0) % uint64(p.InitPollInterval))
	}
	workers := p.InitWorkerThreads
	if n := len(p.Queues); n > 0 {
		workers = min(workers, n)
	}
	w.interval, w.poll = p.InitPollInterval, phase(0)
	w.chosen = make([][]*cluster.Job, workers)
	for i := range workers {
		w.work = append(w.work, phase(i+1))
	}
}

// deal gives a queue to a worker: configured queues in contiguous blocks of equal size, the remainder
// one each from the first; others in turn.
func (w *capacityInit) deal(queue int32, configured int) {
	id, workers := int(queue), len(w.work)
	if configured == 0 {
		w.worker = append(w.worker, int32(id%workers))
		return
	}
	size, rest := configured/workers, configured%workers
	if worker := id / (size + 1); worker < rest {
		w.worker = append(w.worker, int32(worker))
	} else {
		w.worker = append(w.worker, int32(rest+(id-rest*(size+1))/size))
	}
}

// Refuses implements policy.Refuser: the checks of a submission, on the jobs that are there before it.
func (c *capacity) Refuses(_ model.Time, j *cluster.Job) (model.Limit, bool) {
	queue := c.queue(j)
	if queue == model.None { // there is no such queue
		return model.LimitInit, true
	}
	q := &c.queues[queue]
	l := &q.limits
	var user capacityCounts
	if a, ok := c.index[[2]int32{queue, j.User}]; ok {
		user = c.accounts[a].init
	}
	return model.LimitInit, desiredTasks(j) > l.MaximumActiveTasksOfUser ||
		q.init.waiting+q.init.jobs >= l.JobsToAccept || user.waiting+user.jobs >= l.JobsOfUserToAccept
}

// JobSubmitted implements policy.Admitter.
func (c *capacity) JobSubmitted(_ model.Time, j *cluster.Job) {
	c.enlist(j)
	job := c.jobs.Of(j)
	acc := &c.accounts[job.account]
	q := &c.queues[acc.queue]
	level := job.key.Major
	q.waiting[level] = append(q.waiting[level], j)
	q.init.waiting++
	acc.init.waiting++
	c.waits.changed = true
}

// NextAdmitted implements policy.Admitter.
func (c *capacity) NextAdmitted(model.Time) (admitted, held *cluster.Job, limit model.Limit) {
	w := &c.waits
	if len(w.ready) == 0 {
		return nil, w.first, model.LimitInit
	}
	admitted = w.ready[0]
	w.ready = w.ready[1:]
	return admitted, nil, 0
}

// Tick implements policy.Ticker: rounds of the poller and of the workers that are due. With nothing
// to do it sleeps until a job is submitted or ends.
func (c *capacity) Tick(now model.Time) model.Time {
	w := &c.waits
	next := model.Forever
	for i := range w.work {
		if w.due(&w.work[i], now) {
			w.ready = append(w.ready, w.chosen[i]...)
			w.chosen[i] = w.chosen[i][:0]
		}
	}
	if w.due(&w.poll, now) && w.changed {
		w.changed, w.first = false, nil
		for i := range c.queues {
			c.chooseFrom(int32(i))
		}
	}
	for i := range w.work {
		if len(w.chosen[i]) > 0 {
			next = min(next, w.work[i])
		}
	}
	if w.changed {
		next = min(next, w.poll)
	}
	return next
}

// due reports whether a round is to be held now, and when the next one is.
func (w *capacityInit) due(round *model.Time, now model.Time) bool {
	if *round < now { // rounds without anything to do were left out
		*round += (now - *round + w.interval - 1) / w.interval * w.interval
	}
	if *round > now {
		return false
	}
	*round += w.interval
	return true
}

// chooseFrom is the poller at one queue: it goes through the waiting jobs in order. A limit of the
// queue ends the round, so that later jobs do not overtake; a limit of the user passes over all their
// jobs.
func (c *capacity) chooseFrom(queue int32) {
	w, q := &c.waits, &c.queues[queue]
	w.round++
	over := false
	for level := range q.waiting {
		kept := q.waiting[level][:0]
		for _, j := range q.waiting[level] {
			acc := &c.accounts[c.jobs.Of(j).account]
			tasks := desiredTasks(j)
			over = over || q.init.jobs >= q.limits.JobsToInit || q.init.tasks+tasks > q.limits.MaximumActiveTasks
			if over || acc.init.over == w.round || acc.init.jobs >= q.limits.JobsOfUserToInit ||
				acc.init.tasks+tasks > q.limits.MaximumActiveTasksOfUser {
				if !over {
					acc.init.over = w.round
				}
				kept = append(kept, j)
				w.hold(j, c.jobs.Of(j))
				continue
			}
			q.init.start(tasks)
			acc.init.start(tasks)
			w.chosen[w.worker[queue]] = append(w.chosen[w.worker[queue]], j)
		}
		clear(q.waiting[level][len(kept):])
		q.waiting[level] = kept
	}
}

// hold notes that a limit keeps the job from being initialised.
func (w *capacityInit) hold(j *cluster.Job, job *capacityJob) {
	if w.first == nil {
		w.first = j
	}
	if !job.held {
		job.held = true
		w.held = append(w.held, j)
	}
}

// tellWaiting tells jobs that limits on initialisation hold them back.
func (c *capacity) tellWaiting(o *policy.Offer) {
	for _, j := range c.waits.held {
		if j.Phase == cluster.Submitted {
			o.Blocked(j, model.LimitInit)
		}
	}
	c.waits.held = c.waits.held[:0]
}

// leaveInit takes a job that has ended off the counts.
func (c *capacity) leaveInit(j *cluster.Job) {
	acc := &c.accounts[c.jobs.Of(j).account]
	acc.init.end(desiredTasks(j))
	c.queues[acc.queue].init.end(desiredTasks(j))
	c.waits.changed = true
}

func desiredTasks(j *cluster.Job) int { return int(j.Total[model.Map] + j.Total[model.Reduce]) }

func (n *capacityCounts) start(tasks int) {
	n.waiting--
	n.jobs++
	n.tasks += tasks
}

func (n *capacityCounts) end(tasks int) {
	n.jobs--
	n.tasks -= tasks
}
