// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// FairParams configures FairOrder. Policies that share fairly embed it in their parameters.
type FairParams struct {
	By        string             `yaml:"by" oneof:"job,user,pool" doc:"Who shares: every job by itself, or the jobs of a user or of a pool (queue) together."`
	Within    string             `yaml:"within" oneof:"fair,fifo" doc:"How the jobs of one user or pool share among themselves."`
	Weights   map[string]float64 `yaml:"weights,omitempty" above:"0" doc:"Weight of a user or pool by name, 1 if absent; with by: job the job's own weight counts."`
	Equal     bool               `yaml:"equal-weights,omitempty" doc:"Jobs weigh the same, whatever their own weights."`
	MinShares map[string]float64 `yaml:"min-shares,omitempty" min:"0" doc:"What a user or pool may use of each pool of room before others get more: tasks, or, under room: yarn, nodes' worth of memory or vcores."`
}

// DefaultFairParams returns sharing by job.
func DefaultFairParams() FairParams { return FairParams{By: "job", Within: "fair"} }

// FairOrder serves whoever has the smallest share of the room now: the sharers below their minimum
// share first, by use over minimum, then the others by use over weight. Among equals it serves the
// one whose last task started or ended longest ago, so a single slot goes round; a newcomer counts
// from when it comes, so that a stream of newcomers starves nobody. Use is the dominant share of the room of
// the pool.
//
// With sharing by user or pool there are two levels: sharers, and the jobs of each.
type FairOrder struct {
	cluster *cluster.State
	params  FairParams
	grouped bool
	weights []float64 // by sharer; unused with sharing by job
	minima  []float64
	pools   [model.Kinds]fairPool
	served  int64 // counts starts and ends from 1, for ties; 0 marks who has not come yet
}

type fairPool struct {
	sharers Heap
	jobs    []Heap  // jobs that want room, by sharer; unused with sharing by job
	use     []int64 // room of the pool in use, in units of fairUnit tasks, by sharer
	last    []int64 // when a task of the sharer started or ended last
	jobUse  []int64 // the same for jobs, used with two levels
	jobLast []int64
	group   int32 // of the iteration

	// late is a sharer that has given back room and whose key in the heap is therefore too large,
	// or -1. It often comes first now and takes room again at once, which puts its key back: one
	// change of the heap instead of two.
	late     int32
	lateKey  Key
	lateHead bool // the iteration stands at late, ahead of the heap
}

var (
	_ Order        = (*FairOrder)(nil)
	_ TaskObserver = (*FairOrder)(nil)
)

// NewFairOrder returns the order for the environment.
func NewFairOrder(env *Env, p FairParams) *FairOrder {
	f := &FairOrder{cluster: env.Cluster, params: p, grouped: p.By != "job", served: 1}
	n := len(env.Cluster.Jobs)
	sharers := n
	if f.grouped {
		names := env.Cluster.Users
		if p.By == "pool" {
			names = env.Cluster.Queues
		}
		sharers = len(names)
		for _, name := range names {
			weight, ok := p.Weights[name]
			if !ok {
				weight = 1
			}
			f.weights, f.minima = append(f.weights, weight), append(f.minima, p.MinShares[name])
		}
	}
	for i := range f.pools[:env.Cluster.Topology.Model.Pools()] {
		q := &f.pools[i]
		q.late = -1
		q.use, q.last = make([]int64, sharers), make([]int64, sharers)
		if f.grouped {
			q.jobs, q.jobUse, q.jobLast = make([]Heap, sharers), make([]int64, n), make([]int64, n)
		}
	}
	return f
}

// sharer returns who the job shares as.
func (f *FairOrder) sharer(j *cluster.Job) int32 {
	switch f.params.By {
	case "user":
		return j.User
	case "pool":
		return j.Queue
	}
	return int32(j.ID)
}

// fairUnit is the precision of use. Use is an integer, so that what is taken and given back is the
// same to the bit and idle sharers are equal.
const fairUnit = 1 << 24

// share is what one task of kind k uses: one for slots and containers, the dominant share of the
// cluster in nodes for memory and vcores.
func (f *FairOrder) share(j *cluster.Job, k model.Kind) int64 {
	if f.cluster.Topology.Model != model.Yarn {
		return fairUnit
	}
	dominant := 0.0
	for d, v := range j.Need[k] {
		if total := f.cluster.Total[d]; total > 0 {
			dominant = max(dominant, float64(v)/float64(total))
		}
	}
	return int64(dominant * float64(len(f.cluster.Nodes)) * fairUnit)
}

// fairKey orders sharers: needy ones first. A non-negative float64 orders like its bits.
func fairKey(used int64, weight, minimum float64, last int64) Key {
	use := float64(used) * (1.0 / fairUnit)
	if use < minimum {
		return Key{int64(math.Float64bits(use/minimum) >> 1), last}
	}
	return Key{1<<62 | int64(math.Float64bits(use/weight)>>1), last}
}

// Wants implements WantObserver.
func (f *FairOrder) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	q := &f.pools[pool]
	s := f.sharer(j)
	if wants && q.last[s] == 0 { // a newcomer stands behind those that were served before it came
		q.last[s] = f.served
	}
	if f.grouped {
		if wants && q.jobLast[j.ID] == 0 {
			q.jobLast[j.ID] = f.served
		}
		if wants {
			q.jobs[s].Set(int32(j.ID), f.jobKey(q, j))
		} else {
			q.jobs[s].Remove(int32(j.ID))
		}
		wants = q.jobs[s].Len() > 0
	}
	if q.late == s {
		q.late = -1
	}
	if !wants {
		q.sharers.Remove(s)
		return
	}
	q.sharers.Set(s, f.key(q, j, s))
}

// key is where the sharer belongs now.
func (f *FairOrder) key(q *fairPool, j *cluster.Job, s int32) Key {
	weight, minimum := f.own(j), 0.0
	if f.grouped {
		weight, minimum = f.weights[s], f.minima[s]
	}
	return fairKey(q.use[s], weight, minimum, q.last[s])
}

// settle puts the late sharer where it belongs.
func (q *fairPool) settle() {
	if q.late >= 0 {
		q.sharers.Set(q.late, q.lateKey)
		q.late = -1
	}
}

// jobKey orders the jobs of one sharer.
func (f *FairOrder) jobKey(q *fairPool, j *cluster.Job) Key {
	if f.params.Within == "fifo" {
		return Key{int64(j.Priority), int64(j.Submit)}
	}
	return fairKey(q.jobUse[j.ID], f.own(j), 0, q.jobLast[j.ID])
}

// own is the job's own weight, if it counts.
func (f *FairOrder) own(j *cluster.Job) float64 {
	if f.params.Equal {
		return 1
	}
	return j.Weight
}

// TaskStarted implements TaskObserver.
func (f *FairOrder) TaskStarted(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID) {
	f.change(j, k, f.share(j, k))
}

// TaskEnded implements TaskObserver.
func (f *FairOrder) TaskEnded(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID, _ bool) {
	f.change(j, k, -f.share(j, k))
}

// change adds to the use of the job and its sharer and puts them where they belong.
func (f *FairOrder) change(j *cluster.Job, k model.Kind, by int64) {
	q := &f.pools[f.cluster.Topology.Model.Pool(k)]
	s := f.sharer(j)
	f.served++
	q.use[s] += by
	q.last[s] = f.served
	if f.grouped {
		q.jobUse[j.ID] += by
		q.jobLast[j.ID] = f.served
		if h := &q.jobs[s]; h.Has(int32(j.ID)) {
			h.Set(int32(j.ID), f.jobKey(q, j))
		}
	}
	if !q.sharers.Has(s) {
		return
	}
	key := f.key(q, j, s)
	if q.late != s {
		if by > 0 {
			q.sharers.Set(s, key)
			return
		}
		q.settle()
	}
	if by > 0 {
		q.late = -1
		q.sharers.Set(s, key)
		return
	}
	q.late, q.lateKey = s, key
}

// First implements Order.
func (f *FairOrder) First(pool int) *cluster.Job {
	q := &f.pools[pool]
	q.lateHead = false
	if q.late >= 0 {
		if top, key := q.sharers.Top(); q.late == top || q.lateKey.less(key) {
			q.group, q.lateHead = q.late, true
			return f.enter(q)
		}
		q.settle()
	}
	q.group = q.sharers.First()
	return f.enter(q)
}

// Next implements Order.
func (f *FairOrder) Next(pool int) *cluster.Job {
	q := &f.pools[pool]
	if f.grouped && q.group >= 0 {
		if id := q.jobs[q.group].Next(); id >= 0 {
			return &f.cluster.Jobs[id]
		}
	}
	if q.lateHead { // the heap must agree before the iteration goes on
		q.lateHead = false
		q.settle()
		q.sharers.First()
	}
	q.group = q.sharers.Next()
	return f.enter(q)
}

// enter returns the first job of the iteration's sharer.
func (f *FairOrder) enter(q *fairPool) *cluster.Job {
	switch {
	case q.group < 0:
		return nil
	case f.grouped:
		return &f.cluster.Jobs[q.jobs[q.group].First()]
	}
	return &f.cluster.Jobs[q.group]
}
