// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/rng"
)

// counts are jobs and tasks of a queue, or of one user in it, that limits on initialisation
// look at.
type counts struct {
	jobs    int   // initialised or being initialised, and not ended
	tasks   int   // of these jobs, all of them until the job ends
	waiting int   // jobs that the poller has not chosen
	over    int64 // the round of the poller in which the user was at their limit
}

// Admit is the admission role, how submitted jobs come to run: a poller looks at the queues every
// interval and chooses jobs within the limits; each queue has a worker that looks for chosen jobs every
// interval too, and initialises them. Both have a phase of their own, so that a job waits for up to two
// intervals even if no limit holds it. Under the rules of the thesis there are no workers, see thesis.go.
type Admit struct {
	*Book
	poll    model.Time   // when the poller looks next
	work    []model.Time // when each worker looks next
	chosen  [][]*cluster.Job
	ready   []*cluster.Job // initialised, to be admitted
	waiting []int32        // queues with jobs that the poller has not chosen, each once
	held    []*cluster.Job // jobs that a limit holds back since the last round, not told yet
	first   *cluster.Job   // the first job that a limit held back in the last round
	changed bool           // a job was submitted or has ended since the poller's last round
	round   int64          // rounds of the poller so far, each queue counted
}

var (
	_ policy.Admitter    = (*Admit)(nil)
	_ policy.Refuser     = (*Admit)(nil)
	_ policy.Ticker      = (*Admit)(nil)
	_ policy.JobObserver = (*Admit)(nil)
	_ kit.Teller         = (*Admit)(nil)
)

// NewAdmit returns the admission that goes with the order of the book.
func NewAdmit(env *policy.Env, b *Book) *Admit {
	w, p := &Admit{Book: b}, b.params
	phases := rng.New(env.Seed, rng.InitPoller)
	phase := func(i int) model.Time {
		return model.Time(phases.Uint64(uint64(i), 0, 0) % uint64(p.InitPollInterval))
	}
	workers := p.InitWorkerThreads
	if n := len(p.Queues); n > 0 {
		workers = min(workers, n)
	}
	w.poll = phase(0)
	w.chosen = make([][]*cluster.Job, workers)
	for i := range workers {
		w.work = append(w.work, phase(i+1))
	}
	return w
}

// workerOf returns the worker of a queue: configured queues are dealt out in contiguous blocks of equal
// size, the remainder one each from the first; others in turn.
func (w *Admit) workerOf(queue int32) int {
	id, workers, configured := int(queue), len(w.work), len(w.params.Queues)
	if configured == 0 {
		return id % workers
	}
	size, rest := configured/workers, configured%workers
	if worker := id / (size + 1); worker < rest {
		return worker
	}
	return rest + (id-rest*(size+1))/size
}

// Refuses implements policy.Refuser: the checks of a submission, on the jobs that are there before it.
func (w *Admit) Refuses(_ model.Time, j *cluster.Job) (model.Limit, bool) {
	queue := w.queue(j)
	if queue == model.None { // there is no such queue
		return model.LimitInit, true
	}
	q := &w.queues[queue]
	l := &q.limits
	var user counts
	if a, ok := w.index[[2]int32{queue, j.User}]; ok {
		user = w.accounts[a].init
	}
	return model.LimitInit, desiredTasks(j) > l.MaximumActiveTasksOfUser ||
		q.init.waiting+q.init.jobs >= l.JobsToAccept || user.waiting+user.jobs >= l.JobsOfUserToAccept
}

// JobSubmitted implements policy.Admitter.
func (w *Admit) JobSubmitted(_ model.Time, j *cluster.Job) {
	w.enlist(j)
	job, acc, q := w.of(j)
	level := job.key.Major
	q.waiting[level].jobs = append(q.waiting[level].jobs, j)
	if q.init.waiting++; q.init.waiting == 1 {
		w.waiting = append(w.waiting, job.queue)
	}
	acc.init.waiting++
	w.changed = true
}

// JobAdmitted implements policy.JobObserver.
func (w *Admit) JobAdmitted(model.Time, *cluster.Job) {}

// JobEnded implements policy.JobObserver: the job no longer counts.
func (w *Admit) JobEnded(_ model.Time, j *cluster.Job) {
	_, acc, q := w.of(j)
	acc.init.end(desiredTasks(j))
	q.init.end(desiredTasks(j))
	w.changed = true
}

// NextAdmitted implements policy.Admitter.
func (w *Admit) NextAdmitted(model.Time) (admitted, held *cluster.Job, limit model.Limit) {
	if len(w.ready) == 0 {
		return nil, w.first, model.LimitInit
	}
	admitted = w.ready[0]
	w.ready = w.ready[1:]
	return admitted, nil, 0
}

// Tick implements policy.Ticker: rounds of the poller and of the workers that are due. With nothing
// to do it sleeps until a job is submitted or ends.
func (w *Admit) Tick(now model.Time) model.Time {
	next := model.Forever
	for i := range w.work {
		if w.due(&w.work[i], now) {
			w.ready = append(w.ready, w.chosen[i]...)
			w.chosen[i] = w.chosen[i][:0]
		}
	}
	if w.due(&w.poll, now) && w.changed {
		w.changed, w.first = false, nil
		w.choose()
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
func (w *Admit) due(round *model.Time, now model.Time) bool {
	interval := w.params.InitPollInterval
	if *round < now { // rounds without anything to do were left out
		*round += (now - *round + interval - 1) / interval * interval
	}
	if *round > now {
		return false
	}
	*round += interval
	return true
}

// choose is a round of the poller, over the queues in order. Those that have no job to choose it passes over.
func (w *Admit) choose() {
	slices.Sort(w.waiting)
	still := w.waiting[:0]
	for _, queue := range w.waiting {
		if w.chooseFrom(queue); w.queues[queue].init.waiting > 0 {
			still = append(still, queue)
		}
	}
	w.waiting = still
}

// chooseFrom is the poller at one queue: it goes through the waiting jobs in order. A limit of the
// queue ends the round, so that later jobs do not overtake: they are not looked at, but those that are new are
// held as well. A limit of the user passes over all their jobs.
func (w *Admit) chooseFrom(queue int32) {
	q, worker := &w.queues[queue], w.workerOf(queue)
	w.round++
	over := false
	for level := range q.waiting {
		list := &q.waiting[level]
		at, kept := 0, 0 // how many were looked at, and how many of them stay: these are moved to the front
		for ; at < len(list.jobs); at++ {
			j := list.jobs[at]
			job, acc, _ := w.of(j)
			tasks := desiredTasks(j)
			if over = over || w.full(q.init.jobs, q.limits.JobsToInit) || q.init.tasks+tasks > q.limits.MaximumActiveTasks; over {
				w.hold(j, job)
				break
			}
			if acc.init.over == w.round || w.full(acc.init.jobs, q.limits.JobsOfUserToInit) ||
				acc.init.tasks+tasks > q.limits.MaximumActiveTasksOfUser {
				acc.init.over = w.round
				list.jobs[kept] = j
				kept++
				w.hold(j, job)
				continue
			}
			q.init.start(tasks)
			acc.init.start(tasks)
			if w.thesis {
				w.ready = append(w.ready, j)
			} else {
				w.chosen[worker] = append(w.chosen[worker], j)
			}
		}
		for _, j := range list.jobs[max(at, list.seen):] {
			w.hold(j, w.jobs.Of(j))
		}
		list.drop(kept, at)
	}
}

// waitingJobs are the jobs of one priority that wait in a queue, in order.
type waitingJobs struct {
	jobs []*cluster.Job
	seen int // how many of them a round of the poller has come to, and held
}

// drop takes out the jobs from one place to another. It costs by what stands before them.
func (l *waitingJobs) drop(from, to int) {
	rest := to - from
	copy(l.jobs[rest:to], l.jobs[:from])
	clear(l.jobs[:rest])
	l.jobs = l.jobs[rest:]
	l.seen = len(l.jobs)
}

// hold notes that a limit keeps the job from being initialised.
func (w *Admit) hold(j *cluster.Job, job *jobState) {
	if w.first == nil {
		w.first = j
	}
	if !job.held {
		job.held = true
		w.held = append(w.held, j)
	}
}

// Tell implements kit.Teller: limits on initialisation hold these jobs back.
func (w *Admit) Tell(o *policy.Offer) {
	for _, j := range w.held {
		if j.Phase == cluster.Submitted {
			o.Blocked(j, model.LimitInit)
		}
	}
	w.held = w.held[:0]
}

func desiredTasks(j *cluster.Job) int { return int(j.Total[model.Map] + j.Total[model.Reduce]) }

func (n *counts) start(tasks int) {
	n.waiting--
	n.jobs++
	n.tasks += tasks
}

func (n *counts) end(tasks int) {
	n.jobs--
	n.tasks -= tasks
}
