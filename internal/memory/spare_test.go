// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// Where much lives there is half as much garbage, and as much as usual when it is gone.
func TestSpare(t *testing.T) {
	spare()
	kept := make([]byte, large+1<<20)
	await(t, less)
	runtime.KeepAlive(kept)
	kept = nil
	await(t, usual)
}

// await waits until so much garbage may be.
func await(t *testing.T, want int) {
	found := 0
	for range 500 {
		runtime.GC()
		found = debug.SetGCPercent(want)
		debug.SetGCPercent(found)
		if found == want {
			return
		}
		time.Sleep(10 * time.Millisecond) // what is to be done after a collection is done beside it
	}
	t.Fatalf("garbage may take %d %% of what lives, want %d", found, want)
}

// Who says how much garbage there may be is heeded.
func TestSpareHeeds(t *testing.T) {
	before := debug.SetGCPercent(80) // as the environment does
	defer debug.SetGCPercent(before)
	spare()
	if found := debug.SetGCPercent(80); found != 80 {
		t.Errorf("garbage may take %d %% of what lives, it was said to be 80", found)
	}
}
