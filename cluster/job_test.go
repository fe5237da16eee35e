// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"testing"
	"unsafe"

	"github.com/yardmaster/yardmaster/model"
)

// What a map touches of its job lies in two lines of memory: with thousands of waiting jobs each start is that of another one.
func TestJobIsLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("lines are laid out for 64 bits")
	}
	var j Job
	first, second := unsafe.Offsetof(j.next), unsafe.Offsetof(j.started)+unsafe.Sizeof(j.started[model.Map])
	if size := unsafe.Sizeof(j); first != 64 || second != 128 || size != 256 { // memory is given out in multiples of lines
		t.Errorf("a job has %d bytes; what its tasks count ends at %d, the set of started maps at %d", size, first, second)
	}
}
