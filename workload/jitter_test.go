// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
)

// TestJitter: every submission stays within the span and at 0 or later, jobs are numbered in the new
// order, chains stay whole behind the job that they wait for, and the seed alone decides.
func TestJitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := model.Time(rapid.Int64Range(0, 100).Draw(t, "span")) * model.Second
		seed := rapid.Uint64().Draw(t, "seed")
		var jobs []model.Job
		at := model.Time(0)
		for i := range rapid.IntRange(1, 20).Draw(t, "jobs") {
			j := model.Job{ID: model.JobID(i), Maps: int32(i), After: model.None} // maps tell jobs apart
			at += model.Time(rapid.Int64Range(0, 50).Draw(t, "gap")) * model.Second
			j.Submit = at
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "after") == 0 {
				j.After, j.Submit = model.JobID(rapid.IntRange(0, i-1).Draw(t, "job")), 7*model.Second
			}
			jobs = append(jobs, j)
		}
		moved, again := slices.Clone(jobs), slices.Clone(jobs)
		Jitter(moved, span, seed)
		Jitter(again, span, seed)
		last := model.Time(0)
		for i := range moved {
			m, was := &moved[i], &jobs[moved[i].Maps]
			if m.ID != model.JobID(i) || m.Submit != again[i].Submit || m.Maps != again[i].Maps {
				t.Fatalf("job %d has number %d, or differs the second time", i, m.ID)
			}
			if was.After != model.None {
				if m.Submit != was.Submit || m.After >= m.ID || moved[m.After].Maps != int32(was.After) {
					t.Fatalf("job %d waits for %d, was %d", was.ID, moved[m.After].Maps, was.After)
				}
				continue
			}
			if m.Submit < max(was.Submit-span, 0) || m.Submit > was.Submit+span || m.Submit < last {
				t.Fatalf("job %d moved from %v to %v, span %v, the one before at %v", was.ID, was.Submit, m.Submit, span, last)
			}
			last = m.Submit
		}
	})
}

// TestJitterIsUniform: over many seeds the moves fill the span evenly.
func TestJitterIsUniform(t *testing.T) {
	const n, span = 4000, 100 * model.Second
	var quarters [4]int
	for seed := range uint64(n) {
		jobs := []model.Job{{After: model.None, Submit: model.Hour}}
		Jitter(jobs, span, seed)
		quarters[min(int(4*(jobs[0].Submit-model.Hour+span)/(2*span)), 3)]++
	}
	for q, k := range quarters { // standard deviation 27
		if k < n/4-120 || k > n/4+120 {
			t.Errorf("quarter %d has %d of %d moves", q, k, n)
		}
	}
}

// TestGoalsOfJobs: a goal may be given after submission, as a time, or as a factor that stays one until the
// run is prepared.
func TestGoalsOfJobs(t *testing.T) {
	var a, b, c JobConfig
	for i, j := range []*JobConfig{&a, &b, &c} {
		j.SetDefaults()
		j.Name, j.Submit = string(rune('a'+i)), 100*model.Second
	}
	a.Goal, b.GoalAt, c.GoalFactor = 50*model.Second, 170*model.Second, 2.5
	jobs, problems := Jobs([]JobConfig{a, b, c}, Site{})
	if problems != nil || jobs[0].Goal != 50*model.Second || jobs[1].Goal != 70*model.Second || jobs[2].Goal != 0 || jobs[2].GoalFactor != 2.5 {
		t.Errorf("%v: %v, %v, %v times %g", problems, jobs[0].Goal, jobs[1].Goal, jobs[2].Goal, jobs[2].GoalFactor)
	}
	Assign(jobs, []Rule{{Name: "a", Factor: 3, Share: 1}, {Name: "c", Goal: model.Minute, Share: 1}}, 1)
	if jobs[0].Goal != 0 || jobs[0].GoalFactor != 3 || jobs[2].Goal != model.Minute || jobs[2].GoalFactor != 0 {
		t.Errorf("a rule replaces one way to give a goal by the other: %+v, %+v", jobs[0], jobs[2])
	}
}
