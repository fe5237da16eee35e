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
// any more are taken out when a look-up meets them, so that a look-up is O(log jobs) amortised.
type locals struct {
	byNode [][]shelf // by node and sharer
	free   []shelf   // by sharer: jobs that read nothing, local everywhere
}

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

// of returns the shelf of a sharer, which may be new.
func of(shelves *[]shelf, sharer int32) *shelf {
	for int(sharer) >= len(*shelves) {
		*shelves = append(*shelves, shelf{})
	}
	return &(*shelves)[sharer]
}

// onNode returns the shelf of a sharer on a node, which may have come after the job.
func (l *locals) onNode(node model.NodeID, sharer int32) *shelf {
	for int(node) >= len(l.byNode) {
		l.byNode = append(l.byNode, nil)
	}
	return of(&l.byNode[node], sharer)
}
