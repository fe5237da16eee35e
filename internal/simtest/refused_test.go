// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// refusing is a case in which capacity takes one job of a user at a time: of four jobs that come together,
// two are refused, and the one that waits for the end of the first refused job comes at once and is
// refused as well; one that waits for the last refused job comes later and runs.
func refusing(t *testing.T) (*Case, any) {
	t.Helper()
	c := small(model.Slots, 2, model.Room{2, 1})
	for range 4 {
		c.add(0, 3, 1, 2*model.Second, nil)
	}
	c.add(0, 1, 0, model.Second, func(j *model.Job) { j.After = 2 })
	c.add(model.Minute, 1, 0, model.Second, func(j *model.Job) { j.After = 3 })
	c.Jobs[1].User = "v"
	e, params := find("capacity")
	node, errs := strict.Parse("params", []byte("{maximum-system-jobs: 2, default-minimum-user-limit-percent: 50, default-init-accept-jobs-factor: 1}"))
	if errs = append(errs, strict.Decode(node, params)...); errs != nil {
		t.Fatalf("%s: %v", e.Name, errs)
	}
	return c, params
}

// TestRefusalsAreAudited: the conformance suite sees the refusals of capacity, all checks hold with them,
// and the accountant objects to each fault of a refusal.
func TestRefusalsAreAudited(t *testing.T) {
	c, params := refusing(t)
	e, _ := find("capacity")
	for _, f := range conform(c, e, params) {
		t.Errorf("%s: %v", f.check, f.err)
	}
	events, err := c.run(e, params)
	if err != nil {
		t.Fatal(err)
	}
	var refused []model.JobID
	for i := range events {
		if events[i].Kind == record.JobRefused {
			refused = append(refused, events[i].Task.Job)
		}
	}
	if !slices.Equal(refused, []model.JobID{2, 3, 4}) {
		t.Fatalf("refused are %v", refused)
	}
	if err := Audit(c, events); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(events, func(e record.Event) bool { return e.Kind == record.JobRefused })
	for name, fault := range map[string]func(l []record.Event) []record.Event{
		"left out":          func(l []record.Event) []record.Event { return slices.Delete(l, at, at+1) },
		"twice":             func(l []record.Event) []record.Event { return slices.Insert(l, at, l[at]) },
		"of a running job":  func(l []record.Event) []record.Event { l[at].Task.Job = 0; return l },
		"before submission": func(l []record.Event) []record.Event { l[at], l[at-1] = l[at-1], l[at]; return l },
		"of a job that runs": func(l []record.Event) []record.Event {
			return append(l, record.Event{Time: l[len(l)-1].Time, Kind: record.JobRefused})
		},
		"then admitted": func(l []record.Event) []record.Event {
			return slices.Insert(l, at+1, record.Event{Time: l[at].Time, Kind: record.JobAdmitted, Task: l[at].Task})
		},
		"then started": func(l []record.Event) []record.Event {
			return slices.Insert(l, at+1, record.Event{Time: l[at].Time, Kind: record.TaskStarted, Task: l[at].Task})
		},
		"late": func(l []record.Event) []record.Event {
			for i := at; i < len(l); i++ {
				l[i].Time += 2
			}
			return l
		},
	} {
		if Audit(c, fault(slices.Clone(events))) == nil {
			t.Errorf("a refusal %s, and the audit is content", name)
		}
	}
}
