// SPDX-License-Identifier: Apache-2.0

package goal

import (
	"slices"
	"sort"

	"github.com/yardmaster/yardmaster/model"
)

// starts is the multiset of the times at which running tasks began. Times are added in rising order and taken out in any.
// What is left of those that are not overdue is a difference of two sums, so adding and taking out cost nothing, and asking
// costs what lies between this time and that of the last question: overdue moves on with time past every start once, and
// goes back only where the mean length has grown, by an n-th of a length after n tasks. The zero value is empty.
type starts struct {
	all   span
	late  span    // of those that were overdue when somebody asked last
	due   int     // and how many of the times they are, from the first on
	times []begun // of all that began, in this order
	place []int32 // by number of a task that has begun: where its time stands
}

// begun is the time at which a task began, not below zero; its complement when the task no longer runs.
type begun model.Time

// over is -1 if the task no longer runs, else 0.
func (b begun) over() begun { return b >> 63 }

// at is when it began.
func (b begun) at() model.Time { return model.Time(b ^ b.over()) }

// span sums some of the times. Sums may wrap around; differences of them are exact all the same.
type span struct{ n, sum int64 }

func (s *span) add(n int64, at model.Time) {
	s.n += n
	s.sum += n * int64(at)
}

func (s *starts) running() int32 { return int32(s.all.n) }

// add notes task number i, which begins at t: not before any time added so far.
func (s *starts) add(i int32, t model.Time) {
	s.place[i] = int32(len(s.times))
	s.times = append(s.times, begun(t))
	s.all.add(1, t)
}

// expect makes room for that many tasks, which are more than before.
func (s *starts) expect(tasks int, from *spare) {
	if s.place == nil {
		s.times, s.place = from.take()
	}
	s.times = slices.Grow(s.times, tasks-len(s.times))
	s.place = slices.Grow(s.place, tasks-len(s.place))[:tasks]
}

// spare keeps the lists of jobs that are over. Jobs take them when their first tasks start: those that wait have none.
type spare struct{ lists []starts }

// take returns empty lists.
func (f *spare) take() ([]begun, []int32) {
	n := len(f.lists)
	if n == 0 {
		return nil, nil
	}
	l := f.lists[n-1]
	f.lists = f.lists[:n-1]
	return l.times[:0], l.place[:0]
}

// give takes the lists of a job that is over.
func (f *spare) give(s starts) {
	if s.place != nil {
		f.lists = append(f.lists, s)
	}
}

// remove takes out task number i, which began at t. Its time is sought where another attempt of it began later, or has ended.
func (s *starts) remove(i int32, t model.Time) {
	at := int(s.place[i])
	if s.times[at] != begun(t) {
		at = s.seek(t)
	}
	s.times[at] = ^begun(t)
	s.all.add(-1, t)
	if at < s.due {
		s.late.add(-1, t)
	}
}

// seek returns where a task that runs and began at t stands.
func (s *starts) seek(t model.Time) int {
	first := sort.Search(len(s.times), func(i int) bool { return s.times[i].at() >= t })
	return first + slices.Index(s.times[first:], begun(t))
}

// rebase makes all running tasks begin at t, before which they began.
func (s *starts) rebase(t model.Time) {
	for i, b := range s.times {
		s.times[i] = begun(t) ^ b.over()
	}
	n := s.all.n
	s.all, s.late, s.due = span{}, span{}, 0
	s.all.add(n, t)
}

// left returns the sum over the running tasks of mean - (now - start), none of them below zero
// (deadline-2010 §III-B: the remaining times delta).
func (s *starts) left(now, mean model.Time) model.Time {
	overdue := now - mean // tasks that began by then should have ended
	for ; s.due < len(s.times) && s.times[s.due].at() <= overdue; s.due++ {
		s.late.add(int64(1+s.times[s.due].over()), s.times[s.due].at())
	}
	for ; s.due > 0 && s.times[s.due-1].at() > overdue; s.due-- {
		s.late.add(-int64(1+s.times[s.due-1].over()), s.times[s.due-1].at())
	}
	return model.Time(s.all.sum - s.late.sum - (s.all.n-s.late.n)*int64(overdue))
}
