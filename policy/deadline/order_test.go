// SPDX-License-Identifier: Apache-2.0

package deadline

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// admitted returns the order for jobs of ten maps with these goals in seconds, 0 for none, all admitted at 0 and
// wanting maps. most is that of New.
func admitted(most int32, goals ...model.Time) (*Order, *cluster.State) {
	state := cluster.New(&model.Topology{Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: model.Room{20, 0}, Speed: 1}}, Nodes: make([]model.Node, 1)})
	params := Defaults()
	params.Interval, params.Drain = model.Second, false
	d := New(&policy.Env{Cluster: state}, &params, most)
	for id, goal := range goals {
		j := state.AddJob(0, &model.Job{ID: model.JobID(id), Maps: 10, Goal: goal * model.Second, Need: [model.Kinds]model.Room{{1, 0}}})
		j.Admit()
		d.JobAdmitted(0, j)
		d.Wants(0, j, 0, true)
	}
	return d, state
}

// ranked returns all jobs in order.
func (d *Order) ranked() (ids []model.JobID) {
	d.Aim(nil)
	for j := d.First(0); j != nil; j = d.Next(0) {
		ids = append(ids, j.ID)
	}
	return ids
}

// ran lets one map of a job run from one time to another, in seconds.
func ran(t *testing.T, d *Order, s *cluster.State, id model.JobID, from, to model.Time) {
	t.Helper()
	task := model.Task{Job: id, Kind: model.Map, Index: s.Job(id).First(model.Map)}
	j, err := s.Start(task, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.AttemptStarted(from*model.Second, j, task, 0)
	s.End(task, 0, true)
	d.AttemptEnded(to*model.Second, j, task, 0, from*model.Second, true)
}

// The states of §IV: nothing known (oldest first), then by the slots that are needed, no goal last; and a missed goal
// before all others once the clock has passed it.
func TestStates(t *testing.T) {
	d, s := admitted(0, 1000, 100, 0, 500)
	if got := d.ranked(); !slices.Equal(got, []model.JobID{0, 1, 3, 2}) {
		t.Errorf("nothing is known: %v", got)
	}
	for _, id := range []model.JobID{0, 1} {
		ran(t, d, s, id, 0, 10)
	}
	// Nine maps of 10 s: job 1 has 90 s for them, job 0 990 s.
	if got := d.ranked(); !slices.Equal(got, []model.JobID{3, 1, 0, 2}) {
		t.Errorf("by need: %v", got)
	}
	d.Aim(&policy.Offer{Now: 101 * model.Second, Free: model.Room{20, 0}})
	if got := d.ranked(); got[0] != 1 {
		t.Errorf("job 1 has missed its goal: %v", got)
	}
}

// deadline-min keeps room free: a job that has what it needs is not served, and says so; deadline-max serves it.
func TestHeld(t *testing.T) {
	for _, most := range []int32{0, 1} {
		d, s := admitted(most, 100_000)
		ran(t, d, s, 0, 0, 10)
		task := model.Task{Kind: model.Map, Index: 1}
		j, err := s.Start(task, 0)
		if err != nil {
			t.Fatal(err)
		}
		d.AttemptStarted(10*model.Second, j, task, 0)
		var limits []model.Limit
		o := &policy.Offer{Now: 10 * model.Second, Free: model.Room{19, 0}}
		o.OnBlocked(func(_ *cluster.Job, l model.Limit) { limits = append(limits, l) })
		d.Aim(o)
		first := d.First(0)
		if most == 0 && first != j || most > 0 && (first != nil || len(limits) == 0 || slices.ContainsFunc(limits, func(l model.Limit) bool { return l != model.LimitShare })) {
			t.Errorf("limit %d: serves %v, blocked by %v", most, first, limits)
		}
	}
}

// What drift.go rests on: whatever happens, no job stands in its heap behind the place that it has in the interval, one that is said to be
// exact stands there, and the others are looked at before they could.
func TestNeverBehind(t *testing.T) {
	for _, most := range []int32{0, 2} {
		rapid.Check(t, func(t *rapid.T) { neverBehind(t, most) })
	}
}

func neverBehind(t *rapid.T, most int32) {
	goals := make([]model.Time, rapid.IntRange(2, 6).Draw(t, "jobs"))
	for i := range goals {
		goals[i] = model.Time(rapid.SampledFrom([]int{0, 30, 100, 300, 1000, 3000}).Draw(t, "goal"))
	}
	d, s := admitted(most, goals...)
	d.params.Patience = model.Time(rapid.IntRange(1, 100).Draw(t, "patience")) * model.Second
	now := model.Time(0)
	running := map[model.Task]model.Time{}
	var order []model.Task // of those that run, as they began
	for range rapid.IntRange(1, 100).Draw(t, "steps") {
		j := s.Job(model.JobID(rapid.IntRange(0, len(goals)-1).Draw(t, "job")))
		switch op := rapid.IntRange(0, 3).Draw(t, "op"); {
		case op == 0 && j.Wants(model.Map) > 1 && len(order) < 20:
			task := model.Task{Job: j.ID, Kind: model.Map, Index: j.First(model.Map)}
			if _, err := s.Start(task, 0); err != nil {
				t.Fatal(err)
			}
			d.AttemptStarted(now, j, task, 0)
			running[task], order = now, append(order, task)
		case op == 1 && len(order) > 0:
			i := rapid.IntRange(0, len(order)-1).Draw(t, "task")
			task := order[i]
			order = slices.Delete(order, i, i+1)
			s.End(task, 0, true)
			d.AttemptEnded(now, s.Job(task.Job), task, 0, running[task], true)
		default:
			now += model.Time(rapid.SampledFrom([]int{0, 1, 2, 10, 40}).Draw(t, "time")) * model.Second
		}
		o := &policy.Offer{Now: now, Free: model.Room{20, 0}}
		o.OnBlocked(func(*cluster.Job, model.Limit) {})
		d.Aim(o)
		if j := d.First(0); j != nil {
			d.Passed(o, j, model.Map)
		} else {
			d.Kept(o)
		}
		d.moves.raise()
		for id := range goals {
			d.stands(t, s.Job(model.JobID(id)))
		}
	}
}

// stands fails if a job is in the heap behind its place.
func (d *Order) stands(t *rapid.T, j *cluster.Job) {
	p := &d.pools[0]
	own := p.of(j)
	key, was, exact := p.order.Key(j), *own, own.exact
	place := d.place(max(d.grid, own.at), j, p, own, false)
	p.news, p.freed, *own = nil, nil, was
	switch {
	case place.Less(key):
		t.Fatalf("interval of %v: job %d stands at %v, behind its place %v", d.grid, j.ID, key, place)
	case exact && place != key:
		t.Fatalf("interval of %v: job %d stands exactly at %v, its place is %v", d.grid, j.ID, key, place)
	case !exact && (!p.drift.wakes.Has(j) || p.drift.wakes.Key(j).Major < int64(d.grid)):
		t.Fatalf("interval of %v: nobody looks at job %d", d.grid, j.ID)
	}
}
