// SPDX-License-Identifier: Apache-2.0

// Package moments puts what happens in a while in order.
package moments

import (
	"cmp"
	"slices"
)

// Moment is when something happens. What happens at one time is in the order of the keys.
type Moment struct {
	Time float64
	Key  uint64
	Of   int32
}

// Sorter sorts the moments of a while. They are spread over it more or less evenly, so each goes to the part of the while
// that it is in, and the few of a part are put in order: O(moments) as a rule.
type Sorter struct {
	counts []int32
	list   []Moment
}

// InOrder returns the moments from one time to another in order of (time, key), valid until the next call. Those that are
// within a relative difference, which rounding alone makes, have the time of the first.
func (s *Sorter) InOrder(found []Moment, from, until, rounding float64) []Moment {
	n := len(found)
	s.list, s.counts = slices.Grow(s.list[:0], n)[:n], slices.Grow(s.counts[:0], n+1)[:n+1]
	clear(s.counts)
	scale := 0.0
	if until > from {
		scale = float64(n) / (until - from)
	}
	part := func(m *Moment) int { return max(min(int((m.Time-from)*scale), n-1), 0) }
	for i := range found {
		s.counts[part(&found[i])+1]++
	}
	for i := range n {
		s.counts[i+1] += s.counts[i]
	}
	for i := range found { // counts[p] becomes the end of part p
		at := &s.counts[part(&found[i])]
		s.list[*at] = found[i]
		*at++
	}
	for p, begin := 0, int32(0); p < n; p++ {
		if end := s.counts[p]; end > begin+1 {
			sortFew(s.list[begin:end])
		}
		begin = s.counts[p]
	}
	bring(s.list, rounding)
	return s.list
}

// sortFew sorts moments of which there are a few as a rule.
func sortFew(list []Moment) {
	if len(list) > 16 {
		slices.SortFunc(list, byTime)
		return
	}
	for i := 1; i < len(list); i++ {
		m, k := list[i], i
		for ; k > 0 && (m.Time < list[k-1].Time || m.Time == list[k-1].Time && m.Key < list[k-1].Key); k-- {
			list[k] = list[k-1]
		}
		list[k] = m
	}
}

func byTime(x, y Moment) int {
	switch {
	case x.Time < y.Time:
		return -1
	case x.Time > y.Time:
		return 1
	}
	return cmp.Compare(x.Key, y.Key)
}

// bring gives moments that rounding alone sets apart the time of the first, and the order of their keys.
func bring(list []Moment, rounding float64) {
	for i := 0; i < len(list); {
		first, j := list[i].Time, i+1
		for j < len(list) && list[j].Time <= first+rounding*first {
			list[j].Time = first
			j++
		}
		if j > i+1 {
			slices.SortFunc(list[i:j], byTime)
		}
		i = j
	}
}
