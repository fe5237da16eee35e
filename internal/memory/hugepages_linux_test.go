// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// What the heap gives out after preferLarge lies where large pages are asked for, and asking takes no memory.
func TestPreferLarge(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this Linux has no transparent large pages: ", err)
	}
	preferLarge()
	for _, n := range []int{1 << 20, 64 << 20} {
		list := make([]byte, n)
		if m := mapping(t, uintptr(unsafe.Pointer(&list[n/2]))); !slices.Contains(m.flags, "hg") {
			t.Errorf("%d bytes lie where flags are %v, hg must be one of them", n, m.flags)
		} else if m.resident > size/8 {
			t.Errorf("%d bytes are resident where %d were marked and none used", m.resident, size)
		}
	}
}

// region is a line of /proc/self/smaps and what belongs to it.
type region struct {
	flags    []string
	resident int
}

// mapping returns the region of an address.
func mapping(t *testing.T, address uintptr) (found region) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		var kB int
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= address && address < to
		} else if n, _ := fmt.Sscanf(lines.Text(), "Rss: %d kB", &kB); inside && n == 1 {
			found.resident = kB << 10
		} else if rest, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); inside && ok {
			found.flags = strings.Fields(rest)
		}
	}
	return found
}
