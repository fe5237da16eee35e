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
