// SPDX-License-Identifier: Apache-2.0

package heapunit

import (
	"time"

	"golang.org/x/sys/unix"
)

// Thread returns the processor time that this thread has used, to the nanosecond. The caller has locked its goroutine
// to the thread; what the garbage collector does on other cores meanwhile does not count.
func Thread() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// Resident returns the most memory that the process has had, in MiB.
func Resident() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Maxrss) / 1024
}
