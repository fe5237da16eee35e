// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"pgregory.net/rapid"
)

// fairTwin recomputes everything from the list of running tasks and the history of starts, by the
// rule in the comment of FairOrder.
type fairTwin struct {
	env     *policy.Env
	params  FairParams
	wants   [model.Kinds]map[int32]bool
	running []model.Task
	history []model.Task               // all that ever were
	came    [model.Kinds]map[int32]int // number of starts before the job first wanted room, unserved
}

// standing is what the rule compares.
type standing struct {
	id    int32
	needy bool
	ratio float64
	last  int // when it was served last, or came: a position in the history
}

func (a standing) compare(b standing) int {
	if a.needy != b.needy {
		if a.needy {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.last, b.last), cmp.Compare(a.id, b.id))
}

func (w *fairTwin) pool(t model.Task) int { return w.env.Cluster.Topology.Model.Pool(t.Kind) }

// use is the dominant share of the running tasks that belong, in units of a node's worth for Yarn
// and in tasks otherwise. Tests choose needs for which sums of floats are exact.
func (w *fairTwin) use(pool int, belongs func(*cluster.Job) bool) (use float64) {
	s := w.env.Cluster
	for _, t := range w.running {
		j := s.Job(t.Job)
		if w.pool(t) != pool || !belongs(j) {
			continue
		}
		if s.Topology.Model != model.Yarn {
			use++
			continue
		}
		need := j.Need[t.Kind]
		use += max(float64(need[0])/float64(s.Total[0]), float64(need[1])/float64(s.Total[1])) * float64(len(s.Nodes))
	}
	return use
}

func (w *fairTwin) last(pool int, belongs func(*cluster.Job) bool) int {
	for i := len(w.history) - 1; i >= 0; i-- {
		if w.pool(w.history[i]) == pool && belongs(w.env.Cluster.Job(w.history[i].Job)) {
			return i + 1
		}
	}
	first := math.MaxInt
	for id, at := range w.came[pool] {
		if belongs(w.env.Cluster.Job(model.JobID(id))) {
			first = min(first, at)
		}
	}
	return first
}

// want notes when a job comes: behind those that were served before.
func (w *fairTwin) want(pool int, j *cluster.Job, wants bool) {
	w.wants[pool][int32(j.ID)] = wants
	served := slices.ContainsFunc(w.history, func(t model.Task) bool { return t.Job == j.ID && w.pool(t) == pool })
	if _, came := w.came[pool][int32(j.ID)]; wants && !came && !served {
		w.came[pool][int32(j.ID)] = len(w.history)
	}
}

func (w *fairTwin) stand(pool int, id int32, weight, minimum float64, belongs func(*cluster.Job) bool) standing {
	use := w.use(pool, belongs)
	if use < minimum {
		return standing{id, true, use / minimum, w.last(pool, belongs)}
	}
	return standing{id, false, use / weight, w.last(pool, belongs)}
}

// jobs ranks those of the given jobs that want room, by themselves.
func (w *fairTwin) jobs(pool int, fifo bool, belongs func(*cluster.Job) bool) (ids []int32) {
	var list []standing
	for _, j := range w.env.Cluster.Jobs() {
		i := int32(j.ID)
		if !w.wants[pool][i] || !belongs(j) {
			continue
		}
		if fifo {
			list = append(list, standing{id: i, ratio: float64(j.Priority), last: int(j.Submit)})
		} else {
			list = append(list, w.stand(pool, i, j.Weight, 0, func(o *cluster.Job) bool { return o == j }))
		}
	}
	slices.SortFunc(list, standing.compare)
	for _, s := range list {
		ids = append(ids, s.id)
	}
	return ids
}

func (w *fairTwin) order(pool int) (ids []int32) {
	if w.params.By == "job" {
		return w.jobs(pool, false, func(*cluster.Job) bool { return true })
	}
	names, sharer := w.env.Cluster.Users, func(j *cluster.Job) int32 { return j.User }
	if w.params.By == "pool" {
		names, sharer = w.env.Cluster.Queues, func(j *cluster.Job) int32 { return j.Queue }
	}
	var list []standing
	for id, name := range names {
		weight, ok := w.params.Weights[name]
		if !ok {
			weight = 1
		}
		list = append(list, w.stand(pool, int32(id), weight, w.params.MinShares[name],
			func(j *cluster.Job) bool { return sharer(j) == int32(id) }))
	}
	slices.SortFunc(list, standing.compare)
	for _, s := range list {
		ids = append(ids, w.jobs(pool, w.params.Within == "fifo", func(j *cluster.Job) bool { return sharer(j) == s.id })...)
	}
	return ids
}

// fairJobs makes jobs with powers of two for needs, so that their shares of 4 nodes of (8192 MiB,
// 16 vcores) are exact, and weights whose ratios are never closer than 1/12 without being equal.
func fairJobs(t *rapid.T, m model.RoomModel) []model.Job {
	jobs := make([]model.Job, rapid.IntRange(1, 9).Draw(t, "jobs"))
	for i := range jobs {
		jobs[i] = model.Job{
			User:     fmt.Sprint("u", rapid.IntRange(0, 2).Draw(t, "user")),
			Queue:    fmt.Sprint("q", rapid.IntRange(0, 3).Draw(t, "queue")),
			Weight:   rapid.SampledFrom([]float64{0, 0.5, 1, 2, 3, 4}).Draw(t, "weight"),
			Priority: model.Priority(rapid.IntRange(0, 4).Draw(t, "priority")),
			Submit:   model.Time(rapid.IntRange(0, 3).Draw(t, "submit")),
			Maps:     1000, Reduces: 1000,
			Need: [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)},
		}
		if m == model.Yarn {
			for k := range jobs[i].Need {
				jobs[i].Need[k] = model.Room{1 << rapid.IntRange(8, 12).Draw(t, "memory"), 1 << rapid.IntRange(0, 3).Draw(t, "vcores")}
			}
		}
	}
	return jobs
}

func drawFairParams(t *rapid.T) FairParams {
	p := FairParams{By: rapid.SampledFrom([]string{"job", "user", "pool"}).Draw(t, "by"),
		Within: rapid.SampledFrom([]string{"fair", "fifo"}).Draw(t, "within"), Weights: map[string]float64{}, MinShares: map[string]float64{}}
	for _, name := range []string{"u0", "u2", "q0", "q1"} { // the others have weight 1 and no minimum
		p.Weights[name] = rapid.SampledFrom([]float64{0.5, 1, 2, 3, 4}).Draw(t, "weight of "+name)
		p.MinShares[name] = rapid.SampledFrom([]float64{0, 1, 2, 8}).Draw(t, "minimum of "+name)
	}
	return p
}

// crowd sets how many sharers are a crowd, before any is there.
func (f *FairOrder) crowd(sharers int) {
	for pool := range f.pools {
		f.pools[pool].sharers.Crowd = sharers
	}
}

func TestFairOrderIsRecomputed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom([]model.RoomModel{model.Slots, model.Containers, model.Yarn}).Draw(t, "model")
		room := map[model.RoomModel]model.Room{model.Slots: {6, 2}, model.Containers: {8, 0}, model.Yarn: {8192, 16}}[m]
		top := oneNode(m, room)
		top.Nodes = make([]model.Node, 4)
		env := idle(top, fairJobs(t, m))
		w := &fairTwin{env: env, params: drawFairParams(t), wants: [model.Kinds]map[int32]bool{{}, {}}, came: [model.Kinds]map[int32]int{{}, {}}}
		f := NewFairOrder(env, w.params)
		f.crowd(rapid.SampledFrom([]int{0, 3, fairCrowd}).Draw(t, "crowd"))
		pool := func(t *rapid.T) int { return rapid.IntRange(0, m.Pools()-1).Draw(t, "pool") }
		job := func(t *rapid.T) *cluster.Job {
			return env.Cluster.Job(model.JobID(rapid.IntRange(0, len(env.Cluster.Jobs())-1).Draw(t, "job")))
		}
		start := func(j *cluster.Job, k model.Kind) {
			task := model.Task{Job: j.ID, Kind: k}
			w.running, w.history = append(w.running, task), append(w.history, task)
			f.TaskStarted(0, j, k, 0)
		}
		t.Repeat(map[string]func(*rapid.T){
			"wants": func(t *rapid.T) {
				j, p, wants := job(t), pool(t), rapid.IntRange(0, 2).Draw(t, "wants") > 0
				w.want(p, j, wants)
				f.Wants(0, j, p, wants)
			},
			"serve the first": func(t *rapid.T) {
				p := pool(t)
				if j := f.First(p); j != nil {
					k := model.Kind(p)
					if m != model.Slots {
						k = model.Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
					}
					start(j, k)
				}
			},
			"look at the first": func(t *rapid.T) {
				p := pool(t)
				if got, want := f.First(p), w.order(p); (got == nil) != (len(want) == 0) || got != nil && int32(got.ID) != want[0] {
					t.Fatalf("pool %d: first %v, the twin says %v", p, got, want)
				}
			},
			"serve any": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "n") {
					start(job(t), model.Kind(rapid.IntRange(0, 1).Draw(t, "kind")))
				}
			},
			"end a few": func(t *rapid.T) {
				for n := rapid.IntRange(1, 5).Draw(t, "n"); n > 0 && len(w.running) > 0; n-- {
					i := rapid.IntRange(0, len(w.running)-1).Draw(t, "task")
					task := w.running[i]
					w.running, w.history = slices.Delete(w.running, i, i+1), append(w.history, task)
					f.TaskEnded(0, env.Cluster.Job(task.Job), task.Kind, 0, rapid.Bool().Draw(t, "done"))
				}
			},
			"": func(t *rapid.T) {
				for p := range m.Pools() {
					if rapid.IntRange(0, 3).Draw(t, "look") == 0 {
						continue // looking settles what was put off, so several changes must also come without a look
					}
					if got, want := rank(f, p), w.order(p); !slices.Equal(got, want) {
						t.Fatalf("pool %d: %v, the twin says %v", p, got, want)
					}
				}
			},
		})
	})
}

// Who is foreseen is who is served next, task by task, whatever weights and ends have made of the order. When nobody is left
// who has as little as the others, a few starts are not foreseen.
func TestFairForesees(t *testing.T) {
	jobs := make([]model.Job, 40)
	for i := range jobs {
		jobs[i].Weight = float64(1 + i*i%5)
	}
	env := idle(oneNode(model.Slots, model.Room{100, 0}), jobs)
	f := NewFairOrder(env, DefaultFairParams())
	f.crowd(0)
	for i, j := range env.Cluster.Jobs() {
		if i == 2 && foreseen(f)[0].ID >= 0 {
			t.Error("two jobs are too few to be foreseen")
		}
		f.Wants(0, j, 0, true)
	}
	var before, now [3]keyed.Seat
	unseen := 0
	for n := range 200 {
		before, now = now, foreseen(f)
		j := f.First(0)
		switch {
		case now[0].ID < 0:
			unseen++
		case now[0].ID != j.Slot || now[0].Tie != int32(j.ID):
			t.Fatalf("start %d: %v was foreseen, job %d is served", n, now, j.ID)
		case n > 0 && before[0].ID >= 0 && (now[0] != before[1] || now[1] != before[2]):
			t.Fatalf("start %d: %v is foreseen after %v", n, now, before)
		}
		f.TaskStarted(0, j, model.Map, 0)
		f.TaskStarted(0, j, model.Map, 0)
		f.TaskEnded(0, j, model.Map, 0, true)
	}
	if unseen > 20 {
		t.Errorf("%d of 200 starts were not foreseen", unseen)
	}
	if p := (FairParams{By: "user"}); foreseen(NewFairOrder(env, p))[0].ID >= 0 {
		t.Error("jobs of users are not foreseen")
	}
}

// foreseen returns the next three, nobody (-1) if they are not foreseen.
func foreseen(f *FairOrder) (jobs [3]keyed.Seat) {
	if seats := f.Foresee(0, jobs[:]); seats != nil {
		return [3]keyed.Seat(seats)
	}
	return [3]keyed.Seat{{ID: -1}, {ID: -1}, {ID: -1}}
}

// With one slot and equal jobs the slot goes round.
func TestFairGoesRound(t *testing.T) {
	env := idle(oneNode(model.Slots, model.Room{1, 0}), make([]model.Job, 3))
	f := NewFairOrder(env, DefaultFairParams())
	for _, j := range env.Cluster.Jobs() {
		f.Wants(0, j, 0, true)
	}
	var served []int32
	for range 7 {
		j := f.First(0)
		served = append(served, int32(j.ID))
		f.TaskStarted(0, j, model.Map, 0)
		f.TaskEnded(0, j, model.Map, 0, true)
	}
	if !slices.Equal(served, []int32{0, 1, 2, 0, 1, 2, 0}) {
		t.Errorf("served %v", served)
	}
}

// A user who has given everything back holds exactly nothing. As a running sum of floats, 100/1000 and
// 200/1000 of the memory, taken and given back in turn, would leave 2.8e-17, and the user would rank
// behind another who holds nothing but was served later.
func TestFairUseReturnsToZero(t *testing.T) {
	env := idle(oneNode(model.Yarn, model.Room{1000, 1000}), []model.Job{
		{User: "early", Need: [model.Kinds]model.Room{{100, 1}, {200, 1}}, Maps: 9, Reduces: 9},
		{User: "late", Need: [model.Kinds]model.Room{{100, 1}, {200, 1}}, Maps: 9, Reduces: 9},
	})
	f := NewFairOrder(env, FairParams{By: "user", Within: "fair"})
	early, late := env.Cluster.Job(0), env.Cluster.Job(1)
	f.Wants(0, early, 0, true)
	f.Wants(0, late, 0, true)
	f.TaskStarted(0, early, model.Map, 0)
	f.TaskStarted(0, early, model.Reduce, 0)
	f.TaskEnded(0, early, model.Map, 0, true)
	f.TaskEnded(0, early, model.Reduce, 0, true)
	f.TaskStarted(0, late, model.Map, 0)
	f.TaskEnded(0, late, model.Map, 0, true)
	if got := rank(f, 0); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("order %v: nobody holds anything, job 0 was served longest ago", got)
	}
}
