// SPDX-License-Identifier: Apache-2.0

//go:build linux

package hugepages

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 3100},          // 4 MiB are taken for it, and grow by 31 times as much to 128 MiB
		{1 << 20, 3100},    // the same
		{32 << 20, 300},    // to 128 MiB
		{64 << 20, 100},    // half of the floor
		{100 << 20, 100},   // and from there on to the double
		{4000 << 20, 100},  //
		{floor, usual},     //
		{floor - 1, usual}, //
	} {
		if got := growth(c.live); got != c.want {
			t.Errorf("a heap of %d bytes grows by %d %%, want %d", c.live, got, c.want)
		}
	}
}

// Whatever the heap holds after a collection, the next one comes at the floor, or when it has doubled.
func TestKeep(t *testing.T) {
	debug.SetGCPercent(usual)
	keep()
	for _, size := range []int{16 << 20, 300 << 20, 1} {
		list := make([]byte, size)
		if !settles(func(goal, live uint64) bool {
			return goal >= max(2*live, floor*9/10) && goal <= max(3*live, floor*11/10)
		}) {
			t.Errorf("with %d bytes in use the next collection does not come where it should", size)
		}
		runtime.KeepAlive(list)
	}
}

// settles collects garbage until it holds what is expected of the size at which the next collection comes, and of what is in use.
func settles(holds func(goal, live uint64) bool) bool {
	for range 1000 {
		runtime.GC()
		runtime.Gosched() // the growth is set beside it
		sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}, {Name: "/gc/heap/live:bytes"}}
		if metrics.Read(sample); holds(sample[0].Value.Uint64(), sample[1].Value.Uint64()) {
			return true
		}
	}
	return false
}
