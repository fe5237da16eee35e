// SPDX-License-Identifier: Apache-2.0

// Package heapunit measures the unit in which the cost of a simulated task is stated: one push and
// pop on a bare heap of as many pending events, on the same machine in the same process. Only
// benchmarks and tests import it.
package heapunit

import (
	"runtime"
	"time"

	"github.com/yardmaster/yardmaster/internal/memory"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

func init() { memory.Prepare() } // as the program does: what is measured should be what users get

// bareHeap is a plain 4-ary heap of (time, sequence) and nothing else.
type bareHeap []bareEntry

type bareEntry struct {
	time model.Time
	seq  uint64
}

func (a bareEntry) before(b bareEntry) bool {
	return a.time < b.time || a.time == b.time && a.seq < b.seq
}

func (h *bareHeap) push(e bareEntry) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = e
}

func (h *bareHeap) pop() bareEntry {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	for i := 0; ; {
		c := 4*i + 1
		least := c
		for k := c + 1; k < min(c+4, len(s)); k++ {
			if s[k].before(s[least]) {
				least = k
			}
		}
		if c >= len(s) || !s[least].before(last) {
			s[i] = last
			return top
		}
		s[i] = s[least]
		i = least
	}
}

// PushPop returns the time of one push and pop on a bare heap of n pending events: the least of
// several measurements, because other work on the machine only ever adds time.
func PushPop(n int) time.Duration {
	var h bareHeap
	draw, seq := uint64(1), uint64(0)
	next := func(now model.Time) bareEntry {
		seq++
		return bareEntry{now + model.Time(rng.Next(&draw)>>30), seq}
	}
	for range n {
		h.push(next(0))
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const rounds = 20_000 // a millisecond or two
	best := time.Hour
	for range 80 {
		start := Thread()
		for range rounds {
			h.push(next(h.pop().time))
		}
		best = min(best, Thread()-start)
	}
	return best / rounds
}
