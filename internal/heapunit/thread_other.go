// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package heapunit

import "time"

// Thread returns the processor time of the process, where that of a thread cannot be read.
func Thread() time.Duration { return CPU() }
