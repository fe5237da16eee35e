// SPDX-License-Identifier: Apache-2.0

package goal

import (
	"sort"

	"github.com/yardmaster/yardmaster/model"
)

// starts is the multiset of the times at which running tasks began. Times are added in rising order
// and taken out in any. Adding, taking out and summing what is left cost O(log n): a Fenwick tree
// over the distinct times counts and sums them. The zero value is empty.
type starts struct {
	at    []model.Time // distinct, rising
	count []int32      // tasks that began then and still run
	tree  []span       // tree[i] sums the positions (i-(i&-i), i], counted from 1
	all   span
}

// span sums some of the times. Sums may wrap around; differences of them are exact all the same.
type span struct{ n, sum int64 }

func (s *starts) running() int32 { return int32(s.all.n) }

// add notes a task that begins at t, which is not before any time added so far.
func (s *starts) add(t model.Time) {
	if last := len(s.at) - 1; last < 0 || s.at[last] != t {
		if len(s.at) > 2*int(s.all.n)+16 {
			s.compact()
		}
		s.push(t)
	}
	s.change(len(s.at)-1, 1)
}

// remove takes out a task that began at t.
func (s *starts) remove(t model.Time) {
	s.change(sort.Search(len(s.at), func(i int) bool { return s.at[i] >= t }), -1)
}

// rebase makes all running tasks begin at t.
func (s *starts) rebase(t model.Time) {
	n := s.running()
	*s = starts{at: s.at[:0], count: s.count[:0], tree: s.tree[:0]}
	if n > 0 {
		s.push(t)
		s.change(0, n)
	}
}

// left returns the sum over the running tasks of mean - (now - start), none of them below zero
// (deadline-2010 §III-B: the remaining times delta).
func (s *starts) left(now, mean model.Time) model.Time {
	overdue := now - mean // tasks that began by then should have ended
	i := sort.Search(len(s.at), func(i int) bool { return s.at[i] > overdue })
	rest := s.all
	for ; i > 0; i -= i & -i {
		rest.n -= s.tree[i-1].n
		rest.sum -= s.tree[i-1].sum
	}
	return model.Time(rest.sum - rest.n*int64(overdue))
}

// push appends a position at which nothing runs yet.
func (s *starts) push(t model.Time) {
	i := len(s.at) + 1
	node := span{}
	for k := i - 1; k > i-i&-i; k -= k & -k {
		node.n += s.tree[k-1].n
		node.sum += s.tree[k-1].sum
	}
	s.at, s.count, s.tree = append(s.at, t), append(s.count, 0), append(s.tree, node)
}

func (s *starts) change(position int, by int32) {
	d := span{int64(by), int64(by) * int64(s.at[position])}
	s.count[position] += by
	s.all.n += d.n
	s.all.sum += d.sum
	for i := position + 1; i <= len(s.tree); i += i & -i {
		s.tree[i-1].n += d.n
		s.tree[i-1].sum += d.sum
	}
}

// compact drops the times of which no task is left running. It is called when they are the majority,
// so it costs O(log n) per task.
func (s *starts) compact() {
	at, count := s.at, s.count
	*s = starts{at: at[:0], count: count[:0], tree: s.tree[:0]}
	for i, n := range count {
		if n > 0 {
			t := at[i] // before push overwrites it, which happens at i at the latest
			s.push(t)
			s.change(len(s.at)-1, n)
		}
	}
}
