// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"testing"
	"unsafe"
)

// A container is a line of a processor's cache.
func TestContainerSize(t *testing.T) {
	if size := unsafe.Sizeof(Container{}); size != 64 {
		t.Errorf("a container has %d bytes", size)
	}
}
