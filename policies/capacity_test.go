// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
)

func capacityParams(t tester, text string) *hadoop1.Params {
	t.Helper()
	p := hadoop1.DefaultParams()
	node, errs := strict.Parse("params", []byte(text))
	errs = append(errs, strict.Decode(node, &p)...)
	if len(errs) > 0 {
		t.Fatalf("%v", errs)
	}
	return &p
}

// What the release refuses when it starts is refused, all at once, and nothing else.
func TestCapacityValidate(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                    "",
		"queues: [{name: a, capacity: 100}]":    "",
		"queues: [{name: a, capacity: 100.99}]": "queues[0].capacity", // the sum passes, the queue does not
		"queues: [{name: a, capacity: 60}, {name: b, capacity: 40.9}]":                                                          "", // rounded down to 100
		"queues: [{name: a, capacity: 33.3}, {name: b, capacity: 66.6}]":                                                        "queues",
		"queues: [{name: a, capacity: 100}, {name: b, capacity: 0}]":                                                            "",
		"queues: [{name: a, capacity: 100}, {name: a, capacity: 0}]":                                                            "queues[1].name",
		"queues: [{name: a, capacity: 100, maximum-capacity: 0}]":                                                               "", // no limit
		"queues: [{name: a, capacity: 100, maximum-capacity: 101}]":                                                             "queues[0].maximum-capacity",
		"queues: [{name: a, capacity: 60, maximum-capacity: 60}, {name: b, capacity: 40, maximum-capacity: 39}]":                "queues[1].maximum-capacity",
		"queues: [{name: a, capacity: 100, minimum-user-limit-percent: 0, init-accept-jobs-factor: 0}]":                         "queues[0].minimum-user-limit-percent queues[0].init-accept-jobs-factor",
		"queues: [{name: a, capacity: 100, user-limit-factor: -1}]":                                                             "", // the release takes it
		"queues: [{name: a, capacity: 100, maximum-initialized-active-tasks: 5}]":                                               "queues[0].maximum-initialized-active-tasks-per-user",
		"queues: [{name: a, capacity: 100, maximum-initialized-active-tasks: 5, maximum-initialized-active-tasks-per-user: 5}]": "",
	} {
		var paths []string
		for _, p := range capacityParams(t, text).Validate() {
			paths = append(paths, p.Path)
		}
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("%s: refused at %q, expected %q", text, got, want)
		}
	}
}

// A job in a queue that is not configured is refused, and one that comes later in a configured queue is not.
func TestCapacityRefusesUnknownQueue(t *testing.T) {
	jobs := plain(model.Slots, 2, 1, 1)
	jobs[1].Queue = "other"
	d := newDesk(t, "capacity", "queues: [{name: other, capacity: 100}]", racks(model.Slots, 1, 1, model.Room{1, 1}), jobs, nil)
	if d.submit(0) || !d.submit(1) {
		t.Errorf("a job in a queue that is not configured is not refused, or one in a configured queue is")
	}
}

// capacityTwin decides by going through everything at each offer, as the release does at a heartbeat.
type capacityTwin struct {
	params *hadoop1.Params
	state  *cluster.State
	order  [model.Kinds][]int // queues, kept from sort to sort
	seq    map[model.JobID]int
}

// takes reports whether the queue takes jobs: one without capacity has no share of the jobs that may be
// initialised.
func (w *capacityTwin) takes(queue string) bool {
	return slices.ContainsFunc(w.params.Queues, func(q hadoop1.Queue) bool { return q.Name == queue && q.Capacity > 0 })
}

// capacityUse is what a queue uses of a pool.
type capacityUse struct {
	occupied, active, unstarted int
	users                       map[int32]int
}

func (w *capacityTwin) uses(pool int) []capacityUse {
	kind, uses := model.Kind(pool), make([]capacityUse, len(w.params.Queues))
	for q := range uses {
		uses[q].users = map[int32]int{}
		actives := map[int32]bool{}
		for _, j := range w.state.Jobs() {
			if j.Phase == cluster.Admitted && w.state.Queues[j.Queue] == w.params.Queues[q].Name {
				uses[q].occupied += int(j.Running[kind])
				uses[q].users[j.User] += int(j.Running[kind])
				uses[q].unstarted += int(j.Pending(kind))
				if j.Pending(kind) > 0 {
					actives[j.User] = true
				}
			}
		}
		uses[q].active = len(actives)
	}
	return uses
}

func (w *capacityTwin) limits(q int) hadoop1.Limits {
	return w.params.Limits(&w.params.Queues[q], [model.Kinds]int64{w.state.Total[0], w.state.Total[1]})
}

// sorted puts the queues of a pool in order.
func (w *capacityTwin) sorted(pool int, uses []capacityUse) []int {
	fullness := func(q int) float64 {
		l := w.limits(q)
		if l.Capacity[pool] == 0 {
			if w.params.Rules == "thesis" {
				return -float64(uses[q].unstarted)
			}
			return 1
		}
		if w.params.Rules == "thesis" {
			return -float64(uses[q].unstarted) / float64(l.Capacity[pool])
		}
		return float64(uses[q].occupied) / float64(l.Capacity[pool])
	}
	slices.SortStableFunc(w.order[pool], func(a, b int) int { return cmp.Compare(fullness(a), fullness(b)) })
	return w.order[pool]
}

// jobs returns the jobs of a queue that want room, in order.
func (w *capacityTwin) jobs(q, pool int) (jobs []*cluster.Job) {
	for _, j := range w.state.Jobs() {
		if j.Phase == cluster.Admitted && j.Wants(model.Kind(pool)) > 0 && w.state.Queues[j.Queue] == w.params.Queues[q].Name {
			jobs = append(jobs, j)
		}
	}
	byPriority := w.limits(q).SupportsPriority
	slices.SortFunc(jobs, func(a, b *cluster.Job) int {
		if byPriority && a.Priority != b.Priority {
			return cmp.Compare(a.Priority, b.Priority)
		}
		return cmp.Compare(w.seq[a.ID], w.seq[b.ID])
	})
	return jobs
}

func (w *capacityTwin) rank(pool int) (ranked []model.JobID) {
	for _, q := range w.sorted(pool, w.uses(pool)) {
		for _, j := range w.jobs(q, pool) {
			ranked = append(ranked, j.ID)
		}
	}
	return ranked
}

// thesisLimits are those of the thesis: less than the maximum and than user-limit-factor times the capacity, but at
// least one slot. Reduces have no maximum, and the user limit may leave them free.
func thesisLimits(l *hadoop1.Limits, pool int, most, limit int64, free bool) (int64, int64) {
	if pool == int(model.Reduce) {
		most = 0
		if free {
			return 0, 1 << 40
		}
	}
	if most > 1 {
		most--
	}
	return most, max(1, min(limit, int64(float64(l.Capacity[pool])*l.UserLimitFactor)-1))
}

// pick returns the job that is served next, and those before it with what holds them back.
func (w *capacityTwin) pick(pool int) (model.JobID, map[model.JobID]model.Limit) {
	blocked, uses := map[model.JobID]model.Limit{}, w.uses(pool)
	for _, q := range w.sorted(pool, uses) {
		l, u := w.limits(q), &uses[q]
		for _, j := range w.jobs(q, pool) {
			most, limit := l.Maximum[pool], l.UserLimit(pool, 1, int64(u.occupied), u.active)
			if w.params.Rules == "thesis" {
				most, limit = thesisLimits(&l, pool, most, limit, w.params.FreeReduces)
			}
			if most > 0 && int64(u.occupied)+1 > most {
				blocked[j.ID] = model.LimitQueueMax
			} else if int64(u.users[j.User])+1 > limit {
				blocked[j.ID] = model.LimitUser
			} else {
				return j.ID, blocked
			}
		}
	}
	return model.None, blocked
}

// offer asks the policy and the twin, which must agree on whom to serve and whom to tell why it waits.
func (w *capacityTwin) offer(t tester, d *desk, node model.NodeID, pool int) (policy.Decision, model.JobID) {
	want, blocked := w.pick(pool)
	got := d.offer(node, pool)
	if got.Task.Job != want {
		t.Fatalf("pool %d: job %d, the twin says %d\n%+v", pool, got.Task.Job, want, w.params)
	}
	for id, limit := range blocked {
		if !d.told[[2]int{int(id), pool}] {
			t.Fatalf("pool %d: job %d was not told of %v", pool, id, limit)
		}
	}
	return got, want
}

// TestCapacityIsItsTwin drives the policy and its twin through random histories.
func TestCapacityIsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawCapacity(t)
		params := capacityParams(t, text)
		jobs := plain(model.Slots, 30, 0, 0)
		for i := range jobs {
			j := &jobs[i]
			j.Maps, j.Reduces = rapid.Int32Range(1, 12).Draw(t, "maps"), rapid.Int32Range(0, 4).Draw(t, "reduces")
			j.User = fmt.Sprint("u", rapid.IntRange(0, 5).Draw(t, "user"))
			j.Queue = params.Queues[rapid.IntRange(0, len(params.Queues)-1).Draw(t, "queue")].Name
			j.Priority = model.Priority(rapid.IntRange(0, 4).Draw(t, "priority"))
		}
		d := newDesk(t, "capacity", text, racks(model.Slots, 1, 4, model.Room{4, 3}), jobs, nil)
		twin := &capacityTwin{params: params, state: d.state, seq: map[model.JobID]int{}}
		for q := range params.Queues {
			twin.order[0], twin.order[1] = append(twin.order[0], q), append(twin.order[1], q)
		}
		var running []model.Task
		nodes := map[model.Task]model.NodeID{}
		waiting := make([]int, len(jobs))
		for i := range waiting {
			waiting[i] = i
		}
		t.Repeat(map[string]func(*rapid.T){
			"job comes": func(t *rapid.T) {
				if len(waiting) == 0 {
					return
				}
				at := rapid.IntRange(0, len(waiting)-1).Draw(t, "job")
				id := model.JobID(waiting[at])
				waiting = slices.Delete(waiting, at, at+1)
				d.now += model.Second
				taken := d.admit(id)
				if taken != twin.takes(jobs[id].Queue) {
					t.Fatalf("job %d is taken: %t\n%s", id, taken, text)
				}
				if !taken {
					return
				}
				twin.seq[id] = len(twin.seq)
				if rapid.Bool().Draw(t, "release") {
					d.release(id)
				}
			},
			"offers": func(t *rapid.T) {
				for range rapid.IntRange(1, 6).Draw(t, "offers") {
					node, pool := model.NodeID(rapid.IntRange(0, 3).Draw(t, "node")), rapid.IntRange(0, 1).Draw(t, "pool")
					if d.state.Nodes[node].Free[pool] == 0 {
						continue
					}
					got, want := twin.offer(t, d, node, pool)
					if want != model.None {
						d.start(t, got.Task, node)
						delete(d.told, [2]int{int(want), pool}) // as the engine does
						running, nodes[got.Task] = append(running, got.Task), node
					}
				}
			},
			"tasks end": func(t *rapid.T) {
				for n := rapid.IntRange(1, 6).Draw(t, "n"); n > 0 && len(running) > 0; n-- {
					at := rapid.IntRange(0, len(running)-1).Draw(t, "task")
					task := running[at]
					running = slices.Delete(running, at, at+1)
					d.end(task, nodes[task], rapid.IntRange(0, 9).Draw(t, "done") > 0)
				}
			},
			"": func(t *rapid.T) {
				pool := rapid.IntRange(0, 1).Draw(t, "rank of pool")
				if got, want := d.rank(pool), twin.rank(pool); !slices.Equal(got, want) {
					t.Fatalf("pool %d: order %v, the twin says %v\n%s", pool, got, want, text)
				}
			},
		})
	})
}

func drawCapacity(t *rapid.T) string {
	var b strings.Builder
	fmt.Fprintf(&b, "rules: %s\nfree-reduces: %t\nqueues:\n", rapid.SampledFrom([]string{"release", "thesis"}).Draw(t, "rules"), rapid.Bool().Draw(t, "free"))
	shares := rapid.SampledFrom([][]int{{100}, {50, 50}, {70, 30}, {10, 10, 40, 40}, {100, 0}, {96, 4}, {20, 20, 20, 20, 20}, slices.Repeat([]int{10}, 10)}).Draw(t, "shares")
	for i, share := range shares {
		fmt.Fprintf(&b, "  - {name: q%d, capacity: %d", i, share)
		if share > 0 && rapid.Bool().Draw(t, "maximum") {
			fmt.Fprintf(&b, ", maximum-capacity: %d", min(100, share+rapid.SampledFrom([]int{0, 20}).Draw(t, "above")))
		}
		fmt.Fprintf(&b, ", minimum-user-limit-percent: %d, user-limit-factor: %g, supports-priority: %t}\n",
			rapid.SampledFrom([]int{100, 50, 25, 1}).Draw(t, "percent"), rapid.SampledFrom([]float64{1, 2, 0.5, 10}).Draw(t, "factor"), rapid.Bool().Draw(t, "priority"))
	}
	return b.String()
}

// Locality: a map on the node or in the rack starts at once, one from another rack after min(maps left,
// nodes) chances; with the extra level the rack has to wait as well (capacity-2013 §6.1.1).
func TestCapacityWaits(t *testing.T) {
	jobs := plain(model.Slots, 1, 6, 0)
	jobs[0].Input = 6 * model.MiB
	build := func(params string) *desk { // two racks of two nodes, all blocks on node 0
		d := newDesk(t, "capacity", params, racks(model.Slots, 2, 2, model.Room{9, 9}), jobs, nil)
		d.blocks.SetPlacement(onNodeZero{})
		d.admit(0)
		return d
	}
	skips := func(d *desk, node model.NodeID) (n int) {
		for ; d.offer(node, maps).Task.Job == model.None; n++ {
			if d.blocked[0] != model.LimitLocality {
				t.Errorf("held back by %v", d.blocked[0])
			}
		}
		return n
	}
	d := build("")
	d.served(t, "in the rack", near, maps, 0)
	if n := skips(d, far); n != 1 { // one node of four holds blocks: factor 1 counts as 1/4, 4 x 1/4 = 1
		t.Errorf("%d offers of another rack were declined, expected 1", n)
	}
	if n := skips(build("locality-wait-factor: 2"), far); n != 8 {
		t.Errorf("%d offers were declined with factor 2, expected 2 x 4", n)
	}
	d = build("rack-wait-factor: 0.5")
	if n := skips(d, near); n != 2 {
		t.Errorf("%d offers of the rack were declined, expected 0.5 x 4", n)
	}
	d.served(t, "on the node", local, maps, 0)
	if n := skips(d, far); n != 3 { // 4 x (0.25 + 0.5)
		t.Errorf("%d offers of another rack were declined, expected 3", n)
	}
}
