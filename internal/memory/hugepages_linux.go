// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"runtime/debug"
	"syscall"
)

// size is the memory that is asked for. Most runs need less; what a run needs beyond lies on small pages.
const size = 256 << 20

// preferLarge puts the heap on large pages from now on, where Linux grants them to who asks (transparent_hugepage is not never). The
// heap takes room for what is to come, marks it and frees it: it grows into the same addresses again, and room that was never
// written to costs no memory.
func preferLarge() {
	if err := syscall.Madvise(make([]byte, size), syscall.MADV_HUGEPAGE); err == nil {
		debug.FreeOSMemory()
	}
}
