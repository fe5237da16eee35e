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
	return patient(Defaults().Patience, most, goals...)
}

// patient is admitted for jobs without a goal that wait that long.
func patient(patience model.Time, most int32, goals ...model.Time) (*Order, *cluster.State) {
	state := cluster.New(&model.Topology{Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: model.Room{20, 0}, Speed: 1}}, Nodes: make([]model.Node, 1)})
	params := Defaults()
	params.Interval, params.Drain, params.Patience = model.Second, false, patience
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
	d, s := patient(model.Time(rapid.IntRange(1, 100).Draw(t, "patience"))*model.Second, most, goals...)
	d.params.Interval = rapid.SampledFrom([]model.Time{1, 3}).Draw(t, "interval") * model.Second // goals may pass within one
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
		} else if _, again := d.Kept(o); again > 0 {
			for id := range goals {
				d.keeps(t, s.Job(model.JobID(id)), again)
			}
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
	place := d.place(max(d.grid, own.at), j, d.watch.Job(j.ID), p, own, false)
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

// keeps fails if a job is not held in some interval that begins before the time until which room is kept free.
func (d *Order) keeps(t *rapid.T, j *cluster.Job, again model.Time) {
	p := &d.pools[0]
	own := p.of(j)
	for grid := d.grid; grid < again; grid += d.params.Interval {
		was := *own
		place := d.place(max(grid, own.at), j, d.watch.Job(j.ID), p, own, false)
		p.news, p.freed, *own = nil, nil, was
		if place.Major != int64(held) {
			t.Fatalf("room is kept free from %v to %v: job %d stands at %v in the interval of %v", d.grid, again, j.ID, place, grid)
		}
	}
}

// What the driver is told after a start is what it would hear if it asked once more.
func TestEnough(t *testing.T) {
	said := 0
	rapid.Check(t, func(t *rapid.T) {
		goals := make([]model.Time, rapid.IntRange(1, 5).Draw(t, "jobs"))
		for i := range goals {
			goals[i] = model.Time(rapid.SampledFrom([]int{0, 30, 300, 3000}).Draw(t, "goal"))
		}
		d, s := patient(20*model.Second, 2, goals...)
		now := model.Time(0)
		running := map[model.Task]model.Time{}
		var order []model.Task
		enough := model.Time(0)
		o := &policy.Offer{}
		o.OnBlocked(func(*cluster.Job, model.Limit) {})
		o.OnEnough(func(again model.Time) { enough = again })
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "ends") && len(order) > 0 {
				i := rapid.IntRange(0, len(order)-1).Draw(t, "task")
				task := order[i]
				order = slices.Delete(order, i, i+1)
				s.End(task, 0, true)
				d.AttemptEnded(now, s.Job(task.Job), task, 0, running[task], true)
				if j := s.Job(task.Job); j.Pending(model.Map) == 0 && j.Running[model.Map] == 0 {
					d.Wants(now, j, 0, false)
				}
			} else {
				now += model.Time(rapid.IntRange(0, 15).Draw(t, "time")) * model.Second
			}
			o.Now, o.Free, enough = now, s.Nodes[0].Free, 0
			d.Aim(o)
			j := d.First(0)
			if j == nil || j.Wants(model.Map) == 0 {
				continue
			}
			d.Passed(o, j, model.Map)
			task := model.Task{Job: j.ID, Kind: model.Map, Index: j.First(model.Map)}
			if _, err := s.Start(task, 0); err != nil {
				continue
			}
			running[task], order = now, append(order, task)
			d.AttemptStarted(now, j, task, 0)
			if enough == 0 {
				continue
			}
			said++
			o.Free = s.Nodes[0].Free
			d.Aim(o)
			next := d.First(0)
			if scope, _ := d.Kept(o); next != nil || scope != policy.Everywhere {
				t.Fatalf("enough until %v; asked, it serves %v, scope %v", enough, next, scope)
			}
			for id := range goals {
				if j := s.Job(model.JobID(id)); d.pools[0].of(j).wants {
					d.keeps(t, j, enough)
				}
			}
		}
	})
	if said == 0 {
		t.Error("it is never said to be enough")
	}
}

// A job without a goal that runs as many maps as it may is held, and no longer as soon as it wants a reduce.
func TestKindsWanted(t *testing.T) {
	state := cluster.New(&model.Topology{Model: model.Containers, Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: model.Room{20, 0}, Speed: 1}}, Nodes: make([]model.Node, 1)})
	params := Defaults()
	d := New(&policy.Env{Cluster: state}, &params, 1)
	j := state.AddJob(0, &model.Job{Maps: 10, Reduces: 2, Need: [model.Kinds]model.Room{{1, 0}, {1, 0}}})
	j.Admit()
	d.Wants(0, j, 0, true)
	o := &policy.Offer{Free: model.Room{20, 0}}
	serves := func(why string, want *cluster.Job) {
		t.Helper()
		if d.Aim(o); d.First(0) != want {
			t.Errorf("%s: serves another than %v", why, want)
		}
	}
	serves("it may start a map", j)
	if _, err := state.Start(model.Task{}, 0); err != nil {
		t.Fatal(err)
	}
	d.AttemptStarted(0, j, model.Task{}, 0)
	serves("a map runs", nil)
	state.Let(j, model.Reduce, 2)
	d.KindsWanted(0, j)
	serves("reduces may start", j)
	state.Let(j, model.Reduce, 0)
	d.KindsWanted(0, j)
	serves("they no longer may", nil)
}

// A job without a goal that ceased to be held, and whose next task ends before room is offered, is said to lack room alone if
// another job takes it.
func TestRisenTwice(t *testing.T) {
	d, s := admitted(2, 0, 3000)
	j := s.Job(0)
	for i := range int32(2) {
		task := model.Task{Index: i}
		if _, err := s.Start(task, 0); err != nil {
			t.Fatal(err)
		}
		d.AttemptStarted(0, j, task, 0)
	}
	if own := d.pools[0].of(j); own.state != held {
		t.Fatalf("with two maps it is in state %d", own.state)
	}
	for i := range int32(2) {
		task := model.Task{Index: i}
		s.End(task, 0, true)
		d.AttemptEnded(model.Second, j, task, 0, 0, true)
	}
	told := map[model.JobID]model.Limit{}
	o := &policy.Offer{Now: model.Second, Free: model.Room{1, 0}}
	o.OnBlocked(func(j *cluster.Job, l model.Limit) { told[j.ID] = l })
	d.Aim(o)
	first := d.First(0)
	d.Passed(o, first, model.Map)
	if limit, said := told[0]; first.ID != 1 || !said || limit != model.LimitRoom {
		t.Errorf("job %d is served, of job 0 it is said %v, %t", first.ID, limit, said)
	}
}
