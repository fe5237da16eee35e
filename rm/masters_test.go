// SPDX-License-Identifier: Apache-2.0

package rm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

// office is masters of 2048 MiB and 1 vcore on nodes of a given room, with what was said about jobs that
// are held back.
type office struct {
	*Masters
	state *cluster.State
	said  []string
	next  model.JobID
}

func newOffice(nodes int, room model.Room, change func(*Rules)) *office {
	topology := &model.Topology{Model: model.Yarn, Racks: 1, Hosts: nodes, Classes: []model.NodeClass{{Room: room, Speed: 1}},
		Nodes: make([]model.Node, nodes)}
	state := cluster.New(topology)
	return &office{Masters: NewMasters(rules(change), state, 1), state: state}
}

// submit lets the next job of a queue wait for its master.
func (o *office) submit(second model.Time, queue string) *cluster.Job {
	j := o.state.AddJob(second*model.Second, &model.Job{ID: o.next, Queue: queue, Maps: 1, Need: [model.Kinds]model.Room{{1024, 1}, {1024, 1}}})
	o.next++
	o.Request(j)
	return j
}

// offer returns what becomes of an offer: the job whose master starts, "reserved" or "nobody".
func (o *office) offer(node model.NodeID) string {
	started, reserved := o.Offer(node, func(j *cluster.Job, l model.Limit) { o.said = append(o.said, fmt.Sprint("job ", j.ID, " ", l)) })
	switch {
	case started != nil && !reserved:
		return fmt.Sprint("job ", started.ID)
	case reserved && started == nil:
		return "reserved"
	case started == nil:
		return "nobody"
	}
	return "started and reserved"
}

// leave ends a job and its master.
func (o *office) leave(j *cluster.Job) model.NodeID {
	o.Finish(j.ID)
	return o.Leave(j.ID)
}

func (o *office) expect(t *testing.T, got string, want string, said ...string) {
	t.Helper()
	if got != want || !slices.Equal(o.said, said) {
		t.Errorf("the offer went to %s, %q were said; want %s, %q", got, o.said, want, said)
	}
	o.said = nil
}

// The oldest application is served first, whatever its queue; of two that came together, that of the queue
// which was known first.
func TestMastersInOrderOfSubmission(t *testing.T) {
	o := newOffice(1, model.Room{1 << 20, 100}, func(y *Rules) { y.Share = 1 })
	o.submit(1, "b")
	o.submit(2, "b")
	o.submit(0, "a")
	o.submit(2, "a")
	for _, want := range []string{"job 2", "job 0", "job 1", "job 3", "nobody"} {
		o.expect(t, o.offer(0), want)
	}
	if o.Waiting() != 0 || o.Running() != 4 {
		t.Errorf("%d wait, %d run, want 0 and 4", o.Waiting(), o.Running())
	}
}

// A share of 0.5 of 10240 MiB holds two masters of 2048 MiB (4096 of 5120). Those behind are blamed once.
func TestShareHoldsBack(t *testing.T) {
	o := newOffice(2, model.Room{5120, 16}, func(y *Rules) { y.Share = 0.5 })
	first := o.submit(0, "q")
	for range 3 {
		o.submit(0, "q")
	}
	o.expect(t, o.offer(0), "job 0")
	o.expect(t, o.offer(1), "job 1")
	o.expect(t, o.offer(0), "nobody", "job 2 am_share", "job 3 am_share")
	o.expect(t, o.offer(1), "nobody")
	o.submit(1, "q")
	o.expect(t, o.offer(1), "nobody", "job 4 am_share")
	if node := o.leave(first); node != 0 {
		t.Errorf("the master of job 0 left node %d", node)
	}
	o.expect(t, o.offer(1), "job 2")
	o.expect(t, o.offer(1), "nobody") // jobs 3 and 4 have been blamed
}

// Two queues have a fair share of 5120 MiB each, of which half holds one master of 2048. A queue that is
// held back holds no other back.
func TestShareIsOfEachQueue(t *testing.T) {
	o := newOffice(2, model.Room{5120, 16}, func(y *Rules) { y.Share = 0.5 })
	first := o.submit(0, "a")
	o.submit(1, "a")
	o.submit(2, "b")
	o.submit(3, "b")
	o.expect(t, o.offer(0), "job 0")
	o.expect(t, o.offer(0), "job 2", "job 1 am_share")
	o.expect(t, o.offer(1), "nobody", "job 3 am_share")
	// Job 0 leaves, so its queue may have another. Both queues stay: job 1 waits.
	o.leave(first)
	o.expect(t, o.offer(1), "job 1")
	o.expect(t, o.offer(1), "nobody")
	// When queue a has no application left, b alone has 10240 MiB: 2 masters.
	o.leave(o.state.Job(1))
	o.expect(t, o.offer(1), "job 3")
}

// A share of 0.01 of 10240 MiB holds no master of 2048. The Fair Scheduler starts none, the Capacity Scheduler one.
func TestFirstMaster(t *testing.T) {
	for formula, want := range map[string][2]string{Fair275: {"nobody", "nobody"}, FairNow: {"nobody", "nobody"}, Capacity: {"job 0", "nobody"}} {
		o := newOffice(1, model.Room{10240, 16}, func(y *Rules) { y.Share, y.Formula = 0.01, formula })
		o.submit(0, "q")
		o.submit(0, "q")
		if got := [2]string{o.offer(0), o.offer(0)}; got != want {
			t.Errorf("%s: the offers went to %v, want %v", formula, got, want)
		}
	}
}

// Fair shares are rounded up: of 4095 MiB two queues have 2048 each, a master's size; of 4094 they have 2047.
func TestFairShareIsRoundedUp(t *testing.T) {
	for memory, want := range map[int32]string{4095: "job 0", 4094: "nobody"} {
		o := newOffice(1, model.Room{memory, 16}, func(y *Rules) { y.Share, y.Formula = 1, Fair275 })
		o.submit(0, "a")
		o.submit(0, "b")
		if got := o.offer(0); got != want {
			t.Errorf("%d MiB: the offer went to %s, want %s", memory, got, want)
		}
	}
}

// The current Fair Scheduler also holds masters to the share of the free vcores: of 2 free half is 1. When
// one is taken, half of 1 free rounds up to 1, which is less than 1 + 1.
func TestShareOfVCores(t *testing.T) {
	for formula, want := range map[string]string{FairNow: "nobody", Fair275: "job 1"} {
		o := newOffice(1, model.Room{1 << 20, 2}, func(y *Rules) { y.Share, y.Formula = 0.5, formula })
		o.submit(0, "q")
		o.submit(0, "q")
		if got := o.offer(0); got != "job 0" {
			t.Errorf("%s: the first offer went to %s", formula, got)
		}
		if got := o.offer(0); got != want {
			t.Errorf("%s: the second offer went to %s, want %s", formula, got, want)
		}
	}
}

// The Capacity Scheduler starts the first master of a queue under any share. Alone, a queue reaches all that
// is free or used; beside another, all that is free and what it uses itself.
func TestCapacityReach(t *testing.T) {
	o := newOffice(4, model.Room{10240, 100}, func(y *Rules) { y.Share, y.Formula = 0.05, Capacity })
	task := o.submit(0, "a")
	o.submit(0, "a")
	o.submit(0, "b")
	o.submit(1, "b")
	// Each queue's fair share is 20480, which the free 40960 exceed: 0.05 * 40960 = 2048 is one master.
	o.expect(t, o.offer(0), "job 0")
	o.expect(t, o.offer(1), "job 2", "job 1 am_share")
	// A share of 0.1: a reaches 36864 free + 2048 of its own = 38912, of which 3891 round up to 4096: 2 masters.
	o.Share.InEffect = 0.1
	o.expect(t, o.offer(2), "job 1")
	// b reaches 34816 free + 2048; 3686 round up to 4096 as well.
	o.expect(t, o.offer(3), "job 3")
	// 32768 are free, a has two masters and reaches 36864. At 0.12 that is 4424, rounded up to 5120: no third
	// master. With ten tasks of 1024 it reaches 47104, of which 5652 round up to 6144: three masters.
	o.Share.InEffect = 0.12
	o.submit(2, "a")
	o.expect(t, o.offer(2), "nobody", "job 4 am_share")
	for range 10 {
		o.TaskStarted(task, model.Map)
	}
	o.expect(t, o.offer(2), "job 4")
	o.submit(3, "a")
	for range 10 {
		o.TaskEnded(task, model.Map)
	}
	o.Share.InEffect = 0.17 // 0.17 * (30720 + 6144) = 6267 round up to 7168, less than four masters
	o.expect(t, o.offer(2), "nobody", "job 5 am_share")
}

// A master that may start but does not fit reserves the node, and says that room is what it waits for. It
// takes nothing, and starts elsewhere.
func TestMasterReserves(t *testing.T) {
	o := newOffice(2, model.Room{4096, 16}, func(y *Rules) { y.Share = 1 })
	o.submit(0, "q")
	o.state.Hold(0, model.Room{2049, 1}) // 2047 MiB are left
	o.expect(t, o.offer(0), "reserved", "job 0 room")
	if o.Waiting() != 1 || o.state.Nodes[0].Free != (model.Room{2047, 15}) {
		t.Errorf("%d wait, node 0 has %v free", o.Waiting(), o.state.Nodes[0].Free)
	}
	o.expect(t, o.offer(1), "job 0")
	if o.state.Nodes[1].Held != (model.Room{2048, 1}) {
		t.Errorf("node 1 holds %v", o.state.Nodes[1].Held)
	}
}

// A master keeps its room from the end of its job until it leaves.
func TestMasterLeaves(t *testing.T) {
	o := newOffice(1, model.Room{4096, 16}, func(y *Rules) { y.Share = 1 })
	j := o.submit(0, "q")
	show := func() (s string) {
		o.Each(func(a *App) { s = fmt.Sprint(a.State, " job=", a.Job != nil, " node=", a.Node, " holds=", a.Holds) })
		return fmt.Sprint(s, " used=", o.state.Used[0], " running=", o.Running())
	}
	steps := []struct {
		what string
		do   func()
		want string
	}{
		{"waits", func() {}, "pending job=true node=-1 holds=false used=0 running=0"},
		{"starts", func() { o.offer(0) }, "running job=true node=0 holds=true used=2048 running=1"},
		{"its job ends", func() { o.Finish(j.ID) }, "finished job=false node=0 holds=true used=2048 running=1"},
		{"leaves", func() { o.Leave(j.ID) }, "finished job=false node=0 holds=false used=0 running=0"},
	}
	for _, s := range steps {
		if s.do(); show() != s.want {
			t.Errorf("%s: %s, want %s", s.what, show(), s.want)
		}
	}
}

// Of 5003 applications that have ended the last 1000 to end are remembered, beside those that are there. The
// list does not grow with those that were forgotten: it is swept when more than half of it are.
func TestForgottenApplications(t *testing.T) {
	o := newOffice(1, model.Room{8192, 16}, func(y *Rules) { y.Share = 1 })
	stays := o.submit(0, "q")
	o.offer(0)
	for range 5003 {
		j := o.submit(1, "q")
		o.offer(0)
		o.leave(j)
		o.state.RemoveJob(j)
	}
	var listed []model.JobID
	if forgotten := o.Each(func(a *App) { listed = append(listed, a.ID) }); forgotten != 4003 {
		t.Errorf("%d are forgotten, want 5003 - 1000", forgotten)
	}
	if len(listed) != 1001 || listed[0] != stays.ID || listed[1] != 4004 || !slices.IsSorted(listed) {
		t.Errorf("%d are listed, the first ones are %v; want job 0 and 4004 to 5003", len(listed), listed[:2])
	}
	if len(o.apps) > 2*1001+1 || len(o.byJob) != 1 {
		t.Errorf("%d applications are kept, %d by job", len(o.apps), len(o.byJob))
	}
}

// TestMastersTwin compares the counts of random lives with a list of states that is recounted each time.
func TestMastersTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOffice(3, model.Room{6144, 8}, func(y *Rules) {
			y.Formula = rapid.SampledFrom([]string{Fair275, FairNow, Capacity}).Draw(t, "formula")
			y.Share = 1
		})
		var waits, runs []*cluster.Job
		count := 0
		t.Repeat(map[string]func(*rapid.T){
			"submit": func(t *rapid.T) {
				waits = append(waits, o.submit(model.Time(count), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "queue")))
				count++
			},
			"offer": func(t *rapid.T) {
				j, reserved := o.Offer(model.NodeID(rapid.IntRange(0, 2).Draw(t, "node")), func(*cluster.Job, model.Limit) {})
				if j == nil {
					return
				}
				at := slices.Index(waits, j)
				if at < 0 || reserved {
					t.Fatalf("job %d started, which does not wait; reserved: %t", j.ID, reserved)
				}
				for _, older := range waits[:at] {
					if older.Queue == j.Queue {
						t.Fatalf("job %d started before job %d of its queue", j.ID, older.ID)
					}
				}
				waits, runs = slices.Delete(waits, at, at+1), append(runs, j)
			},
			"leave": func(t *rapid.T) {
				if len(runs) == 0 {
					t.Skip("none runs")
				}
				at := rapid.IntRange(0, len(runs)-1).Draw(t, "job")
				o.leave(runs[at])
				runs = slices.Delete(runs, at, at+1)
			},
			"": func(t *rapid.T) {
				var states [3]int
				o.Each(func(a *App) { states[a.State]++ })
				if o.Waiting() != len(waits) || o.Running() != len(runs) || states != [3]int{len(waits), len(runs), count - len(waits) - len(runs)} {
					t.Fatalf("%d wait, %d run, states %v; the twin has %d and %d of %d", o.Waiting(), o.Running(), states, len(waits), len(runs), count)
				}
				if o.state.Used != [model.Dims]int64{2048 * int64(len(runs)), int64(len(runs))} {
					t.Fatalf("%v used by %d masters", o.state.Used, len(runs))
				}
				queues := map[int32]bool{}
				for _, j := range slices.Concat(waits, runs) {
					queues[j.Queue] = true
				}
				if o.active != int64(len(queues)) {
					t.Fatalf("%d queues are active, the twin has %d", o.active, len(queues))
				}
			},
		})
	})
}
