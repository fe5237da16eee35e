// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

func TestFairTakesTurns(t *testing.T) {
	d := newDesk(t, "fair", "", racks(model.Slots, 1, 1, model.Room{1, 0}), plain(model.Slots, 3, 2, 0), nil)
	for id := range model.JobID(3) {
		d.admit(id)
	}
	for round, job := range []model.JobID{0, 1, 2, 0, 1, 2} {
		task := d.served(t, fmt.Sprint("one slot goes round, turn ", round), 0, 0, job)
		d.end(task, 0, true)
	}
}

func TestFairMinimumShares(t *testing.T) {
	jobs := plain(model.Slots, 2, 9, 0)
	jobs[1].Queue = "prod"
	d := newDesk(t, "fair", "{by: pool, min-shares: {prod: 2}, weights: {q: 4}}", racks(model.Slots, 1, 1, model.Room{9, 0}), jobs, nil)
	d.admit(0)
	d.admit(1)
	for i, job := range []model.JobID{1, 1, 0, 0, 0, 0, 0, 0, 0} {
		// Below its minimum prod comes first. Then use over weight: 0/4 .. 7/4 against 2/1.
		d.served(t, fmt.Sprint("start ", i), 0, 0, job)
	}
}

func TestFairWithinFifo(t *testing.T) {
	jobs := plain(model.Slots, 3, 2, 0)
	jobs[2].Priority = model.High
	d := newDesk(t, "fair", "{by: user, within: fifo}", racks(model.Slots, 1, 1, model.Room{9, 0}), jobs, nil)
	for id := range model.JobID(3) {
		d.admit(id)
	}
	d.ranked(t, "jobs of one user by priority, then submission", 0, 2, 0, 1)
	d.served(t, "use does not matter within", 0, 0, 2)
	d.ranked(t, "jobs of one user by priority, then submission", 0, 2, 0, 1)
}

// TestFairTwin compares the order with one made from nothing, after random operations.
func TestFairTwin(t *testing.T) {
	for _, m := range []model.RoomModel{model.Slots, model.Containers, model.Yarn} {
		t.Run(m.PoolName(0), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkFair(t, m) })
		})
	}
}

func checkFair(t *rapid.T, m model.RoomModel) {
	twin := &fairTwin{by: rapid.SampledFrom([]string{"job", "user", "pool"}).Draw(t, "by"), fifo: rapid.Bool().Draw(t, "fifo"),
		weights: map[string]float64{}, minima: map[string]float64{}}
	text := "by: " + twin.by + "\n"
	if twin.fifo {
		text += "within: fifo\n"
	}
	if twin.by != "job" {
		name := map[string]string{"user": "u1", "pool": "q1"}[twin.by]
		twin.weights[name] = rapid.SampledFrom([]float64{1, 2, 3, 0.5}).Draw(t, "weight")
		twin.minima[name] = rapid.SampledFrom([]float64{0, 1, 2.5, 4}).Draw(t, "minimum")
		text += fmt.Sprintf("weights: {%s: %g}\nmin-shares: {%s: %g}\n", name, twin.weights[name], name, twin.minima[name])
	}
	d, ops := drawDesk(t, "fair", text, m)
	twin.desk, twin.state, twin.last = d, d.state, map[fairMark]int{}
	ops.started, d.wanted, d.ended = twin.served, twin.wanted, twin.served
	for range 60 {
		ops.step(t, d)
		if rapid.IntRange(0, 2).Draw(t, "look") == 0 { // looking may put late changes in order, so not every time
			continue
		}
		for pool := range m.Pools() {
			if got, want := d.rank(pool), twin.rank(d, pool); !slices.Equal(got, want) {
				t.Fatalf("pool %d: order %v, expected %v by\n%s", pool, got, want, text)
			}
		}
	}
}

// fairTwin knows the rule and nothing else: it counts use from the running tasks in exact fractions
// and sorts all jobs that want room.
type fairTwin struct {
	desk    *desk
	state   *cluster.State
	by      string
	fifo    bool
	weights map[string]float64
	minima  map[string]float64
	starts  int
	last    map[fairMark]int // when a sharer or job was served last
}

type fairMark struct {
	pool int
	job  bool
	id   int32
}

func (f *fairTwin) sharer(j *cluster.Job) int32 {
	switch f.by {
	case "user":
		return j.User
	case "pool":
		return j.Queue
	}
	return int32(j.ID)
}

// wanted notes when a sharer or job comes: behind those that were served before.
func (f *fairTwin) wanted(j *cluster.Job, pool int, wants bool) {
	for _, mark := range []fairMark{{pool, false, f.sharer(j)}, {pool, true, int32(j.ID)}} {
		if _, known := f.last[mark]; wants && !known {
			f.last[mark] = f.starts
		}
	}
}

func (f *fairTwin) served(t model.Task) {
	j, pool := f.desk.jobs[t.Job], f.state.Topology.Model.Pool(t.Kind)
	f.starts++
	f.last[fairMark{pool, false, f.sharer(j)}] = f.starts
	f.last[fairMark{pool, true, int32(j.ID)}] = f.starts
}

// use counts the running tasks of the jobs that the filter keeps: each as one, or under yarn as its
// dominant share of the cluster times the number of nodes, cut to the precision of use: 2^-24.
func (f *fairTwin) use(pool int, keep func(*cluster.Job) bool) *big.Rat {
	m, sum := f.state.Topology.Model, new(big.Rat)
	for _, j := range f.state.Jobs() {
		for k := range model.Kind(model.Kinds) {
			if !keep(j) || m.Pool(k) != pool {
				continue
			}
			share := big.NewRat(1, 1)
			if m == model.Yarn {
				share.SetInt64(0)
				for dim, v := range j.Need[k] {
					if s := big.NewRat(int64(v), f.state.Total[dim]); s.Cmp(share) > 0 {
						share = s
					}
				}
				share.Mul(share, big.NewRat(int64(len(f.state.Nodes))<<24, 1))
				share.SetFrac(new(big.Int).Quo(share.Num(), share.Denom()), big.NewInt(1<<24))
			}
			sum.Add(sum, share.Mul(share, big.NewRat(int64(j.Running[k]), 1)))
		}
	}
	return sum
}

// fairRank is the rule: needy before others, use over minimum or weight, served longest ago.
type fairRank struct {
	needy bool
	ratio *big.Rat
	last  int
}

func rankOf(use *big.Rat, weight, minimum float64, last int) fairRank {
	by := new(big.Rat).SetFloat64(weight)
	lowest := new(big.Rat).SetFloat64(minimum)
	if use.Cmp(lowest) < 0 {
		return fairRank{true, new(big.Rat).Quo(use, lowest), last}
	}
	return fairRank{false, new(big.Rat).Quo(use, by), last}
}

func (a fairRank) compare(b fairRank) int {
	if a.needy != b.needy {
		if a.needy {
			return -1
		}
		return 1
	}
	return cmp.Or(a.ratio.Cmp(b.ratio), cmp.Compare(a.last, b.last))
}

func (f *fairTwin) rankSharer(pool int, j *cluster.Job) fairRank {
	s := f.sharer(j)
	use := f.use(pool, func(o *cluster.Job) bool { return f.sharer(o) == s })
	last := f.last[fairMark{pool, false, s}]
	if f.by == "job" {
		return rankOf(use, j.Weight, 0, last)
	}
	name := f.state.Users[j.User]
	if f.by == "pool" {
		name = f.state.Queues[j.Queue]
	}
	weight, ok := f.weights[name]
	if !ok {
		weight = 1
	}
	return rankOf(use, weight, f.minima[name], last)
}

func (f *fairTwin) rankJob(pool int, j *cluster.Job) fairRank {
	use := f.use(pool, func(o *cluster.Job) bool { return o == j })
	return rankOf(use, j.Weight, 0, f.last[fairMark{pool, true, int32(j.ID)}])
}

func (f *fairTwin) rank(d *desk, pool int) (jobs []model.JobID) {
	for i := range d.jobs {
		if d.wants[[2]int{i, pool}] {
			jobs = append(jobs, model.JobID(i))
		}
	}
	slices.SortFunc(jobs, func(a, b model.JobID) int {
		x, y := d.jobs[a], d.jobs[b]
		order := cmp.Or(f.rankSharer(pool, x).compare(f.rankSharer(pool, y)), cmp.Compare(f.sharer(x), f.sharer(y)))
		if order != 0 {
			return order
		}
		if f.fifo {
			return cmp.Or(cmp.Compare(x.Priority, y.Priority), cmp.Compare(x.Submit, y.Submit), cmp.Compare(a, b))
		}
		return cmp.Or(f.rankJob(pool, x).compare(f.rankJob(pool, y)), cmp.Compare(a, b))
	})
	return jobs
}

// TestFairEqualWeights: the jobs' own weights count, unless they are told not to.
func TestFairEqualWeights(t *testing.T) {
	for params, want := range map[string][]model.JobID{"{}": {0, 1, 1, 1}, "equal-weights: true": {0, 1, 0, 1}} {
		jobs := plain(model.Slots, 2, 9, 0)
		jobs[1].Weight = 3
		d := newDesk(t, "fair", params, racks(model.Slots, 1, 1, model.Room{9, 0}), jobs, nil)
		d.admit(0)
		d.admit(1)
		for i, id := range want {
			d.served(t, params+" slot "+string(rune('0'+i)), 0, 0, id)
		}
	}
}
