// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/queue"
)

// Under maxAMShare masters start while all of them stay within the share, one that fills it exactly included; not even the
// first may pass it, a small one passes a large one that waits, and a larger share lets the next in.
func TestMaxAMShare(t *testing.T) {
	g := newStage(t, "root.queues=default root.default.capacity=100", 10)
	set := *g.s.queues.settings
	set.Queues = slices.Clone(set.Queues)
	for i := range set.Queues {
		set.Queues[i].FairMasters = true
	}
	share := func(to float32) {
		t.Helper()
		if err := g.s.Refresh(set.WithMasterShare(to)); err != nil {
			t.Fatal(err)
		}
	}
	g.s.OnHold(func(*Attempt) {})
	share(0.3)
	submit := func(app int, memory int64) *Attempt {
		a := &Attempt{App: app, Number: 1, User: "u", Master: queue.Resource{Memory: memory, VCores: 1}}
		g.s.Submit(a, "root.default", int64(app))
		return a
	}
	large, small := submit(1, 4*gb), submit(2, 3*gb)
	if large.activated || !small.activated {
		t.Errorf("4 GiB activated: %t, 3 GiB: %t, of a share of 3 GiB", large.activated, small.activated)
	}
	const why = "maxAMShare of root.default, 0.3, is 3072 MiB: masters take 3072, this one asks for 4096"
	if got := large.Why(); got != why {
		t.Errorf("held back because %s, want %s", got, why)
	}
	share(0.75)
	if !large.activated {
		t.Error("a share of 7.5 GiB does not hold both")
	}
}
