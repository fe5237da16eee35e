// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// locals lists for each node and sharer the jobs with a pending map whose data is on the node, jobs that are
// not predicted apart from the others, by what one of their maps makes. Entries of jobs that have no such map
// any more are taken out when a look-up meets them, so that a look-up is O(log jobs) amortised. A job with at least as
// many replicas as there are nodes is listed once: nearly every node holds one, until nearly all of its maps have started.
type locals struct {
	byNode [][]*shelf // by node and sharer; nil if there are no jobs
	wide   []*shelf   // by sharer: jobs with data on most nodes
	free   []*shelf   // by sharer: jobs that read nothing, local everywhere
	frees  int64      // counts jobs put there
	spare  []*shelf   // empty ones: there are as many as nodes times sharers, and few are in use at once

	// Where nobody was found: by node, [1] of those whom a congested rack starts.
	inVain [2][]search
}

// search is for a job on the shelves of a node, or on those of jobs that read nothing, whose maps make at most so
// much; nobody can use what it came across.
type search struct {
	done  bool // and no such job has come since
	upTo  float64
	frees int64
}

// meet takes note of a job that has come: it may be what was searched for.
func (s *search) meet(e local) { s.done = s.done && e.each > s.upTo }

// shelf is the jobs of one sharer: [0] those that are not predicted, [1] the others.
type shelf [2][]local

// local is a job on a shelf, and what one of its maps makes.
type local struct {
	each float64
	job  *cluster.Job
}

func (a local) compare(b local) int {
	return cmp.Or(cmp.Compare(a.each, b.each), cmp.Compare(a.job.ID, b.job.ID))
}

// put adds an entry unless it is there.
func (s *shelf) put(predicted bool, e local) {
	list := &s[row(predicted)]
	if i, found := slices.BinarySearchFunc(*list, e, local.compare); !found {
		*list = slices.Insert(*list, i, e)
	}
}

// take removes an entry if it is there.
func (s *shelf) take(predicted bool, e local) {
	list := &s[row(predicted)]
	if i, found := slices.BinarySearchFunc(*list, e, local.compare); found {
		*list = slices.Delete(*list, i, i+1)
	}
}

func row(predicted bool) int {
	if predicted {
		return 1
	}
	return 0
}

// closest returns the job whose maps make most without exceeding space, of those that usable accepts; of equal
// ones the first. What usable finds to be stale is taken out.
func (s *shelf) closest(row int, space float64, usable func(*cluster.Job) (ok, stale bool)) (local, bool) {
	list := &s[row]
	if len(*list) == 0 || (*list)[0].each > space { // as on most nodes where nobody qualifies
		return local{}, false
	}
	for end := after(*list, space, true); end > 0; {
		from := after((*list)[:end], (*list)[end-1].each, false)
		for i := from; i < end; {
			ok, stale := usable((*list)[i].job)
			if ok {
				return (*list)[i], true
			}
			if stale {
				*list = slices.Delete(*list, i, i+1)
				end--
			} else {
				i++
			}
		}
		end = from
	}
	return local{}, false
}

// after returns the place in a list behind the jobs whose maps make less than size, or as much if so asked.
func after(list []local, size float64, equal bool) int {
	i, _ := slices.BinarySearchFunc(list, size, func(e local, size float64) int {
		if e.each < size || equal && e.each == size {
			return -1
		}
		return 1
	})
	return i
}

// least returns the job whose maps make least, of those that usable accepts; of equal ones the first.
func (s *shelf) least(usable func(*cluster.Job) (ok, stale bool)) (best local, found bool) {
	for row := range s {
		list := &s[row]
		for i := 0; i < len(*list); {
			e := (*list)[i]
			ok, stale := usable(e.job)
			if ok {
				if !found || e.compare(best) < 0 {
					best, found = e, true
				}
				break
			}
			if stale {
				*list = slices.Delete(*list, i, i+1)
			} else {
				i++
			}
		}
	}
	return best, found
}

// In the place of a node: jobs that read nothing, and jobs with data on most nodes.
const (
	anywhere   = model.NodeID(model.None)
	everywhere = anywhere - 1
)

var (
	nodesAnywhere   = []model.NodeID{anywhere}
	nodesEverywhere = []model.NodeID{everywhere}
)

// on returns where the shelf of a sharer on a node stands, which may have come after the job.
func (l *locals) on(node model.NodeID, sharer int32) **shelf {
	shelves := &l.free
	switch {
	case node == everywhere:
		shelves = &l.wide
	case node != anywhere:
		for int(node) >= len(l.byNode) {
			l.byNode = append(l.byNode, nil)
		}
		shelves = &l.byNode[node]
	}
	for int(sharer) >= len(*shelves) {
		*shelves = append(*shelves, nil)
	}
	return &(*shelves)[sharer]
}

// put adds a job to a shelf.
func (l *locals) put(node model.NodeID, sharer int32, predicted bool, e local) {
	at := l.on(node, sharer)
	if *at == nil {
		if n := len(l.spare); n > 0 {
			*at, l.spare = l.spare[n-1], l.spare[:n-1]
		} else {
			*at = &shelf{}
		}
	}
	(*at).put(predicted, e)
	if node == anywhere {
		l.frees++
		return
	}
	for _, searches := range l.inVain {
		if node != everywhere {
			searches = searches[min(int(node), len(searches)):min(int(node)+1, len(searches))]
		}
		for i := range searches {
			searches[i].meet(e)
		}
	}
}

// take removes a job from a shelf.
func (l *locals) take(node model.NodeID, sharer int32, predicted bool, e local) {
	if at := l.on(node, sharer); *at != nil {
		(*at).take(predicted, e)
		l.clear(at)
	}
}

// clear takes a shelf away that is empty.
func (l *locals) clear(at **shelf) {
	if s := *at; len(s[0])+len(s[1]) == 0 {
		l.spare, *at = append(l.spare, s), nil
	}
}

// closestJob returns the sharer's job in a row with a local map on the node that makes most without exceeding space; of equal
// ones the first that reads something.
func (l *locals) closestJob(node model.NodeID, sharer int32, row int, space float64, c *choosing) *cluster.Job {
	best, found := l.closest(node, sharer, row, space, c.local)
	if e, also := l.closest(everywhere, sharer, row, space, c.wide); also && (!found || e.each > best.each || e.each == best.each && e.job.ID < best.job.ID) {
		best, found = e, true
	}
	if e, also := l.closest(anywhere, sharer, row, space, c.anywhere); also && (!found || e.each > best.each) {
		best = e
	}
	return best.job
}

// leastJob returns the sharer's job with the local map on the node that makes least.
func (l *locals) leastJob(node model.NodeID, sharer int32, c *choosing) *cluster.Job {
	best, found := l.least(node, sharer, c.local)
	if e, also := l.least(everywhere, sharer, c.wide); also && (!found || e.compare(best) < 0) {
		best, found = e, true
	}
	if e, also := l.least(anywhere, sharer, c.anywhere); also && (!found || e.compare(best) < 0) {
		best = e
	}
	return best.job
}

// closest is shelf.closest on a node.
func (l *locals) closest(node model.NodeID, sharer int32, row int, space float64, usable func(*cluster.Job) (ok, stale bool)) (e local, found bool) {
	if at := l.on(node, sharer); *at != nil {
		e, found = (*at).closest(row, space, usable)
		l.clear(at)
	}
	return e, found
}

// least is shelf.least on a node.
func (l *locals) least(node model.NodeID, sharer int32, usable func(*cluster.Job) (ok, stale bool)) (e local, found bool) {
	if at := l.on(node, sharer); *at != nil {
		e, found = (*at).least(usable)
		l.clear(at)
	}
	return e, found
}

// searched notes that nobody can use a map that makes at most so much on the node: of jobs that a congested rack
// starts, or of all.
func (l *locals) searched(node model.NodeID, stopping bool, upTo float64) {
	searches := &l.inVain[row(stopping)]
	for int(node) >= len(*searches) {
		*searches = append(*searches, search{})
	}
	(*searches)[node] = search{true, upTo, l.frees}
}

// vain reports whether the search for such a map is known to be in vain.
func (l *locals) vain(node model.NodeID, stopping bool, upTo float64) bool {
	searches := l.inVain[row(stopping)]
	return int(node) < len(searches) && searches[node].done && upTo <= searches[node].upTo && searches[node].frees == l.frees
}
