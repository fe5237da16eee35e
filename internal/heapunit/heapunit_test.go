// SPDX-License-Identifier: Apache-2.0

package heapunit

import (
	"runtime"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// The unit is a real heap: what is pushed comes out in order.
func TestBareHeapSorts(t *testing.T) {
	var h bareHeap
	draw := uint64(1)
	for i := range 1000 {
		h.push(bareEntry{model.Time(rng.Next(&draw) >> 60), uint64(i)})
	}
	last := h.pop()
	for len(h) > 0 {
		next := h.pop()
		if next.before(last) {
			t.Fatalf("%v comes after %v", next, last)
		}
		last = next
	}
	if PushPop(100) <= 0 {
		t.Error("no time was measured")
	}
}

// The clock of a thread is fine enough for short runs: it moves within a millisecond of work.
func TestThreadClockIsFine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: only Linux has a clock for each thread")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, draw := Thread(), uint64(1)
	for range 10_000 {
		rng.Next(&draw)
	}
	if spent := Thread() - start; spent <= 0 || spent > 100*time.Millisecond {
		t.Errorf("10,000 draws took %v", spent)
	}
}

// Of each lap the quickest counts, whichever run it was in.
func TestLeastOfLaps(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	work := func(rounds int) {
		for draw := uint64(1); rounds > 0; rounds-- {
			rng.Next(&draw)
		}
	}
	var l, whole Laps
	for _, laps := range [][2]int{{1000, 4_000_000}, {4_000_000, 1000}} {
		whole.Start()
		l.Start()
		for _, rounds := range laps {
			work(rounds)
			l.Lap()
		}
		whole.Lap()
	}
	if len(l.least) != 2 || l.Least() <= 0 || l.Least() > whole.Least()/10 {
		t.Errorf("laps of which one in two has nothing to do take %v of %v", l.Least(), whole.Least())
	}
}
