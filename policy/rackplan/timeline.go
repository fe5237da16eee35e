// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"slices"
	"sort"

	"github.com/yardmaster/yardmaster/model"
)

// timeline is when each container of a rack is free next, in order (T_ik of §4.2.3.2).
type timeline []model.Time

// work is tasks of one length that may start from a time on. As many containers take a task each, those that are free
// first; where there are more tasks than containers, whichever is free first takes the next.
type work struct {
	tasks  int
	from   model.Time
	length model.Time
}

// end returns when the last task would end. scratch is overwritten.
func (t timeline) end(w work, scratch *timeline) model.Time {
	if w.tasks <= len(t) {
		return max(t[w.tasks-1], w.from) + w.length
	}
	*scratch = append((*scratch)[:0], t...)
	return scratch.book(w)
}

// book makes the containers do the work, and returns when the last task ends.
func (t timeline) book(w work) (end model.Time) {
	if w.tasks <= len(t) {
		return t.shift(w.tasks, w)
	}
	for tasks := w.tasks; tasks > 0; {
		// Whoever is free before the first of them is done takes a task now.
		n := max(sort.Search(len(t), func(i int) bool { return t[i] >= max(t[0], w.from)+w.length }), 1)
		if w.length == 0 {
			n = len(t)
		}
		if waves := tasks / n; n == len(t) && waves > 1 { // all take turns
			for i := range t {
				t[i] = max(t[i], w.from) + model.Time(waves-1)*w.length
			}
			tasks -= (waves - 1) * n
		}
		n = min(n, tasks)
		end = max(end, t.shift(n, w))
		tasks -= n
	}
	return end
}

// shift gives a task to each of the first n containers, and returns when the last of them ends.
func (t timeline) shift(n int, w work) (end model.Time) {
	for i := range n {
		t[i] = max(t[i], w.from) + w.length
	}
	end = t[n-1]
	merge(t, n)
	return end
}

// merge puts two sorted parts in order, of which the first has n elements.
func merge(t timeline, n int) {
	if n == len(t) || t[n-1] <= t[n] {
		return
	}
	late := slices.Clone(t[:n])
	rest, at := t[n:], 0
	for len(late) > 0 {
		if len(rest) > 0 && rest[0] <= late[0] {
			t[at], rest = rest[0], rest[1:]
		} else {
			t[at], late = late[0], late[1:]
		}
		at++
	}
}

// earliest returns how many of the n containers that are free first each rack has; among equals the first rack's come
// first. There are at least n.
func earliest(racks []timeline, n int) []int {
	before := func(t timeline, limit model.Time) int {
		return sort.Search(len(t), func(i int) bool { return t[i] >= limit })
	}
	low, high := model.Forever, model.Time(0)
	for _, t := range racks {
		if len(t) > 0 {
			low, high = min(low, t[0]), max(high, t[len(t)-1])
		}
	}
	// The least time such that n containers are free then.
	last := low + model.Time(sort.Search(int(high-low), func(d int) bool {
		free := 0
		for _, t := range racks {
			free += before(t, low+model.Time(d)+1)
		}
		return free >= n
	}))
	counts := make([]int, len(racks))
	for i, t := range racks {
		counts[i] = before(t, last)
		n -= counts[i]
	}
	for i, t := range racks {
		more := min(before(t, last+1)-counts[i], n)
		counts[i] += more
		n -= more
	}
	return counts
}
