// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"testing"
	"unsafe"
)

// The filling is bound by memory: what it reads of a class or a resource is one cache line. So is what
// a new level writes, the service, and the rest of a class and of a resource.
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
	if n := unsafe.Sizeof(service{}); n != 64 {
		t.Errorf("service has %d bytes", n)
	}
	if n := unsafe.Sizeof(body{}); n != 64 {
		t.Errorf("body has %d bytes", n)
	}
	if n := unsafe.Sizeof(stock{}); n != 64 {
		t.Errorf("stock has %d bytes", n)
	}
}
