// SPDX-License-Identifier: Apache-2.0

package des

import (
	"math/bits"
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

const (
	crowd   = 64 // events that may be near before others are put far ahead
	perList = 2  // events that a list shall have by the time that it is taken
)

// far holds the events at or after a horizon, unsorted, in lists: list i has those of one span of 1<<shift nanoseconds
// after origin, the list beyond what comes after all spans. Putting an event there costs nothing by the number of
// events, and most stay until their list is the earliest and its few events come near.
//
// How long a span is follows from how fast events came lately: spread lays out all anew when the lists are used up, or
// when a list turns out crowded. Lists are as many as events, so each spread is paid for by as many pops.
type far struct {
	lists   []uint32 // the first slot of each; none while every event is near
	taken   int      // lists that have been taken
	beyond  uint32
	linked  int // slots in lists
	lost    int // cancelled ones among them
	horizon model.Time
	origin  model.Time
	shift   uint8

	pops  int // since the last spread
	since model.Time
}

// list returns the list that events at t belong to, nil if they are near.
func (f *far) list(t model.Time) *uint32 {
	if t < f.horizon || len(f.lists) == 0 {
		return nil
	}
	if i := uint64(t-f.origin) >> (f.shift & 63); i < uint64(len(f.lists)) {
		return &f.lists[i]
	}
	return &f.beyond
}

// approach brings the events of the next list near. If that makes a crowd, and spread has been paid for, all events are laid
// out anew instead.
func (q *Queue[P]) approach() {
	f := &q.far
	for f.taken < len(f.lists) && f.lists[f.taken] == 0 {
		f.taken++
	}
	if f.taken == len(f.lists) {
		q.spread()
		return
	}
	s := f.lists[f.taken]
	f.lists[f.taken] = 0
	f.taken++
	f.horizon = f.origin + model.Time(f.taken)<<(f.shift&63)
	for s != 0 {
		p := &q.slots[s]
		next := p.next
		f.linked--
		if p.key != 0 {
			q.sorted = append(q.sorted, entry{p.time, p.key})
		} else {
			f.lost--
			q.vacate(s)
		}
		s = next
	}
	if len(q.sorted) > crowd && f.pops >= q.near()+f.linked {
		q.spread()
		return
	}
	latestFirst(q.sorted)
}

// latestFirst sorts entries, of which there are a few as a rule.
func latestFirst(s []entry) {
	if len(s) > 16 {
		slices.SortFunc(s, func(a, b entry) int { return a.less(&b) - b.less(&a) })
		return
	}
	for i := 1; i < len(s); i++ {
		e, k := s[i], i
		for ; k > 0 && s[k-1].before(e); k-- {
			s[k] = s[k-1]
		}
		s[k] = e
	}
}

// spread lays out all pending events anew, without those that were cancelled: as lists of spans in which perList events
// come at the pace since the last time, beginning with the earliest.
func (q *Queue[P]) spread() {
	f := &q.far
	all, n, first := uint32(0), 0, model.Forever
	keep := func(s uint32) {
		p := &q.slots[s]
		p.next, all = all, s
		n++
		first = min(first, p.time)
	}
	for _, near := range [2][]entry{q.sorted, q.heap} {
		for _, e := range near {
			if q.live(e) {
				keep(e.slot())
			}
		}
	}
	gather := func(list *uint32) {
		for s := *list; s != 0; {
			next := q.slots[s].next
			if q.slots[s].key != 0 {
				keep(s)
			} else {
				q.vacate(s)
			}
			s = next
		}
		*list = 0
	}
	for i := f.taken; i < len(f.lists); i++ {
		gather(&f.lists[i])
	}
	gather(&f.beyond)
	q.sorted, q.heap, q.dead = q.sorted[:0], q.heap[:0], 0
	f.layOut(n, first, q.now)
	for s := all; s != 0; {
		p := &q.slots[s]
		next := p.next
		if list := f.list(p.time); list != nil {
			p.next, *list = *list, s
			f.linked++
		} else {
			q.siftUp(entry{p.time, p.key})
		}
		s = next
	}
}

// layOut makes empty lists for n events, of which the first comes at first; none if they are few or their pace is not
// known yet.
func (f *far) layOut(n int, first, now model.Time) {
	f.linked, f.lost, f.taken = 0, 0, 0
	span := uint64(now-f.since) * perList / uint64(max(f.pops, 1))
	f.pops, f.since = 0, now
	lists := 1 << bits.Len(uint(n))
	shift := uint8(max(bits.Len64(span)-1, 0))
	if n <= crowd || span == 0 || first > model.Forever/4 || int(shift)+bits.Len(uint(lists)) > 60 {
		f.lists = f.lists[:0]
		return
	}
	if cap(f.lists) < lists {
		f.lists = make([]uint32, lists)
	}
	f.lists = f.lists[:lists]
	f.origin, f.horizon, f.shift = first, first, shift
}
