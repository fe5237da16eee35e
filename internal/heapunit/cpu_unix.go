// SPDX-License-Identifier: Apache-2.0

//go:build unix

package heapunit

import (
	"syscall"
	"time"
)

// CPU returns the processor time that this process has used, all threads together. Measured with it, a
// cost does not depend on what else the machine does, as far as caches allow.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
