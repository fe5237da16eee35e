// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"testing"
	"unsafe"
)

// What a new level reads and writes fits cache lines: one for the clock of a bottleneck or a class, two for the
// bottleneck, one for a pair and a quarter for it seen from either side.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("not a 64-bit machine")
	}
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"line", unsafe.Sizeof(line{}), 64}, {"roster", unsafe.Sizeof(roster{}), 64}, {"bottleneck", unsafe.Sizeof(bottleneck{}), 128},
		{"pair", unsafe.Sizeof(pair{}), 64}, {"inflow", unsafe.Sizeof(inflow{}), 16}, {"outflow", unsafe.Sizeof(outflow{}), 16},
	} {
		if c.got != c.want {
			t.Errorf("%s has %d bytes, want %d", c.name, c.got, c.want)
		}
	}
}
