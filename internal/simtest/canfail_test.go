// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/record"
)

// A check that cannot fail proves nothing. These tests break each rule on purpose.

// crowded is a case in which every rule has something to bite on.
func crowded() *Case {
	c := small(model.Containers, 2, model.Room{2})
	c.setSlowStart(50)
	for i := range model.Time(3) {
		c.add(i*model.Second, 4, 2, 2*model.Second, func(j *model.Job) { j.ShuffleTail, j.Input = model.Second, 4*model.MiB })
	}
	c.Jobs[2].After = 0
	c.Config.Locality = exec.Penalty{Rack: 2, Remote: 3}
	return c
}

// greedy starts the first task that may start.
func greedy(s *cluster.State, o *policy.Offer) policy.Decision {
	for _, j := range s.Jobs() {
		for k := range model.Kind(model.Kinds) {
			if j.Phase == cluster.Admitted && j.Wants(k) > 0 && o.Free.Fits(j.Need[k]) {
				return policy.Start(j, k, j.First(k))
			}
		}
	}
	return policy.Nothing(policy.Here, 0)
}

func TestBrokenPoliciesFail(t *testing.T) {
	calls := 0
	for _, test := range []struct {
		check  string // empty: nothing fails
		decide func(*cluster.State, *policy.Offer) policy.Decision
	}{
		{"", greedy},
		{"does not change the cluster", func(s *cluster.State, o *policy.Offer) policy.Decision {
			s.Jobs()[0].Weight++
			return greedy(s, o)
		}},
		{"keeps no room idle", func(s *cluster.State, o *policy.Offer) policy.Decision {
			if o.Node == 1 {
				return policy.Nothing(policy.Here, 0)
			}
			return greedy(s, o)
		}},
		{"the same input gives the same events", func(s *cluster.State, o *policy.Offer) policy.Decision {
			d := greedy(s, o)
			if calls++; calls%7 == 0 && d.Task.Job != model.None && d.Task.Kind == model.Map && s.Job(d.Task.Job).Started(model.Map)[0]&8 == 0 {
				d.Task.Index = 3
			}
			return d
		}},
		{"the run ends without an error", func(*cluster.State, *policy.Offer) policy.Decision {
			return policy.Nothing(policy.Everywhere, 0)
		}},
	} {
		e := scripted(test.decide)
		e.Promises = policy.WorkConserving
		failures := conform(crowded(), e, nil)
		if test.check == "" {
			for _, f := range failures {
				t.Errorf("a decent policy fails: %s: %v", f.check, f.err)
			}
		} else if !slices.ContainsFunc(failures, func(f failure) bool { return f.check == test.check }) {
			t.Errorf("a policy made to break it passes %q; failed: %v", test.check, failures)
		}
	}
}

// TestAuditFindsFaults changes one event of a good log at a time; the accountant must object.
func TestAuditFindsFaults(t *testing.T) {
	c := crowded()
	events, err := c.run(scripted(greedy), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Audit(c, events); err != nil {
		t.Fatal(err)
	}
	faults := map[string]func([]record.Event, int) []record.Event{
		"left out": func(l []record.Event, i int) []record.Event { return slices.Delete(l, i, i+1) },
		"twice":    func(l []record.Event, i int) []record.Event { return slices.Insert(l, i, l[i]) },
		"late": func(l []record.Event, i int) []record.Event {
			for j := i; j < len(l); j++ {
				l[j].Time += 2
			}
			return l
		},
		"of another job": func(l []record.Event, i int) []record.Event { l[i].Task.Job = (l[i].Task.Job + 1) % 3; return l },
	}
	for name, fault := range faults {
		for i := range events {
			k := events[i].Kind
			if name == "late" && (k == record.JobAdmitted || k == record.TasksEligible || k == record.TaskStarted) {
				continue // no rule says when they happen
			}
			if err := Audit(c, fault(slices.Clone(events), i)); err == nil {
				t.Errorf("event %d %s, and the audit is content: %+v", i, name, events[i])
			}
		}
	}
	for i := range events {
		for name, change := range map[string]func(*record.Event){
			"node":     func(e *record.Event) { e.Node = 1 - e.Node },
			"index":    func(e *record.Event) { e.Task.Index ^= 1 },
			"attempt":  func(e *record.Event) { e.Attempt++ },
			"length":   func(e *record.Event) { e.Length++ },
			"locality": func(e *record.Event) { e.Locality = (e.Locality + 1) % 4 },
		} {
			k := events[i].Kind
			task := k >= record.TaskStarted && k <= record.TaskKilled
			if !task || name == "length" && k != record.TaskEnded || name == "locality" && k != record.TaskStarted {
				continue // not a field of the event
			}
			l := slices.Clone(events)
			change(&l[i])
			if err := Audit(c, l); err == nil {
				t.Errorf("event %d with another %s, and the audit is content: %+v", i, name, events[i])
			}
		}
	}
}
