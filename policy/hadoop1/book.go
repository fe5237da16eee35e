// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// Book is what the order and the admission role of capacity both know: the queues with their
// limits, the users in each, and the jobs.
type Book struct {
	params  *Params
	thesis  bool // the rules are those of the thesis's simulator, see thesis.go
	cluster *cluster.State
	queues  []queueState
	named   map[string]int32 // configured queues by name
	queueOf []int32          // by cluster queue, grown as jobs name queues
	room    [model.Dims]int64
	version int // changes with the limits of all queues

	jobs     *policy.PerJob[jobState]
	enlisted int64 // jobs so far
	accounts []accountState
	places   [model.Kinds]keyed.Places // of jobs in the heaps of their accounts, by pool
	index    map[[2]int32]int32        // accounts by queue and user
}

// queueState is one queue.
type queueState struct {
	config   Queue
	limits   Limits
	jobs     int     // submitted that have not ended
	accounts []int32 // users that have had jobs here, numbered from 0 in order of appearance
	pools    [model.Kinds]poolState
	init     counts
	waiting  [model.Priorities]waitingJobs // submitted and not chosen by the poller
}

// poolState is what a queue knows about one kind of room.
type poolState struct {
	occupied int64
	// unstarted counts tasks of initialised jobs that have not started; only the rules of the thesis need it.
	unstarted int64
	active    int          // users with tasks to start, eligible or not
	users     keyed.Heap   // users with a job that wants room, by their first such job
	head      *cluster.Job // the first job that wants room, nil if none does
	first     int32        // its account
	untold    []int32      // accounts with jobs that have not been told why they wait
	shut      shutState
	place     int32 // among those hidden
}

// accountState is one user of one queue.
type accountState struct {
	number int32 // among the accounts of its queue
	pools  [model.Kinds]useState
	init   counts
}

// useState is what one user of one queue has of one kind of room.
type useState struct {
	occupied int64
	pending  int            // jobs with tasks to start
	wanting  kit.JobHeap    // jobs that want room, by priority and submission
	untold   []*cluster.Job // jobs that have not been told why they wait; some may have ended
	listed   bool           // in the untold of the queue
}

// jobState is what is kept about a job.
type jobState struct {
	account  int32
	queue    int32
	key      keyed.Key
	wants    [model.Kinds]bool // room of the pool
	pending  [model.Kinds]bool
	untold   [model.Kinds]bool
	enlisted bool
	admitted bool
	held     bool // told that a limit on initialisation holds it

	unstarted [model.Kinds]int32 // as counted for its queue
}

// NewBook sets the configured queues up.
func NewBook(env *policy.Env, p *Params) *Book {
	b := &Book{params: p, thesis: p.Rules == "thesis", cluster: env.Cluster, jobs: policy.NewPerJob[jobState](env),
		index: map[[2]int32]int32{}, named: map[string]int32{}}
	for i := range p.Queues {
		b.named[p.Queues[i].Name] = b.addQueue(p.Queues[i])
	}
	b.setRoom()
	return b
}

// addQueue adds a queue behind the others.
func (b *Book) addQueue(config Queue) int32 {
	b.queues = append(b.queues, queueState{config: config})
	return int32(len(b.queues) - 1)
}

// queue returns the queue of a submitted job, None if it names one that is not configured. Where none
// are configured, the queues that have had jobs share the cluster equally.
func (b *Book) queue(j *cluster.Job) int32 {
	for n := len(b.queueOf); n <= int(j.Queue); n++ {
		id, known := b.named[b.cluster.Queues[n]]
		if !known {
			id = model.None
		}
		b.queueOf = append(b.queueOf, id)
	}
	if b.queueOf[j.Queue] == model.None && len(b.params.Queues) == 0 {
		b.open(j)
		for i := range b.queues {
			b.queues[i].config.Capacity = 100 / float64(len(b.queues))
		}
		b.setRoom()
	}
	return b.queueOf[j.Queue]
}

// open adds the queue that a job names, without capacity or maximum.
func (b *Book) open(j *cluster.Job) {
	b.queueOf[j.Queue] = b.addQueue(Queue{Name: b.cluster.Queues[j.Queue], MaximumCapacity: -1})
}

// setRoom derives the limits of all queues from the room that the cluster has now.
func (b *Book) setRoom() {
	b.room = b.cluster.Total
	b.version++
	for i := range b.queues {
		b.queues[i].limits = b.params.Limits(&b.queues[i].config, [model.Kinds]int64{b.room[0], b.room[1]})
	}
}

// enlist gives a job that has come its account and its place in the order of the queue. A queue that is
// not configured has no capacity: its jobs get what the others leave.
func (b *Book) enlist(j *cluster.Job) {
	job := b.jobs.Of(j)
	if job.enlisted {
		return
	}
	queue := b.queue(j)
	if queue == model.None {
		b.open(j)
		b.setRoom()
		queue = b.queueOf[j.Queue]
	}
	q := &b.queues[queue]
	*job = jobState{enlisted: true, account: b.account(queue, j.User), queue: queue, key: keyed.Key{Minor: b.enlisted}}
	if q.limits.SupportsPriority {
		job.key.Major = int64(j.Priority)
	}
	b.enlisted++
	q.jobs++
}

// account returns the account of a user in a queue.
func (b *Book) account(queue, user int32) int32 {
	id := [2]int32{queue, user}
	a, ok := b.index[id]
	if !ok {
		q := &b.queues[queue]
		a = int32(len(b.accounts))
		acc := accountState{number: int32(len(q.accounts))}
		for pool := range acc.pools {
			acc.pools[pool].wanting.Cluster = b.cluster
			acc.pools[pool].wanting.Share(&b.places[pool])
		}
		b.index[id] = a
		b.accounts = append(b.accounts, acc)
		q.accounts = append(q.accounts, a)
	}
	return a
}

// of returns what is kept about a job, its account and its queue.
func (b *Book) of(j *cluster.Job) (*jobState, *accountState, *queueState) {
	job := b.jobs.Of(j)
	return job, &b.accounts[job.account], &b.queues[job.queue]
}

// pool returns the pool that tasks of the kind draw from. Room is counted in its dimension of the
// same number: slots, containers or, under YARN, memory.
func (b *Book) pool(k model.Kind) int { return b.cluster.Topology.Model.Pool(k) }
