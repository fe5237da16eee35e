// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

func TestFifoOrder(t *testing.T) {
	jobs := plain(model.Slots, 5, 2, 1)
	jobs[1].Priority, jobs[3].Priority, jobs[4].Priority = model.High, model.VeryHigh, model.VeryLow
	d := newDesk(t, "fifo", "", racks(model.Slots, 1, 1, model.Room{9, 9}), jobs, nil)
	if got := d.offer(0, 0); got.Task.Job != model.None || got.Scope != policy.Everywhere {
		t.Errorf("nobody wants room: %+v, expected nothing, everywhere", got)
	}
	for _, id := range []model.JobID{4, 2, 0, 1} {
		d.now += model.Second
		d.admit(id)
	}
	d.admit(3) // at the same time as 1
	d.ranked(t, "priority, then submission", int(model.Map), 3, 1, 2, 0, 4)
	d.ranked(t, "no reduce may start yet", int(model.Reduce))
	d.release(0)
	d.release(2)
	d.ranked(t, "the pools are apart", int(model.Reduce), 2, 0)
	d.served(t, "the first", 0, int(model.Map), 3)
	d.ranked(t, "a job keeps its place while it wants room", int(model.Map), 3, 1, 2, 0, 4)
	d.served(t, "the first again", 0, int(model.Map), 3)
	d.ranked(t, "it wants no more maps", int(model.Map), 1, 2, 0, 4)
	task := d.served(t, "a reduce", 0, int(model.Reduce), 2)
	d.end(task, 0, false)
	d.ranked(t, "a killed reduce is wanted again, at the old place", int(model.Reduce), 2, 0)
}

func TestFifoBlamesPriority(t *testing.T) {
	jobs := plain(model.Slots, 4, 2, 0)
	jobs[0].Priority, jobs[1].Priority, jobs[2].Priority = model.Low, model.VeryLow, model.High
	d := newDesk(t, "fifo", "", racks(model.Slots, 1, 1, model.Room{1, 0}), jobs, nil)
	for id := range model.JobID(4) {
		d.admit(id)
		d.now += model.Second
	}
	d.served(t, "high", 0, 0, 2)
	if len(d.blocked) != 2 || d.blocked[0] != model.LimitPriority || d.blocked[1] != model.LimitPriority {
		t.Errorf("held back: %v; expected jobs 0 and 1, which came before job 2, by priority, and not job 3, which came after", d.blocked)
	}
}

// TestFifoTwin compares the order with a sort of all jobs that want room, after every operation.
func TestFifoTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, ops := drawDesk(t, "fifo", "", model.Slots)
		for range 40 {
			ops.step(t, d)
			for pool := range 2 {
				var want []model.JobID
				for i := range d.jobs {
					if d.wants[[2]int{i, pool}] {
						want = append(want, model.JobID(i))
					}
				}
				slices.SortFunc(want, func(a, b model.JobID) int {
					x, y := d.jobs[a], d.jobs[b]
					return cmp.Or(cmp.Compare(x.Priority, y.Priority), cmp.Compare(x.Submit, y.Submit), cmp.Compare(a, b))
				})
				if got := d.rank(pool); !slices.Equal(got, want) {
					t.Fatalf("pool %d: order %v, expected %v", pool, got, want)
				}
			}
		}
	})
}

func TestFifoPlacesLocally(t *testing.T) {
	const maps = 40
	jobs := plain(model.Slots, 1, maps, 0)
	jobs[0].Input = maps * model.MiB
	d := newDesk(t, "fifo", "", racks(model.Slots, 2, 2, model.Room{maps, 0}), jobs, nil)
	d.admit(0)
	index := d.blocks.Index(0, maps)
	best := func(node model.NodeID) model.Locality { // by looking at every pending map
		level := model.NoInput
		for i := range int32(maps) {
			if d.jobs[0].Started(model.Map)[0]>>i&1 == 0 {
				level = min(level, index.Locality(i, node))
			}
		}
		return level
	}
	for i := range maps {
		node := model.NodeID(i*i) % 4
		want := best(node)
		task := d.served(t, "the only job", node, 0, 0)
		if got := index.Locality(task.Index, node); got != want {
			t.Fatalf("start %d: node %d is given a %v map, the best is %v", i, node, got, want)
		}
	}
}
