// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"io"
	"math"
	"strings"
	"testing"
)

// FuzzRun: any text is refused with its faults, or every flow ends, not before it starts.
func FuzzRun(f *testing.F) {
	f.Add("topology 2 2 1e6 1e6 1e6 1e6\nflow a 0 3 1000 0\nflow b 1 2 5e5 0.5\n")
	f.Add("topology 1 3 1 1 1 1 # one rack\nflow a 0 0 1 1e9\nflow b 2 1 1e-9 0\n")
	f.Add("flow a 0 1 NaN -1\ntopology 0 9 1e400 0 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		topo, list, err := read(strings.NewReader(text))
		if err != nil || topo.racks*topo.nodes > 100 || len(list) > 20 {
			return // a cluster of millions of nodes is allowed, and takes its time
		}
		ends, _, err := solve(topo, list)
		if err != nil {
			return
		}
		for i, end := range ends {
			if math.IsNaN(end) || end < list[i].start {
				t.Fatalf("flow %s starts at %g and ends at %g", list[i].id, list[i].start, end)
			}
		}
		if _, err := Run(strings.NewReader(text), io.Discard, Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
