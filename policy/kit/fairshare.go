// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
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
	model   model.RoomModel
	params  FairParams
	grouped bool
	pools   [model.Kinds]fairPool
	uses    *policy.PerJob[[model.Kinds]fairUse] // by pool
	served  int64                                // counts starts and ends from 1, for ties; 0 marks who has not come yet
}

type fairPool struct {
	sharers keyed.Turns  // jobs by their slots, or users or pools by their numbers
	groups  []fairGroup  // users or pools; unused with sharing by job
	places  keyed.Places // of jobs in the heaps of their groups
	group   int32        // of the iteration

	// late is a sharer that has given back room and whose key in the heap is therefore too large,
	// or -1. It often comes first now and takes room again at once, which puts its key back: one
	// change of the heap instead of two. In a crowd others come first.
	late     int32
	lateTie  int32
	lateKey  keyed.Key
	lateHead bool // the iteration stands at late, ahead of the heap
}

// fairUse is what a job or a group of jobs has of a pool.
type fairUse struct {
	use    int64   // room in use, in units of fairUnit tasks
	last   int64   // when a task of it started or ended last, 0 if it has not come yet
	weight float64 // that counts; 0 for a job that has not come yet
}

// fairGroup is the jobs of one user or pool.
type fairGroup struct {
	fairUse
	minimum float64
	jobs    JobHeap // that want room
}

var (
	_ Order               = (*FairOrder)(nil)
	_ Comparer            = (*FairOrder)(nil)
	_ policy.TaskObserver = (*FairOrder)(nil)
)

// fairCrowd is from how many sharers on turns are quicker than a heap of all.
const fairCrowd = 500

// NewFairOrder returns the order for the environment.
func NewFairOrder(env *policy.Env, p FairParams) *FairOrder {
	f := &FairOrder{cluster: env.Cluster, model: env.Cluster.Topology.Model, params: p, grouped: p.By != "job", served: 1}
	f.uses = policy.NewPerJob[[model.Kinds]fairUse](env)
	for i := range f.pools {
		f.pools[i].late, f.pools[i].sharers.Crowd = -1, fairCrowd
	}
	return f
}

// sharer returns who the job shares as, and what tells sharers with equal keys apart.
func (f *FairOrder) sharer(j *cluster.Job) (id, tie int32) {
	switch {
	case !f.grouped:
		return j.Slot, int32(j.ID)
	case f.params.By == "user":
		return j.User, j.User
	}
	return j.Queue, j.Queue
}

// at returns the group of that number, which may be the first job of it that is seen.
func (f *FairOrder) at(q *fairPool, id int32) *fairGroup {
	for int(id) >= len(q.groups) {
		names := f.cluster.Users
		if f.params.By == "pool" {
			names = f.cluster.Queues
		}
		name := names[len(q.groups)]
		weight, ok := f.params.Weights[name]
		if !ok {
			weight = 1
		}
		q.groups = append(q.groups, fairGroup{fairUse: fairUse{weight: weight}, minimum: f.params.MinShares[name], jobs: JobHeap{Cluster: f.cluster}})
		q.groups[len(q.groups)-1].jobs.Share(&q.places)
	}
	return &q.groups[id]
}

// fairUnit is the precision of use. Use is an integer, so that what is taken and given back is the
// same to the bit and idle sharers are equal.
const fairUnit = 1 << 24

// share is what one task of kind k uses: one for slots and containers, the dominant share of the
// cluster in nodes for memory and vcores.
func (f *FairOrder) share(j *cluster.Job, k model.Kind) int64 {
	if f.model != model.Yarn {
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
func fairKey(used int64, weight, minimum float64, last int64) keyed.Key {
	use := float64(used) * (1.0 / fairUnit)
	if use < minimum {
		return keyed.Key{Major: int64(math.Float64bits(use/minimum) >> 1), Minor: last}
	}
	if weight != 1 { // a division takes long
		use /= weight
	}
	return keyed.Key{Major: 1<<62 | int64(math.Float64bits(use)>>1), Minor: last}
}

// Wants implements policy.WantObserver.
func (f *FairOrder) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	q := &f.pools[pool]
	own := &f.uses.Of(j)[pool]
	id, tie := f.sharer(j)
	if wants { // a newcomer stands behind those that were served before it came
		own.come(f.served)
	}
	if f.grouped {
		g := f.at(q, id)
		if wants {
			g.come(f.served)
			g.jobs.Set(j, f.jobKey(own, j))
		} else {
			g.jobs.Remove(j)
		}
		wants = g.jobs.Len() > 0
	}
	if q.late == id {
		q.late = -1
	}
	if !wants {
		q.sharers.Remove(id)
		return
	}
	q.sharers.SetTied(id, tie, f.key(q, j, own, id))
}

// come notes when a sharer is seen for the first time.
func (u *fairUse) come(served int64) {
	if u.last == 0 {
		u.last = served
	}
}

// key is where the sharer of the job belongs now.
func (f *FairOrder) key(q *fairPool, j *cluster.Job, own *fairUse, id int32) keyed.Key {
	if f.grouped {
		g := &q.groups[id]
		return fairKey(g.use, g.weight, g.minimum, g.last)
	}
	return fairKey(own.use, f.weight(own, j), 0, own.last)
}

// settle puts the late sharer where it belongs.
func (q *fairPool) settle() {
	if q.late >= 0 {
		q.sharers.SetTied(q.late, q.lateTie, q.lateKey)
		q.late = -1
	}
}

// jobKey orders the jobs of one sharer.
func (f *FairOrder) jobKey(own *fairUse, j *cluster.Job) keyed.Key {
	if f.params.Within == "fifo" {
		return keyed.Key{Major: int64(j.Priority), Minor: int64(j.Submit)}
	}
	return fairKey(own.use, f.weight(own, j), 0, own.last)
}

// weight is the job's own weight, if it counts. It is kept beside the use: the job would be one more line of memory.
func (f *FairOrder) weight(own *fairUse, j *cluster.Job) float64 {
	if own.weight == 0 {
		own.weight = j.Weight
		if f.params.Equal {
			own.weight = 1
		}
	}
	return own.weight
}

// TaskStarted implements policy.TaskObserver.
func (f *FairOrder) TaskStarted(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID) {
	f.change(j, k, f.share(j, k))
}

// TaskEnded implements policy.TaskObserver.
func (f *FairOrder) TaskEnded(_ model.Time, j *cluster.Job, k model.Kind, _ model.NodeID, _ bool) {
	f.change(j, k, -f.share(j, k))
}

// change adds to the use of the job and its sharer and puts them where they belong.
func (f *FairOrder) change(j *cluster.Job, k model.Kind, by int64) {
	pool := f.model.Pool(k)
	q, own := &f.pools[pool], &f.uses.Of(j)[pool]
	f.served++
	own.use, own.last = own.use+by, f.served
	if f.grouped {
		f.changeGroup(q, own, j, by)
	} else {
		q.change(j.Slot, int32(j.ID), fairKey(own.use, f.weight(own, j), 0, own.last), by > 0)
	}
}

// changeGroup is change for the user or pool of the job.
func (f *FairOrder) changeGroup(q *fairPool, own *fairUse, j *cluster.Job, by int64) {
	id, tie := f.sharer(j)
	g := f.at(q, id)
	g.use, g.last = g.use+by, f.served
	if g.jobs.Has(j) {
		g.jobs.Set(j, f.jobKey(own, j))
	}
	q.change(id, tie, f.key(q, j, own, id), by > 0)
}

// change puts a sharer who has taken room, or given some back, where it belongs.
func (q *fairPool) change(id, tie int32, key keyed.Key, taken bool) {
	if taken || q.sharers.Crowded() {
		if q.late == id {
			q.late = -1
		}
		q.sharers.Change(id, tie, key)
		return
	}
	if !q.sharers.Has(id) {
		return
	}
	if q.late != id {
		q.settle()
	}
	q.late, q.lateTie, q.lateKey = id, tie, key
}

// First implements Order.
func (f *FairOrder) First(pool int) *cluster.Job {
	q := &f.pools[pool]
	q.lateHead = false
	if q.late >= 0 {
		if top, key := q.sharers.Top(); q.late == top || q.lateKey.Less(key) {
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
	if !f.grouped && !q.lateHead { // mostly
		if q.group = q.sharers.Next(); q.group < 0 {
			return nil
		}
		return f.cluster.At(q.group)
	}
	if f.grouped && q.group >= 0 {
		if j := q.groups[q.group].jobs.Next(); j != nil {
			return j
		}
	}
	q.next()
	return f.enter(q)
}

// next moves the iteration to the next sharer.
func (q *fairPool) next() {
	if q.lateHead { // the heap must agree before the iteration goes on
		q.lateHead = false
		q.settle()
		q.sharers.First()
	}
	q.group = q.sharers.Next()
}

var _ Grouped = (*FairOrder)(nil)

// Sharer implements Grouped.
func (f *FairOrder) Sharer(j *cluster.Job) int32 {
	id, _ := f.sharer(j)
	return id
}

// FirstSharer implements Grouped.
func (f *FairOrder) FirstSharer(pool int) int32 {
	f.First(pool)
	return f.pools[pool].group
}

// NextSharer implements Grouped.
func (f *FairOrder) NextSharer(pool int) int32 {
	q := &f.pools[pool]
	q.next()
	return q.group
}

var _ policy.Foreseer = (*FairOrder)(nil)

// Foresee implements policy.Foreseer, for sharing by job: whoever has been served stands behind many others.
func (f *FairOrder) Foresee(pool int, seats []keyed.Seat) []keyed.Seat {
	if f.grouped {
		return nil
	}
	return f.pools[pool].sharers.Firsts(seats)
}

// enter returns the first job of the iteration's sharer.
func (f *FairOrder) enter(q *fairPool) *cluster.Job {
	switch {
	case q.group < 0:
		return nil
	case f.grouped:
		return q.groups[q.group].jobs.First()
	}
	return f.cluster.At(q.group)
}

// Before implements Comparer.
func (f *FairOrder) Before(pool int, a, b *cluster.Job) bool {
	q := &f.pools[pool]
	ownA, ownB := &f.uses.Of(a)[pool], &f.uses.Of(b)[pool]
	idA, tieA := f.sharer(a)
	idB, tieB := f.sharer(b)
	x, y := keyed.Item{Key: f.key(q, a, ownA, idA), Tie: tieA}, keyed.Item{Key: f.key(q, b, ownB, idB), Tie: tieB}
	if f.grouped && idA == idB {
		x, y = keyed.Item{Key: f.jobKey(ownA, a), Tie: int32(a.ID)}, keyed.Item{Key: f.jobKey(ownB, b), Tie: int32(b.ID)}
	}
	return x.Before(&y)
}
