// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// script is a test's policy: it decides with the state at hand.
type script struct {
	state  *cluster.State
	decide func(*cluster.State, *policy.Offer) policy.Decision
}

func (s *script) Pick(o *policy.Offer) policy.Decision { return s.decide(s.state, o) }

func scripted(decide func(*cluster.State, *policy.Offer) policy.Decision) *policy.Entry {
	return &policy.Entry{Name: "scripted", New: func(env *policy.Env, _ any) (policy.Policy, error) {
		return &script{env.Cluster, decide}, nil
	}}
}

// TestIllegalDecisions checks that each kind of illegal decision stops the run with an error that
// names the policy, the decision and the state that shows why it is illegal.
func TestIllegalDecisions(t *testing.T) {
	first := func(s *cluster.State, o *policy.Offer) policy.Decision {
		return policy.Start(s.Job(0), model.Map, 0)
	}
	raw := func(job model.JobID, k model.Kind, index int32) func(*cluster.State, *policy.Offer) policy.Decision {
		return func(*cluster.State, *policy.Offer) policy.Decision {
			return policy.Decision{Task: model.Task{Job: job, Kind: k, Index: index}}
		}
	}
	large := func(s *cluster.State, o *policy.Offer) policy.Decision {
		if j := s.Job(1); j != nil && j.Phase == cluster.Admitted {
			return policy.Start(j, model.Map, 0)
		}
		return policy.Nothing(policy.Here, 0)
	}
	for _, test := range []struct {
		name   string
		decide func(*cluster.State, *policy.Offer) policy.Decision
		says   []string
	}{
		{"a task started already", first, []string{"start map 0 of job 0 on node 0: task was started already", "maps: 1 pending, 1 running", "free of 2048 MiB"}},
		{"a job not submitted yet", raw(2, model.Map, 0), []string{"start map 0 of job 2", "no such job, kind or node"}},
		{"a task that does not fit", large, []string{"start map 0 of job 1", "task needs 4096 MiB + 1 vcores, node has 2048 MiB + 2 vcores free"}},
		{"a reduce before slow start", raw(0, model.Reduce, 0), []string{"start reduce 0 of job 0", "job may not start another reduce task now", "reduces: 0 eligible, 0 running"}},
		{"an index beyond the last", raw(0, model.Map, 2), []string{"start map 2 of job 0", "job has 2 map tasks"}},
		{"an index below 0", raw(0, model.Map, -3), []string{"start map -3 of job 0", "job has 2 map tasks"}},
		{"a job beyond the last", raw(9, model.Map, 0), []string{"start map 0 of job 9", "no such job, kind or node"}},
		{"a job below none", raw(-2, model.Map, 0), []string{"start map 0 of job -2", "no such job, kind or node"}},
		{"a kind that is none", raw(0, 7, 0), []string{"of job 0", "no such job, kind or node"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := small(model.Yarn, 1, model.Room{2048, 2})
			c.setSlowStart(100)
			c.add(0, 2, 1, model.Second, func(j *model.Job) { j.Need = [model.Kinds]model.Room{{1024, 1}, {1024, 1}} })
			c.add(0, 1, 0, model.Second, func(j *model.Job) { j.Need[model.Map] = model.Room{4096, 1} })
			c.add(model.Hour, 1, 0, model.Second, func(j *model.Job) { j.Need[model.Map] = model.Room{1024, 1} })
			_, err := c.run(scripted(test.decide), nil)
			if err == nil {
				t.Fatal("the run did not stop")
			}
			for _, says := range append(test.says, "policy scripted made an illegal decision at 0s", "node 0: ", "pool 0") {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q is missing in:\n%v", says, err)
				}
			}
		})
	}
}

// TestUndeclaredNeed checks that the sizes of tasks are out of reach of a policy that does not
// declare the need: both a policy made for the test, and srpt without its declaration.
func TestUndeclaredNeed(t *testing.T) {
	peeking := &policy.Entry{Name: "peeking", New: func(env *policy.Env, _ any) (policy.Policy, error) {
		return &script{env.Cluster, func(s *cluster.State, _ *policy.Offer) policy.Decision {
			env.Sizes.Remaining(0)
			return policy.Start(s.Job(0), model.Map, s.Job(0).First(model.Map))
		}}, nil
	}}
	srpt, _ := find("srpt")
	shy := *srpt
	shy.Needs = 0
	for _, e := range []*policy.Entry{peeking, &shy} {
		if err := runSafely(e); err == nil {
			t.Errorf("%s ran without the sizes that it uses", e.Name)
		}
		declares := *e
		declares.Needs = policy.KnownSizes
		if err := runSafely(&declares); err != nil {
			t.Errorf("%s does not run with the need declared: %v", e.Name, err)
		}
	}
}

// runSafely runs a small case and makes a panic an error.
func runSafely(e *policy.Entry) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	c := small(model.Slots, 1, model.Room{1, 1})
	c.add(0, 2, 0, model.Second, nil)
	_, err = engine.Run(c.Input(e, nil, &record.Log{}))
	return err
}
