// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
)

// goalJobs returns jobs of the given number of maps with goals in seconds, 0 for none.
func goalJobs(maps int32, goals ...model.Time) []model.Job {
	jobs := plain(model.Slots, len(goals), maps, 0)
	for i := range jobs {
		jobs[i].Goal = goals[i] * model.Second
	}
	return jobs
}

// run starts the first map of the job on the node.
func (d *desk) run(t tester, id model.JobID, node model.NodeID) model.Task {
	t.Helper()
	task := model.Task{Job: id, Kind: model.Map, Index: d.jobs[id].First(model.Map)}
	d.start(t, task, node)
	return task
}

// TestDeadlineOrder is §III-C: missed goals first, then jobs without data, oldest first, then by the
// slots that are needed; jobs without a goal last.
func TestDeadlineOrder(t *testing.T) {
	for _, name := range []string{"deadline-min", "deadline-max"} {
		jobs := goalJobs(10, 1000, 100, 500, 0, 40, 600)
		d := newDesk(t, name, "{drain: false, interval: 1s}", racks(model.Slots, 1, 1, model.Room{20, 0}), jobs, nil)
		for id := range model.JobID(6) {
			if id == 5 {
				d.now = model.Second
			}
			d.admit(id)
		}
		d.ranked(t, "nothing is known of any: oldest first", 0, 0, 1, 2, 4, 5, 3)
		first := []model.Task{d.run(t, 0, 0), d.run(t, 1, 0), d.run(t, 2, 0), d.run(t, 4, 0)}
		d.now = 10 * model.Second
		for _, task := range first {
			d.end(task, 0, true)
		}
		// Nine maps of 10 s (9 s for those begun at 1 s) are left. Job 4 has 30 s: 81/30 slots; job 1
		// has 90 s, job 2 490 s, job 0 990 s. Of job 5 nothing is known.
		d.ranked(t, "no data, then most needed first, then no goal", 0, 5, 4, 1, 2, 0, 3)
		d.now = 40 * model.Second
		d.offer(0, 0)
		d.ranked(t, "job 4 has missed its goal", 0, 4, 5, 1, 2, 0, 3)
		d.now = 100 * model.Second
		d.offer(0, 0)
		// Neither runs: their completion cannot be expected, so the older one comes first.
		d.ranked(t, "job 1 has missed its goal too", 0, 1, 4, 5, 2, 0, 3)
		d.run(t, 1, 0)
		d.run(t, 4, 0)
		// Nine maps of 9 s on one slot, 81 s: job 1 will end at 1.81 times its goal, job 4 at 4.5 times.
		d.ranked(t, "the one that is later compared with its goal", 0, 4, 1, 5, 2, 0, 3)
		for range 3 {
			d.run(t, 4, 0)
		}
		// On four slots job 4 ends after 20 s, at three times its goal; with eight at 2.75 times.
		d.ranked(t, "still", 0, 4, 1, 5, 2, 0, 3)
	}
}

// TestDeadlineMinKeepsFree: a job that has what it needs is held, says so, and asks to be asked
// again when needs are next worked out.
func TestDeadlineMinKeepsFree(t *testing.T) {
	d := newDesk(t, "deadline-min", "{drain: false, interval: 5s}", racks(model.Slots, 1, 1, model.Room{9, 0}), goalJobs(10, 60), nil)
	d.admit(0)
	first := d.served(t, "nothing is known: all it wants", 0, 0, 0)
	d.now = 10 * model.Second
	d.end(first, 0, true)
	// 90 s of work in 50 s: 1.8 slots.
	d.served(t, "needs 1.8, has 0", 0, 0, 0)
	d.served(t, "needs 1.8, has 1", 0, 0, 0)
	got := d.offer(0, 0)
	if got.Task.Job != model.None || got.Again != 15*model.Second || d.blocked[0] != model.LimitShare {
		t.Errorf("needs 1.8, has 2: %+v, held back by %v", got, d.blocked[0])
	}
	d.now = 15 * model.Second
	// (5 + 5 + 70) s in 45 s: 1.78 slots.
	if got := d.offer(0, 0); got.Task.Job != model.None || got.Again != 20*model.Second {
		t.Errorf("needs 1.78, has 2: %+v", got)
	}
	d.now = 25 * model.Second
	// Both are overdue and count for nothing: 70 s in 35 s, exactly 2 slots.
	if got := d.offer(0, 0); got.Task.Job != model.None {
		t.Errorf("needs 2, has 2: %+v", got)
	}
	d.now = 30 * model.Second
	d.served(t, "needs 70/30 with time alone, has 2", 0, 0, 0)
}

// TestDeadlineMaxGivesAll: under deadline-max the excess goes out in the same order.
func TestDeadlineMaxGivesAll(t *testing.T) {
	d := newDesk(t, "deadline-max", "drain: false", racks(model.Slots, 1, 1, model.Room{9, 0}), goalJobs(10, 1000, 500), nil)
	for id := range model.JobID(2) {
		d.admit(id)
		task := d.run(t, id, 0)
		d.end(task, 0, false)
		task = d.run(t, id, 0)
		d.now += 10 * model.Second
		d.end(task, 0, true)
	}
	// Both need far less than a slot, job 1 more than job 0; each slot given makes the other first.
	for i, want := range []model.JobID{1, 0, 1, 0, 1, 0, 1, 0, 1} {
		d.served(t, fmt.Sprint("slot ", i), 0, 0, want)
	}
}

// TestDeadlinePatience: a stream of jobs with goals never starves one without.
func TestDeadlinePatience(t *testing.T) {
	for _, name := range []string{"deadline-min", "deadline-max"} {
		jobs := goalJobs(50, 0, 10, 10)
		d := newDesk(t, name, "patience: 60s", racks(model.Slots, 1, 1, model.Room{1, 0}), jobs, nil)
		d.admit(0)
		d.admit(1)
		task := d.served(t, "a goal comes first", 0, 0, 1)
		for d.now < 60*model.Second {
			d.now += 10 * model.Second
			d.end(task, 0, true)
			want := model.JobID(1)
			if d.now == 60*model.Second {
				want = 0
			}
			task = d.served(t, fmt.Sprintf("at %v", d.now), 0, 0, want)
		}
		d.now += 10 * model.Second
		d.end(task, 0, true)
		d.served(t, "then goals again", 0, 0, 1)
	}
}

// TestDeadlineMinWithoutGoals: a job without a goal runs no-goal-slots tasks at a time.
func TestDeadlineMinWithoutGoals(t *testing.T) {
	d := newDesk(t, "deadline-min", "no-goal-slots: 2", racks(model.Slots, 1, 1, model.Room{9, 0}), goalJobs(5, 0, 0), nil)
	d.admit(0)
	d.admit(1)
	for i, want := range []model.JobID{0, 0, 1, 1} {
		d.served(t, fmt.Sprint("slot ", i), 0, 0, want)
	}
	if got := d.offer(0, 0); got.Task.Job != model.None || d.blocked[0] != model.LimitShare || d.blocked[1] != model.LimitShare {
		t.Errorf("all have their limit: %+v, held back by %v", got, d.blocked)
	}
}

// deadlineTwin recomputes every job's place from all that happened to it.
type deadlineTwin struct {
	d        *desk
	config   goal.Config
	least    bool // deadline-min
	most     int32
	interval model.Time
	patience model.Time
	grid     model.Time
	happened [][]deadlineEvent
	wants    []map[int]model.Time // by pool: since when
}

type deadlineEvent struct {
	at      model.Time
	task    model.Task
	started bool
	done    bool
}

// place is where a job stands: state, value within it.
type deadlinePlace struct {
	id    model.JobID
	state int
	value float64
}

func (w *deadlineTwin) place(id model.JobID, pool int) deadlinePlace {
	j := w.d.jobs[id]
	e := goal.NewJob(w.config, j.Submit, j.Total, goal.Room(w.d.state.Total, j.Need))
	now, since := max(w.grid, w.wants[id][pool]), w.wants[id][pool]
	began := map[model.Task]model.Time{}
	for _, h := range w.happened[id] {
		if h.started {
			e.Start(h.task.Kind, h.task.Index, 0, h.at)
			began[h.task] = h.at
		} else {
			e.End(h.task.Kind, h.task.Index, 0, began[h.task], h.at, h.done)
		}
		now = max(now, h.at)
		if int(h.task.Kind) == pool {
			since = max(since, h.at)
		}
	}
	k := model.Kind(pool)
	running, need := float64(e.Running(k)), e.Need(k, now, j.Goal)
	held := w.least && running > 0
	switch {
	case j.Goal == model.Forever && running == 0 && now-since >= w.patience:
		return deadlinePlace{id, 0, float64(since)}
	case j.Goal == model.Forever:
		if held && running >= float64(w.most) {
			return deadlinePlace{id, 5, math.Inf(1)}
		}
		return deadlinePlace{id, 4, float64(j.Submit)}
	case now >= j.Goal:
		return deadlinePlace{id, 1, -goal.Late(e.Expected(now), j.Submit, j.Goal)}
	case !e.HasData():
		return deadlinePlace{id, 2, float64(j.Submit)}
	case held && need <= running:
		return deadlinePlace{id, 5, running - need}
	}
	return deadlinePlace{id, 3, running - need}
}

func (w *deadlineTwin) order(pool int) (ids []model.JobID) {
	var all []deadlinePlace
	for id := range w.d.jobs {
		if w.d.wants[[2]int{id, pool}] {
			all = append(all, w.place(model.JobID(id), pool))
		}
	}
	slices.SortFunc(all, func(a, b deadlinePlace) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.value, b.value), cmp.Compare(a.id, b.id))
	})
	for _, p := range all {
		ids = append(ids, p.id)
	}
	return ids
}

// TestDeadlineTwin: the heaps, in which only what may matter is worked out again, have the order
// that recomputing everything gives, and the first job in it that is not held is served.
func TestDeadlineTwin(t *testing.T) {
	for _, name := range []string{"deadline-min", "deadline-max"} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { deadlineCase(t, name) }) })
	}
}

func deadlineCase(t *rapid.T, name string) {
	w := &deadlineTwin{least: name == "deadline-min", most: 1,
		interval: model.Time(rapid.IntRange(1, 7).Draw(t, "interval")) * model.Second, patience: model.Time(rapid.IntRange(0, 20).Draw(t, "patience")) * model.Second,
		config: goal.Config{ReduceCost: rapid.SampledFrom([]float64{1, 2}).Draw(t, "cost"), PerNode: rapid.Bool().Draw(t, "per node"), Drain: rapid.Bool().Draw(t, "drain")}}
	jobs := plain(model.Slots, rapid.IntRange(1, 8).Draw(t, "jobs"), 0, 0)
	for i := range jobs {
		jobs[i].Maps, jobs[i].Reduces = rapid.Int32Range(0, 30).Draw(t, "maps"), rapid.Int32Range(0, 3).Draw(t, "reduces")
		jobs[i].Goal = model.Time(rapid.SampledFrom([]int{0, 3, 10, 30, 100, 1000, 10000}).Draw(t, "goal")) * model.Second
	}
	params := fmt.Sprintf("{interval: %v, patience: %v, reduce-cost: %g, per-node: %t, drain: %t}", w.interval, w.patience, w.config.ReduceCost, w.config.PerNode, w.config.Drain)
	d := newDesk(t, name, params, racks(model.Slots, 1, 1, model.Room{12, 6}), jobs, nil)
	w.d, w.happened, w.wants = d, make([][]deadlineEvent, len(jobs)), make([]map[int]model.Time, len(jobs))
	for i := range w.wants {
		w.wants[i] = map[int]model.Time{}
	}
	var done bool
	d.ended = func(task model.Task) {
		w.happened[task.Job] = append(w.happened[task.Job], deadlineEvent{d.now, task, false, done})
	}
	d.wanted = func(j *cluster.Job, pool int, wants bool) {
		if wants {
			w.wants[j.ID][pool] = d.now
		}
	}
	ops := &operations{started: func(task model.Task) {
		w.happened[task.Job] = append(w.happened[task.Job], deadlineEvent{d.now, task, true, false})
	}}
	d.ending = func(ok bool) { done = ok }
	looks := rapid.SampledFrom([]int{3, 30}).Draw(t, "looks")
	for range rapid.IntRange(1, 200).Draw(t, "steps") {
		ops.step(t, d)
		pool := rapid.IntRange(-1, 1).Draw(t, "pool")
		if pool < 0 { // nobody asks for a while
			d.now += model.Time(rapid.SampledFrom([]int{0, 1, 2, 10, 50}).Draw(t, "while")) * model.Second
			continue
		}
		got := d.offer(0, pool)
		if d.now-w.grid >= w.interval {
			w.grid = d.now - d.now%w.interval
		}
		look := rapid.IntRange(0, looks).Draw(t, "look") == 0 // to be asked for the order makes the policy work all of it out
		for p := range 2 {
			if want := w.order(p); look && !slices.Equal(d.rank(p), want) {
				t.Fatalf("at %v, pool %d: order %v, recomputed %v", d.now, p, d.rank(p), want)
			}
		}
		served := model.JobID(model.None)
		if order := w.order(pool); len(order) > 0 && w.place(order[0], pool).state < 5 && d.state.Nodes[0].Free[pool] > 0 {
			served = order[0]
		}
		if got.Task.Job != served {
			t.Fatalf("at %v, pool %d: job %d is served, recomputed %d", d.now, pool, got.Task.Job, served)
		}
	}
}

// TestDeadlineInfiniteNeed: a job that no number of slots can help comes before those that need some.
func TestDeadlineInfiniteNeed(t *testing.T) {
	d := newDesk(t, "deadline-max", "{drain: true}", racks(model.Slots, 1, 1, model.Room{9, 0}), goalJobs(10, 30, 12), nil)
	for id := range model.JobID(2) {
		d.admit(id)
	}
	a, b := d.run(t, 0, 0), d.run(t, 1, 0)
	d.now = 10 * model.Second
	d.end(a, 0, true)
	d.end(b, 0, true)
	// Job 1 has 2 s left, less than half a task: no number of slots suffices, so it comes first.
	d.ranked(t, "infinite before finite", 0, 1, 0)
}
