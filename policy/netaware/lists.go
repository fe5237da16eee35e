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
}

// weighed is jobs in order of their IDs: [0] those that start in a congested rack too, [1] the others, which it does not
// look at one by one.
type weighed [2][]listing

// apart is jobs in the order of maps from afar, divided as in weighed.
type apart [2][]listing

// move lists a job where it belongs now, in the list of those that are held or in the other, or in none, and notes
// where it stands.
func (a *apart) move(at *place, e listing, in, held bool) {
	to := place{as: e, in: in}
	if held {
		to.list = 1
	}
	if to == *at {
		return
	}
	if at.in {
		list := &a[at.list]
		if i, found := slices.BinarySearchFunc(*list, at.as, listing.compare); found {
			*list = slices.Delete(*list, i, i+1)
		}
	}
	if in {
		list := &a[to.list]
		i, _ := slices.BinarySearchFunc(*list, e, listing.compare)
		*list = slices.Insert(*list, i, e)
	}
	*at = to
}

// place is where a job stands in lists that are apart.
type place struct {
	as   listing
	list int
	in   bool
}

// put keeps a job in one of the lists, or out of both.
func (w *weighed) put(e listing, in, held bool) {
	list(&w[0], e, in && !held)
	list(&w[1], e, in && held)
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

// listed keeps a job in the lists in which it belongs. It is called whenever something changes that they say.
func (n *NAS) listed(j *cluster.Job) {
	n.rounds.news++
	u, own, here, heavy := n.user(n.sharer(j)), n.jobs.Of(j), j.Phase == cluster.Admitted, n.class(j) != model.ShuffleLight
	e := listing{job: j, id: j.ID, order: n.category(j), each: n.Predictor.jobs.Of(j).each, cost: n.leastCost(j)}
	maps, stopped := here && j.Pending(model.Map) > 0, n.stops(j)
	u.mapping.put(e, maps, stopped)
	u.far.move(&own.far, e, maps, stopped)
	past := own.released || j.Eligible[model.Reduce] > 0
	if !own.asked { // another threshold holds: it may be past that
		past = past || j.Done[model.Map] > 0 || j.Total[model.Map] == 0 || n.params.MinMaps == 0
	}
	reduces := here && j.Pending(model.Reduce) > 0 && past
	e.order = n.bestRank(j)
	u.reducing.put(e, reduces, heavy)
	list(&u.fresh, e, reduces && heavy && !own.delayed)
}
