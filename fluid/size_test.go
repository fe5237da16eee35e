// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"testing"
	"unsafe"
)

// The filling is bound by memory: what it reads of a class or a resource is one cache line.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("not a 64-bit machine")
	}
	if n := unsafe.Sizeof(class{}); n != 64 {
		t.Errorf("class has %d bytes", n)
	}
	if n := unsafe.Sizeof(resource{}); n != 64 {
		t.Errorf("resource has %d bytes", n)
	}
	if n := unsafe.Sizeof(body{}); n != 128 {
		t.Errorf("body has %d bytes", n)
	}
}
