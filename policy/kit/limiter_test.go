// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// limitFake is an order that has an opinion on each job and kind, and one when nobody was served.
type limitFake struct {
	*orderFake
	verdicts map[model.JobID][model.Kinds]Verdict
	scope    policy.Scope
	again    model.Time
}

func (l *limitFake) May(_ *policy.Offer, j *cluster.Job, k model.Kind) Verdict {
	l.diary.note("may %d %v", j.ID, k)
	return l.verdicts[j.ID][k]
}

func (l *limitFake) Kept(*policy.Offer) (policy.Scope, model.Time) {
	l.diary.note("kept")
	return l.scope, l.again
}

// A limiter is asked about what the job wants and what fits, reduces first in shared room. A job that is
// passed over waits on every node; one that may start nothing of what fits here might elsewhere.
func TestPickAsksTheLimiter(t *testing.T) {
	const yes, other, pass = Granted, OtherKind, PassedOver
	for _, c := range []struct {
		name     string
		verdicts map[model.JobID][model.Kinds]Verdict // maps, reduces
		free     model.Room
		want     model.Task
		scope    policy.Scope
		again    model.Time
		told     []string
	}{
		{"granted", nil, model.Room{4, 4}, model.Task{Job: 0, Kind: model.Reduce}, 0, 0,
			[]string{"may 0 reduce", "place choose 0 reduce", "order passed for 0 reduce"}},
		{"the other kind", map[model.JobID][model.Kinds]Verdict{0: {yes, other}}, model.Room{4, 4}, model.Task{Job: 0, Kind: model.Map}, 0, 0,
			[]string{"may 0 reduce", "may 0 map", "place choose 0 map", "order passed for 0 map"}},
		{"what does not fit is not asked about", nil, model.Room{2, 4}, model.Task{Job: 0, Kind: model.Map}, 0, 0,
			[]string{"may 0 map", "place choose 0 map", "order passed for 0 map"}},
		{"passed over with its first kind", map[model.JobID][model.Kinds]Verdict{0: {yes, pass}}, model.Room{4, 4}, model.Task{Job: 1, Kind: model.Reduce}, 0, 0,
			[]string{"may 0 reduce", "may 1 reduce", "place choose 1 reduce", "order passed for 1 reduce"}},
		{"all passed over: on every node", map[model.JobID][model.Kinds]Verdict{0: {pass, pass}, 1: {yes, pass}}, model.Room{4, 4}, model.Task{Job: model.None}, policy.Everywhere, 70,
			[]string{"may 0 reduce", "may 1 reduce", "kept"}},
		{"neither kind: another node might do", map[model.JobID][model.Kinds]Verdict{0: {other, other}, 1: {yes, pass}}, model.Room{4, 4}, model.Task{Job: model.None}, policy.Here, 0,
			[]string{"may 0 reduce", "may 0 map", "may 1 reduce", "kept"}},
	} {
		env, roles, d := fakes(model.Yarn, 2)
		for _, j := range env.Cluster.Jobs() {
			j.Need, j.Eligible[model.Reduce] = [model.Kinds]model.Room{{1, 1}, {3, 1}}, 2
		}
		roles.Order = &limitFake{orderFake: roles.Order.(*orderFake), verdicts: c.verdicts, scope: policy.Everywhere, again: c.again}
		got, _ := offerTo(env, roles, d, c.free)
		want := policy.Decision{Task: c.want, Job: env.Cluster.Job(c.want.Job)}
		if c.want.Job == model.None {
			want = policy.Nothing(c.scope, c.again)
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
		d.expect(t, c.name, c.told...)
	}
}

// An order that keeps room free says how far that reaches and when to ask again; the earliest time of all
// counts.
func TestPickKeepsFree(t *testing.T) {
	for _, c := range []struct {
		scope        policy.Scope
		again        model.Time
		declined     model.Time
		want         policy.Scope
		at           model.Time
		jobs         int
		explanations string
	}{
		{policy.Everywhere, 0, 0, policy.Everywhere, 0, 0, "nobody wants anything"},
		{policy.Here, 50, 0, policy.Here, 50, 0, "reasons of its own"},
		{policy.Everywhere, 50, 40, policy.Here, 40, 1, "a place asks sooner"},
		{policy.Everywhere, 30, 40, policy.Here, 30, 1, "the order asks sooner"},
		{policy.Everywhere, 0, 40, policy.Here, 40, 1, "the order does not ask"},
	} {
		env, roles, d := fakes(model.Slots, c.jobs)
		roles.Order = &limitFake{orderFake: roles.Order.(*orderFake), scope: c.scope, again: c.again}
		roles.Place.(*placeFake).answer = map[model.JobID]model.Time{0: c.declined}
		if got, _ := offerTo(env, roles, d, model.Room{1, 1}); got != policy.Nothing(c.want, c.at) {
			t.Errorf("%s: %+v", c.explanations, got)
		}
	}
}

// tellFake is an admission role that names job 0.
type tellFake struct {
	admitFake
	job *cluster.Job
}

func (a *tellFake) Tell(o *policy.Offer) { o.Blocked(a.job, model.LimitInit) }

func TestPickLetsAdmissionTell(t *testing.T) {
	env, roles, d := fakes(model.Slots, 1)
	roles.Admit = &tellFake{admitFake{observer{name: "admit", diary: d}}, env.Cluster.Job(0)}
	if _, blocked := offerTo(env, roles, d, model.Room{0, 0}); !slices.Equal(blocked, []string{"0 initialisation"}) {
		t.Errorf("told %v", blocked)
	}
}
