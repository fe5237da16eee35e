// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"math"
	"testing"
)

// The Fair Scheduler keeps shares as numbers of 32 bits and cuts the limit off; vcores do not count.
func TestFairMasterLimit(t *testing.T) {
	for _, c := range []struct {
		share  float32
		memory int64
	}{{0.7, 7167}, {0.5, 5120}, {0.1, 1024}, {0, 0}, {1, 10240}, {1.5, 10240}, {-1, math.MaxInt64}, {-0.99995, math.MaxInt64}} {
		if got := FairMasterLimit(c.share, Resource{10240, 8}); got != (Resource{c.memory, math.MaxInt64}) {
			t.Errorf("%g: %v, want %d MiB", c.share, got, c.memory)
		}
	}
}
