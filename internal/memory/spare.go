// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Garbage may take as much memory as what lives, and half as much where that is at least large: little becomes garbage in a long
// simulation, so collecting it twice as often costs nothing to speak of there, while a comparison of small runs would feel it.
const (
	usual = 100
	less  = 50
	large = 32 << 20
)

// spare sees to it from now on, at the end of each collection, unless the environment (GOGC) says another share than the usual one.
func spare() {
	if found := debug.SetGCPercent(usual); found != usual {
		debug.SetGCPercent(found)
		return
	}
	settle(usual)
}

// settle sets how much garbage there may be, where that changes, and does so again after the next collection.
func settle(present int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := allowed(live[0].Value.Uint64())
	if percent != present {
		debug.SetGCPercent(percent)
	}
	runtime.AddCleanup(new(mark), settle, percent)
}

// mark is garbage from the beginning, which tells when garbage is collected.
type mark struct{ _ *mark }

// allowed returns how much garbage there may be, in percent of the bytes that live.
func allowed(live uint64) int {
	if live >= large {
		return less
	}
	return usual
}
