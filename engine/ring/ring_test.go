// SPDX-License-Identifier: Apache-2.0

package ring

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Nodes stand in the order of their phases, of one phase in that of their numbers; each stands once.
func TestNew(t *testing.T) {
	for _, interval := range []model.Time{0, 1, 3, model.Second} {
		r := New(1, 50, interval)
		seen := map[model.NodeID]bool{}
		for i, node := range r.Nodes {
			seen[node] = true
			if int(r.At[node]) != i {
				t.Fatalf("interval %d: node %d stands at %d, not %d", interval, node, i, r.At[node])
			}
			if interval > 0 && (r.Phase[i] < 0 || r.Phase[i] >= interval) {
				t.Fatalf("interval %d: phase %d", interval, r.Phase[i])
			}
			if i > 0 && (r.Phase[i-1] > r.Phase[i] || r.Phase[i-1] == r.Phase[i] && r.Nodes[i-1] > node) {
				t.Fatalf("interval %d: node %d with phase %d stands before node %d with %d", interval, r.Nodes[i-1], r.Phase[i-1], node, r.Phase[i])
			}
		}
		if len(seen) != 50 {
			t.Errorf("interval %d: %d nodes stand in the ring", interval, len(seen))
		}
		if interval == 0 && slices.IsSorted(r.Nodes) {
			t.Error("on idle nodes stand in the order of their numbers")
		}
	}
}
