// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"cmp"
	"slices"
)

// finish is when an activity of a class ends.
type finish struct {
	time  float64
	key   uint64
	class int32
}

// finishes sorts the ends of a while. They are spread over it more or less evenly, so each goes to the part of the while
// that it is in, and the few of a part are put in order: O(ends) as a rule.
type finishes struct {
	counts []int32
	list   []finish
}

// inOrder returns the ends from one time to another in order of (time, start), valid until the next call. Those that rounding
// alone sets apart have the time of the first.
func (s *finishes) inOrder(found []finish, from, until float64) []finish {
	n := len(found)
	s.list, s.counts = slices.Grow(s.list[:0], n)[:n], slices.Grow(s.counts[:0], n+1)[:n+1]
	clear(s.counts)
	scale := 0.0
	if until > from {
		scale = float64(n) / (until - from)
	}
	part := func(f *finish) int { return max(min(int((f.time-from)*scale), n-1), 0) }
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
	s.bring()
	return s.list
}

// sortFew sorts ends of which there are a few as a rule.
func sortFew(list []finish) {
	if len(list) > 16 {
		slices.SortFunc(list, byTime)
		return
	}
	for i := 1; i < len(list); i++ {
		f, k := list[i], i
		for ; k > 0 && (f.time < list[k-1].time || f.time == list[k-1].time && f.key < list[k-1].key); k-- {
			list[k] = list[k-1]
		}
		list[k] = f
	}
}

func byTime(x, y finish) int {
	switch {
	case x.time < y.time:
		return -1
	case x.time > y.time:
		return 1
	}
	return cmp.Compare(x.key, y.key)
}

// bring gives ends that rounding alone sets apart the time of the first, and the order of their starts.
func (s *finishes) bring() {
	for i := 0; i < len(s.list); {
		first, j := s.list[i].time, i+1
		for j < len(s.list) && s.list[j].time <= first+together*first {
			s.list[j].time = first
			j++
		}
		if j > i+1 {
			slices.SortFunc(s.list[i:j], byTime)
		}
		i = j
	}
}
