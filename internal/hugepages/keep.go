// SPDX-License-Identifier: Apache-2.0

//go:build linux

package hugepages

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// floor is up to which size the heap grows before garbage is collected. A heap that is collected often shrinks often, and each time
// Go's runtime gives pieces of large pages back, which leaves small ones: of a heap of 60 MB a third was on large
// pages after three runs in one process. A heap of half the size and more is collected whenever it has doubled, as without a floor.
const floor = 128 << 20

// usual is by how many per cent a heap grows between two collections, and smallest the heap that Go's runtime multiplies by that, in
// per cent, to know below which size it does not collect at all.
const (
	usual    = 100
	smallest = 4 << 20
)

// keep makes the heap keep its floor, unless the user has named another growth by GOGC.
func keep() {
	if named := debug.SetGCPercent(growth(smallest)); named != usual {
		debug.SetGCPercent(named)
		return
	}
	again()
}

// again sets the growth anew after the next collection, and after all that follow.
func again() {
	type collected struct{ _ *int }
	runtime.AddCleanup(&collected{}, func(struct{}) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		debug.SetGCPercent(growth(sample[0].Value.Uint64()))
		again()
	}, struct{}{})
}

// growth is by how many per cent a heap may grow of which that much is in use.
func growth(live uint64) int {
	live = max(live, smallest)
	if live >= floor {
		return usual
	}
	return max(usual, int(100*(floor-live)/live))
}
