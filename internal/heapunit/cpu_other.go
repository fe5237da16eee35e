// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package heapunit

import "time"

var began = time.Now()

// CPU returns the time since the process began: where processor time cannot be read, costs are as the
// clock on the wall says.
func CPU() time.Duration { return time.Since(began) }
