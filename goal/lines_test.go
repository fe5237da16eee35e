// SPDX-License-Identifier: Apache-2.0

package goal

import (
	"testing"
	"unsafe"
)

// What estimates look at lies in few lines of memory.
func TestJobIsLines(t *testing.T) {
	if size, kinds := unsafe.Sizeof(Job{}), unsafe.Offsetof(Job{}.kinds); size != 320 || kinds != 64 {
		t.Errorf("an estimate has %d bytes, %d of them for both kinds together", size, kinds)
	}
	if size, times := unsafe.Sizeof(tasks{}), unsafe.Offsetof(tasks{}.running)+unsafe.Offsetof(starts{}.times); size != 128 || times != 64 {
		t.Errorf("tasks have %d bytes, %d of them before the times", size, times)
	}
}
