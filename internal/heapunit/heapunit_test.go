// SPDX-License-Identifier: Apache-2.0

package heapunit

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// The unit is a real heap: what is pushed comes out in order.
func TestBareHeapSorts(t *testing.T) {
	var h bareHeap
	draw := uint64(1)
	for i := range 1000 {
		h.push(bareEntry{model.Time(rng.Next(&draw) >> 60), uint64(i)})
	}
	last := h.pop()
	for len(h) > 0 {
		next := h.pop()
		if next.before(last) {
			t.Fatalf("%v comes after %v", next, last)
		}
		last = next
	}
	if PushPop(100) <= 0 {
		t.Error("no time was measured")
	}
}
