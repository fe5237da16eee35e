// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// chooserFake declines the sharers that it has a time for, and takes a map of the first job of any other that may
// start one.
type chooserFake struct {
	placeFake
	env      *policy.Env
	of       func(*cluster.Job) int32
	declines map[int32]model.Time
}

func (c *chooserFake) Sharers(of func(*cluster.Job) int32) { c.of = of }

func (c *chooserFake) ChooseOf(o *policy.Offer, sharer int32, may func(*cluster.Job, model.Kind) bool) (Choice, model.Time) {
	c.diary.note("choose of %d", sharer)
	if again, declined := c.declines[sharer]; declined {
		return Choice{}, again
	}
	for _, j := range c.env.Cluster.Jobs() {
		if c.of(j) == sharer && may(j, model.Map) {
			return Choice{j, model.Map, j.First(model.Map)}, 0
		}
	}
	return Choice{}, 0
}

// A chooser is asked sharer by sharer in order: jobs by their slots, or users. May stands between it and jobs that
// a partition or the room keeps away.
func TestPickOfSharers(t *testing.T) {
	env, roles, d := fakes(model.Containers, 3)
	chooser := &chooserFake{placeFake: placeFake{observer: observer{diary: d}}, env: env, declines: map[int32]model.Time{0: 7, 1: 5}}
	roles.Place = chooser
	got, _ := offerTo(env, roles, d, model.Room{4, 0})
	if got != policy.Start(env.Cluster.Job(2), model.Map, 0) {
		t.Errorf("picks %+v", got)
	}
	d.expect(t, "asked", "choose of 0", "choose of 1", "choose of 2", "order passed for 2 map")
	roles.Partition.(*partitionFake).barred = 2
	if got, blocked := offerTo(env, roles, d, model.Room{4, 0}); got != policy.Nothing(policy.Here, 5) || len(blocked) != 1 || blocked[0] != "2 partition" {
		t.Errorf("picks %+v, blocked %v", got, blocked)
	}
	roles.Partition = nil
	if got, _ := offerTo(env, roles, d, model.Room{0, 4}); got != policy.Nothing(policy.Here, 5) {
		t.Errorf("without room: picks %+v", got)
	}
}

// repeaterFake declines for all sharers at once if it has a time for that.
type repeaterFake struct {
	chooserFake
	all model.Time
}

func (r *repeaterFake) Repeat(*policy.Offer) (model.Time, bool) {
	r.diary.note("repeat")
	return r.all, r.all > 0
}

func (r *repeaterFake) Declined(*policy.Offer) { r.diary.note("declined") }

// A repeater is told what all sharers declined, and may then decline for all of them; not where a partition has a say.
func TestRepeatedRefusals(t *testing.T) {
	env, roles, d := fakes(model.Containers, 2)
	place := &repeaterFake{chooserFake: chooserFake{placeFake: placeFake{observer: observer{diary: d}}, env: env, declines: map[int32]model.Time{0: 7, 1: 5}}}
	partition := roles.Partition
	roles.Place, roles.Partition = place, nil
	pick := func(want policy.Decision, asked ...string) {
		t.Helper()
		if got, _ := offerTo(env, roles, d, model.Room{4, 0}); got != want {
			t.Errorf("picks %+v, expected %+v", got, want)
		}
		d.expect(t, "asked", asked...)
	}
	pick(policy.Nothing(policy.Here, 5), "repeat", "choose of 0", "choose of 1", "declined")
	place.all = 3
	pick(policy.Nothing(policy.Here, 3), "repeat")
	place.all, place.declines = 0, map[int32]model.Time{0: 7}
	pick(policy.Start(env.Cluster.Job(1), model.Map, 0), "repeat", "choose of 0", "choose of 1", "order passed for 1 map")
	roles.Partition, place.all = partition, 3
	pick(policy.Start(env.Cluster.Job(1), model.Map, 0), "choose of 0", "choose of 1", "order passed for 1 map")
}

// With a fair order by user the sharers are users, the one with least room first.
func TestSharersOfFair(t *testing.T) {
	jobs := make([]model.Job, 4)
	for i := range jobs {
		jobs[i] = model.Job{ID: model.JobID(i), User: []string{"ann", "bob"}[i%2], Maps: 3, Need: [model.Kinds]model.Room{{1, 0}}}
	}
	env := idle(oneNode(model.Containers, model.Room{8, 0}), jobs)
	params := DefaultFairParams()
	params.By = "user"
	f := NewFairOrder(env, params)
	for _, j := range env.Cluster.Jobs() {
		f.Wants(0, j, 0, true)
	}
	sharers := func() (list []int32) {
		for s := f.FirstSharer(0); s >= 0; s = f.NextSharer(0) {
			list = append(list, s)
		}
		return list
	}
	if got := sharers(); len(got) != 2 || got[0] != 0 || got[1] != 1 || f.Sharer(env.Cluster.Job(3)) != 1 {
		t.Errorf("sharers %v", got)
	}
	f.TaskStarted(0, env.Cluster.Job(0), model.Map, 0)
	if got := sharers(); len(got) != 2 || got[0] != 1 || got[1] != 0 {
		t.Errorf("sharers %v once ann has room", got)
	}
}

// bothFake is a place that is asked for a map where it declines a reduce.
type bothFake struct{ placeFake }

func (*bothFake) BothKinds() {}

func (b *bothFake) Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	if k == model.Reduce {
		b.diary.note("%s declines a reduce of %d", b.name, j.ID)
		return model.None, 9
	}
	return b.placeFake.Choose(o, j, k)
}

func TestPickAsksForBothKinds(t *testing.T) {
	env, roles, d := fakes(model.Containers, 1)
	roles.Place = &bothFake{placeFake{observer: observer{name: "place", diary: d}}}
	env.Cluster.Job(0).Eligible[model.Reduce] = 1
	got, _ := offerTo(env, roles, d, model.Room{4, 0})
	if got != policy.Start(env.Cluster.Job(0), model.Map, 0) {
		t.Errorf("picks %+v", got)
	}
	d.expect(t, "asked", "place declines a reduce of 0", "place choose 0 map", "order passed for 0 map")
}
