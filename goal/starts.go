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
	marks []mark // distinct times, rising
	all   span
	due   int // how many of them were overdue when somebody asked last
}

// mark is one of the times.
type mark struct {
	at    model.Time
	tree  span  // of mark i, counted from 1: sums marks (i-(i&-i), i]
	count int32 // tasks that began then and still run
}

// span sums some of the times. Sums may wrap around; differences of them are exact all the same.
type span struct{ n, sum int64 }

func (s *span) add(d span) {
	s.n += d.n
	s.sum += d.sum
}

func (s *starts) running() int32 { return int32(s.all.n) }

// add notes a task that begins at t, which is not before any time added so far, and returns where its mark stands. It stays
// there unless marks are dropped.
func (s *starts) add(t model.Time) int32 {
	if last := len(s.marks) - 1; last >= 0 && s.marks[last].at == t {
		s.change(last, 1)
		return int32(last)
	}
	if len(s.marks) > 2*int(s.all.n)+16 {
		s.compact()
	}
	s.push(t, 1)
	return int32(len(s.marks) - 1)
}

// remove takes out a task that began at t. Its mark is sought unless it still stands where it stood then.
func (s *starts) remove(t model.Time, stood int32) {
	place := int(stood)
	if place >= len(s.marks) || s.marks[place].at != t {
		place = s.before(t)
	}
	s.change(place, -1)
}

// rebase makes all running tasks begin at t.
func (s *starts) rebase(t model.Time) {
	n := s.running()
	*s = starts{marks: s.marks[:0]}
	if n > 0 {
		s.push(t, n)
	}
}

// before returns how many of the marks are before t.
func (s *starts) before(t model.Time) int {
	return sort.Search(len(s.marks), func(i int) bool { return s.marks[i].at >= t })
}

// overdue is before for who asks again and again while time passes: it begins where it ended last.
func (s *starts) overdue(t model.Time) int {
	i := min(s.due, len(s.marks))
	for range 8 {
		switch {
		case i < len(s.marks) && s.marks[i].at < t:
			i++
		case i > 0 && s.marks[i-1].at >= t:
			i--
		default:
			s.due = i
			return i
		}
	}
	s.due = s.before(t)
	return s.due
}

// left returns the sum over the running tasks of mean - (now - start), none of them below zero
// (deadline-2010 §III-B: the remaining times delta).
func (s *starts) left(now, mean model.Time) model.Time {
	overdue := now - mean // tasks that began by then should have ended
	rest := s.all
	for i := s.overdue(overdue + 1); i > 0; i -= i & -i {
		rest.n -= s.marks[i-1].tree.n
		rest.sum -= s.marks[i-1].tree.sum
	}
	return model.Time(rest.sum - rest.n*int64(overdue))
}

// push appends a mark with n tasks.
func (s *starts) push(t model.Time, n int32) {
	d := span{int64(n), int64(n) * int64(t)}
	i, node := len(s.marks)+1, d
	for k := i - 1; k > i-i&-i; k -= k & -k {
		node.add(s.marks[k-1].tree)
	}
	s.marks = append(s.marks, mark{t, node, n})
	s.all.add(d)
}

// change adds tasks to a mark.
func (s *starts) change(place int, by int32) {
	d := span{int64(by), int64(by) * int64(s.marks[place].at)}
	s.marks[place].count += by
	s.all.add(d)
	for i := place + 1; i <= len(s.marks); i += i & -i {
		s.marks[i-1].tree.add(d)
	}
}

// compact drops the times of which no task is left running. It is called when they are the majority,
// so it costs O(log n) per task.
func (s *starts) compact() {
	marks := s.marks
	*s = starts{marks: marks[:0]}
	for i := range marks {
		if m := marks[i]; m.count > 0 { // before push overwrites it, which happens at i at the latest
			s.push(m.at, m.count)
		}
	}
}
