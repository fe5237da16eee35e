// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/record"
)

// TestFeedbackTwin runs fbq and tags beside a twin that keeps no order and no sums: at every offer it
// adds up the service of each job from the events so far, sorts all jobs, and moves those at the head.
func TestFeedbackTwin(t *testing.T) {
	for _, name := range []string{"fbq", "tags"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := fromRapid(t)
				c := Generate(d)
				e, _ := find(name)
				params, text := Params(d, e)
				if !suits(c, params) {
					return
				}
				limits := params.(interface{ Rising() []model.Time }).Rising()
				var parts []int
				if p, ok := params.(policy.Divider); ok {
					parts = p.NodeParts(c.Topology)
				}
				if name == "tags" && (parts == nil || c.Topology.Model != model.Slots || c.Config.Heartbeat.Interval != engine.OnIdle) {
					// The twin knows parts made of nodes. In shared room, a part may be offered more or less
					// often, and its limit is checked at offers. With periodic
					// heartbeats the twin never says that no node need ask, so heartbeats at the very time at
					// which a task ends may come before or after other ends of that time.
					return
				}
				log := &record.Log{}
				if _, err := engine.Run(c.Input(e, params, log)); err != nil {
					t.Fatal(err)
				}
				twin := &feedbackTwin{limits: limits, parts: parts, jobs: make([]twinJob, len(c.Jobs)), begun: map[model.Task]model.Time{}}
				entry := *e
				entry.New = twin.build
				again := &record.Log{}
				if _, err := engine.Run(c.Input(&entry, params, record.Tee{again, twin})); err != nil {
					t.Fatal(err)
				}
				if err := sameEvents(unblamed(log.Events), unblamed(again.Events)); err != nil {
					t.Errorf("%s and its twin: %v\n%s%v", name, err, text, c)
				}
			})
		})
	}
}

// unblamed leaves out what a policy says about jobs that it holds back, which the twin does not.
func unblamed(events []record.Event) []record.Event {
	left := slices.DeleteFunc(slices.Clone(events), func(e record.Event) bool { return e.Kind == record.JobBlocked })
	for i := range left {
		left[i].Limit = 0
	}
	return left
}

type twinJob struct {
	level    int
	turn     int64
	received model.Time // by tasks that have ended
	joined   model.Time
}

type feedbackTwin struct {
	env    *policy.Env
	place  *kit.GreedyLocal
	limits []model.Time
	parts  []int
	jobs   []twinJob
	joins  int64
	begun  map[model.Task]model.Time // when the running tasks began to work
}

func (f *feedbackTwin) build(env *policy.Env, _ any) (policy.Policy, error) {
	f.env, f.place = env, kit.NewGreedyLocal(env)
	return f, nil
}

// Record implements record.Recorder.
func (f *feedbackTwin) Record(e *record.Event) {
	switch e.Kind {
	case record.JobAdmitted:
		f.joins++
		f.jobs[e.Task.Job].turn = f.joins
	case record.TaskStarted:
		if e.Task.Kind == model.Map {
			f.begun[e.Task] = e.Time
		}
	case record.TaskShuffling, record.TaskComputing:
		if _, ok := f.begun[e.Task]; !ok {
			f.begun[e.Task] = e.Time
		}
	case record.TaskEnded:
		f.jobs[e.Task.Job].received += e.Time - f.begun[e.Task]
		delete(f.begun, e.Task)
	}
}

func (f *feedbackTwin) service(now model.Time, id model.JobID) model.Time {
	sum := f.jobs[id].received
	for task, since := range f.begun {
		if task.Job == id {
			sum += now - since
		}
	}
	return sum
}

// wanting returns the jobs that the offer could serve, sorted.
func (f *feedbackTwin) wanting(o *policy.Offer) (jobs []*cluster.Job) {
	m := f.env.Cluster.Topology.Model
	for _, j := range f.env.Cluster.Jobs() {
		wants := false
		for k := range model.Kind(model.Kinds) {
			wants = wants || m.Pool(k) == o.Pool && j.Wants(k) > 0
		}
		if j.Phase == cluster.Admitted && wants && (f.parts == nil || f.parts[o.Node] == f.jobs[j.ID].level) {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b *cluster.Job) int {
		x, y := &f.jobs[a.ID], &f.jobs[b.ID]
		return cmp.Or(cmp.Compare(x.level, y.level), cmp.Compare(x.turn, y.turn))
	})
	return jobs
}

// Pick implements policy.Policy.
func (f *feedbackTwin) Pick(o *policy.Offer) policy.Decision {
	for {
		jobs := f.wanting(o)
		if len(jobs) == 0 {
			break
		}
		head := &f.jobs[jobs[0].ID]
		if s := f.service(o.Now, jobs[0].ID); head.level < len(f.limits) && s-head.joined > f.limits[head.level] {
			f.joins++
			head.level, head.turn, head.joined = head.level+1, f.joins, s
			if f.parts != nil {
				o.Changed() // other room may serve it now
			}
			continue
		}
		for _, j := range jobs {
			if k, ok := f.kind(o, j); ok {
				index, _ := f.place.Choose(o, j, k)
				return policy.Start(j, k, index)
			}
		}
		break
	}
	for _, j := range f.env.Cluster.Jobs() {
		if f.parts != nil && j.Phase == cluster.Admitted {
			o.Blocked(j, model.LimitPartition) // so that all other room is offered whenever something ends
			break
		}
	}
	return policy.Nothing(policy.Here, 0)
}

// kind says which kind of task the job would start: its reduces first where room is shared.
func (f *feedbackTwin) kind(o *policy.Offer, j *cluster.Job) (model.Kind, bool) {
	m := f.env.Cluster.Topology.Model
	for _, k := range []model.Kind{model.Reduce, model.Map} {
		if m.Pool(k) == o.Pool && j.Wants(k) > 0 && o.Free.Fits(j.Need[k]) {
			return k, true
		}
	}
	return 0, false
}
