// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package heapunit

import (
	"runtime"
	"time"
)

// Thread returns the processor time of the process, where that of a thread cannot be read.
func Thread() time.Duration { return CPU() }

// Resident returns the memory that the process has taken from the system, in MiB, where the most that it has had cannot be read.
func Resident() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / (1 << 20)
}
