// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Nodes 0 and 2 are part 1, nodes 1 and 3 part 2.
func TestTagsParts(t *testing.T) {
	const s = model.Second
	d := newDesk(t, "tags", "limits: [10s]\ncapacities: [50%, 50%]", racks(model.Containers, 1, 4, model.Room{1, 0}), plain(model.Containers, 2, 20, 0), nil)
	d.admit(0)
	if got := d.offer(1, 0); got.Task.Job != model.None || got.Scope != policy.Here {
		t.Errorf("part 2 is not for queue 1, but part 1 has room: %+v", got)
	}
	if d.blocked[0] != model.LimitPartition {
		t.Errorf("job 0 is held back by %v, want its part", d.blocked[0])
	}
	a := d.served(t, "part 1", 0, 0, 0)
	d.served(t, "part 1", 2, 0, 0)
	if got := d.offer(3, 0); got.Task.Job != model.None || got.Scope != policy.Everywhere {
		t.Errorf("part 1 is full, so no node can serve the job: %+v", got)
	}
	d.admit(1)
	d.now = 20 * s
	d.end(a, 0, true)
	d.served(t, "job 0 has moved, so part 1 goes to job 1", 0, 0, 1)
	d.served(t, "and job 0 gets part 2", 1, 0, 0)
	d.served(t, "all of it", 3, 0, 0)
	d.ranked(t, "higher queues first", 0, 1, 0)
}

// A part that is full goes on to hold its queue's first job back after each start, as long as another part has room that
// nobody wants; nobody need offer that room again.
func TestTagsFullPart(t *testing.T) {
	d := newDesk(t, "tags", "limits: [1h]\ncapacities: [50%, 50%]", racks(model.Containers, 1, 2, model.Room{2, 0}), plain(model.Containers, 2, 5, 0), nil)
	d.admit(0)
	d.admit(1)
	d.offer(1, 0) // nobody wants it
	for start, full := range []bool{false, true} {
		delete(d.blocked, 0)
		d.served(t, "part 1", 0, 0, 0)
		if _, told := d.blocked[0]; told != full {
			t.Errorf("start %d: held back: %t", start, told)
		}
	}
	if limit, told := d.blocked[1]; told {
		t.Errorf("job 1, which is not the first, is held back by %v", limit)
	}
}

// One slot of four is for queue 1, on any node. When a job that holds slots of both parts ends a task,
// the slot of queue 1's part is given back first.
func TestTagsSlots(t *testing.T) {
	const s = model.Second
	d := newDesk(t, "tags", "limits: [10s]\ncapacities: [25%, 75%]\npartition: slots", racks(model.Slots, 1, 2, model.Room{2, 2}), plain(model.Slots, 3, 20, 0), nil)
	d.admit(0)
	d.served(t, "the slot of part 1", 1, 0, 0)
	if got := d.offer(0, 0); got.Task.Job != model.None || got.Scope != policy.Everywhere {
		t.Errorf("part 1 is full: %+v", got)
	}
	d.now = 20 * s
	d.admit(1)
	first := d.served(t, "job 0 has exceeded its limit and moves to part 2", 0, 0, 0)
	d.served(t, "which has three slots", 0, 0, 0)
	if got := d.offer(1, 0); got.Task.Job != 0 {
		t.Fatalf("job 1 must wait for the slot that job 0 still holds in part 1: %+v", got)
	}
	d.end(first, 0, true)
	d.served(t, "now that slot is free", 0, 0, 1)
}
