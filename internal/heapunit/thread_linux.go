// SPDX-License-Identifier: Apache-2.0

package heapunit

import (
	"syscall"
	"time"
)

// Thread returns the processor time that this thread has used. The caller has locked its goroutine to the
// thread; what the garbage collector does on other cores meanwhile does not count.
func Thread() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
