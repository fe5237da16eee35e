// SPDX-License-Identifier: Apache-2.0

package goal

import (
	"slices"
	"sort"

	"github.com/yardmaster/yardmaster/model"
)

// starts is the multiset of the times at which running tasks began. Times are added in rising order and taken out in any.
// What is left of those that are not overdue is a difference of two sums, so adding and taking out cost nothing but a
// search, and asking what lies between this time and that of the last question: overdue moves on with time past every
// start once, and goes back only where the mean length has grown, by an n-th of a length after n tasks. The zero value
// is empty.
type starts struct {
	all   span
	late  span    // of those that were overdue when somebody asked last
	due   int     // and how many marks they are
	marks []mark  // distinct times, rising
	place []int32 // by number of a task that has begun: where its mark stood then
}

// mark is one of the times.
type mark struct {
	at    model.Time
	count int32 // tasks that began then and still run
}

// span sums some of the times. Sums may wrap around; differences of them are exact all the same.
type span struct{ n, sum int64 }

func (s *span) add(n int32, at model.Time) {
	s.n += int64(n)
	s.sum += int64(n) * int64(at)
}

func (s *starts) running() int32 { return int32(s.all.n) }

// add notes task number i, which begins at t: not before any time added so far.
func (s *starts) add(i int32, t model.Time) {
	last := len(s.marks) - 1
	if last < 0 || s.marks[last].at != t {
		if len(s.marks) > 2*int(s.all.n)+16 {
			s.compact()
		}
		s.marks = append(s.marks, mark{at: t})
		last = len(s.marks) - 1
	}
	s.change(last, 1)
	s.place[i] = int32(last)
}

// expect makes room for that many tasks, which are more than before.
func (s *starts) expect(tasks int, from *spare) {
	if s.place == nil {
		s.marks, s.place = from.take(tasks)
	}
	s.place = slices.Grow(s.place, tasks-len(s.place))[:tasks]
}

// spare keeps the lists of jobs that are over. Jobs take them when their first tasks start: those that wait have none.
type spare struct{ lists []starts }

// fewMarks is for how many marks there is room at first: few jobs need more.
const fewMarks = 32

// take returns empty lists for that many tasks.
func (f *spare) take(tasks int) ([]mark, []int32) {
	n := len(f.lists)
	if n == 0 {
		return make([]mark, 0, min(tasks, fewMarks)), make([]int32, 0, tasks)
	}
	l := f.lists[n-1]
	f.lists = f.lists[:n-1]
	return l.marks[:0], l.place[:0]
}

// give takes the lists of a job that is over.
func (f *spare) give(s starts) {
	if s.place != nil {
		f.lists = append(f.lists, s)
	}
}

// remove takes out task number i, which began at t. Its mark is sought unless it still stands where it stood then.
func (s *starts) remove(i int32, t model.Time) {
	at := int(s.place[i])
	if at >= len(s.marks) || s.marks[at].at != t {
		at = sort.Search(len(s.marks), func(i int) bool { return s.marks[i].at >= t })
	}
	s.change(at, -1)
}

// change adds tasks to a mark.
func (s *starts) change(place int, by int32) {
	m := &s.marks[place]
	m.count += by
	s.all.add(by, m.at)
	if place < s.due {
		s.late.add(by, m.at)
	}
}

// rebase makes all running tasks begin at t.
func (s *starts) rebase(t model.Time) {
	n := s.running()
	*s = starts{marks: s.marks[:0], place: s.place}
	if n > 0 {
		s.marks = append(s.marks, mark{t, n})
		s.all.add(n, t)
	}
}

// left returns the sum over the running tasks of mean - (now - start), none of them below zero
// (deadline-2010 §III-B: the remaining times delta).
func (s *starts) left(now, mean model.Time) model.Time {
	overdue := now - mean // tasks that began by then should have ended
	for ; s.due < len(s.marks) && s.marks[s.due].at <= overdue; s.due++ {
		s.late.add(s.marks[s.due].count, s.marks[s.due].at)
	}
	for ; s.due > 0 && s.marks[s.due-1].at > overdue; s.due-- {
		s.late.add(-s.marks[s.due-1].count, s.marks[s.due-1].at)
	}
	return model.Time(s.all.sum - s.late.sum - (s.all.n-s.late.n)*int64(overdue))
}

// compact drops the times of which no task is left running. It is called when they are the majority, so it costs O(1) per
// task.
func (s *starts) compact() {
	rest, due := s.marks[:0], 0
	for i, m := range s.marks {
		if m.count == 0 {
			continue
		}
		if i < s.due {
			due++
		}
		rest = append(rest, m)
	}
	s.marks, s.due = rest, due
}
