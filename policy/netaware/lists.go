// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// listing is a job in a list of its sharer, with what decides whether it is worth a closer look: a list is
// gone through for each offer, its jobs are not.
type listing struct {
	job   *cluster.Job
	id    model.JobID
	order int     // of maps: the category of algorithm 2; of reduces: the best rank of algorithm 3
	each  float64 // what one map makes
	cost  float64 // what it takes at least to bring the input of a map to a node that has none of it
	racks uint64  // of reduces: bit r%64 is set if map output may lie in rack r
}

// atLeast is what the rank of the job's reduces in a rack is at least: where no map output lies, no ReduceNum is short.
func (e *listing) atLeast(r model.RackID) int {
	if e.racks>>(r%64)&1 != 0 {
		return e.order
	}
	return reached(e.order)
}

// weighed is jobs in order of their IDs: [0] those that start in a congested rack too, [1] the others, which it does not
// look at one by one.
type weighed [2][]listing

// apart is jobs in the order of maps from afar, divided as in weighed.
type apart [2][]listing

// move takes a job from where it stands to where it belongs now.
func (a *apart) move(from, to place) {
	if from.in {
		list := &a[row(from.held)]
		if i, found := slices.BinarySearchFunc(*list, from.as, listing.compare); found {
			*list = slices.Delete(*list, i, i+1)
		}
	}
	if to.in {
		list := &a[row(to.held)]
		i, _ := slices.BinarySearchFunc(*list, to.as, listing.compare)
		*list = slices.Insert(*list, i, to.as)
	}
}

// place is where a job stands in a pair of lists: in that of jobs that are held, in the other, or in none.
type place struct {
	as       listing
	in, held bool
}

// put keeps a job in one of the lists, or out of both.
func (w *weighed) put(p place) {
	list(&w[0], p.as, p.in && !p.held)
	list(&w[1], p.as, p.in && p.held)
}

// first returns the first job that suits, or nil.
func (w *weighed) first(suits func(*cluster.Job) bool) *cluster.Job {
	a, b := first(w[0], suits), first(w[1], suits)
	if a == nil || b != nil && b.ID < a.ID {
		return b
	}
	return a
}

// empty reports whether there are no jobs.
func (w *weighed) empty() bool { return len(w[0])+len(w[1]) == 0 }

// first returns the first job that suits, or nil.
func first(jobs []listing, suits func(*cluster.Job) bool) *cluster.Job {
	for i := range jobs {
		if j := jobs[i].job; suits(j) {
			return j
		}
	}
	return nil
}

// list keeps a job in a list, as described, or out of it.
func list(jobs *[]listing, e listing, in bool) {
	i, found := slices.BinarySearchFunc(*jobs, e.id, func(a listing, id model.JobID) int { return cmp.Compare(a.id, id) })
	switch {
	case in && found:
		(*jobs)[i] = e
	case in:
		*jobs = slices.Insert(*jobs, i, e)
	case found:
		*jobs = slices.Delete(*jobs, i, i+1)
	}
}

// listed keeps a job in the lists in which it belongs. It is called whenever something may have changed that they say.
func (n *NAS) listed(j *cluster.Job) {
	n.rounds.news++
	u, own, here, heavy := n.user(n.sharer(j)), n.jobs.Of(j), j.Phase == cluster.Admitted, n.class(j) != model.ShuffleLight
	e := listing{job: j, id: j.ID, order: n.category(j), each: n.Predictor.jobs.Of(j).each, cost: n.leastCost(j)}
	if to := (place{e, here && j.Pending(model.Map) > 0, n.stops(j)}); to != own.mapping {
		u.mapping.put(to)
		u.far.move(own.mapping, to)
		own.mapping = to
	}
	past := own.released || j.Eligible[model.Reduce] > 0
	if !own.asked { // another threshold holds: it may be past that
		past = past || j.Done[model.Map] > 0 || j.Total[model.Map] == 0 || n.params.MinMaps == 0
	}
	e.order, e.racks = n.bestRank(j), n.Predictor.jobs.Of(j).racks
	to := place{e, here && j.Pending(model.Reduce) > 0 && past, heavy}
	if fresh := to.in && heavy && !own.delayed; to != own.reducing || fresh != own.fresh {
		u.reducing.put(to)
		list(&u.fresh, e, fresh)
		own.reducing, own.fresh = to, fresh
	}
}
