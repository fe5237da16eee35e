// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

func checkGoals(t *testing.T, yaml string) *GoalCheck {
	t.Helper()
	s, err := scenario.Parse("goals.yaml", []byte(yaml), nil)
	if err != nil {
		t.Fatal(err)
	}
	check, err := CheckGoals(context.Background(), s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	return check
}

// TestCheckGoals: two slots. "long" takes 50 s alone and should be done in 40 s: 10 s short. "a" and
// "b" each fit alone (40 s of 50 s), but together they are 160 slot-seconds between 100 s and 160 s,
// where 120 fit. "easy" is in nobody's way; "rest" has no goal.
func TestCheckGoals(t *testing.T) {
	check := checkGoals(t, `
cluster: {classes: [{nodes: 2, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  jobs:
    - {name: long, maps: 10, map-length: 10s, goal: 40s}
    - {name: a, submit: 100s, maps: 8, map-length: 10s, goal: 50s}
    - {name: b, submit: 110s, maps: 8, map-length: 10s, goal-at: 160s}
    - {name: easy, submit: 500s, maps: 2, map-length: 10s, goal-factor: 4}
    - {name: chained, after: easy, maps: 2, map-length: 10s, goal: 20s}
    - {name: rest, submit: 600s, maps: 2, map-length: 10s}
`)
	if check.Without != 1 || len(check.Jobs) != 5 {
		t.Errorf("%d jobs with a goal, %d without", len(check.Jobs), check.Without)
	}
	long, easy := check.Jobs[0], check.Jobs[3]
	if long.Slack != -10 || long.Alone != 50 || *long.Pace != 2.5 {
		t.Errorf("long: %+v, pace %g", long, *long.Pace)
	}
	if easy.Goal != 40 || easy.Slack != 30 || *easy.Pace != 0.5 || easy.Weight != 1 || check.Jobs[1].Weight != 3 {
		t.Errorf("easy: %+v; a: %+v", easy, check.Jobs[1])
	}
	if check.Jobs[4].Submit != nil {
		t.Error("when a job is submitted that waits for another is not known before the run")
	}
	if len(check.Conflicts) != 1 || check.Conflicts[0].From != 100 || check.Conflicts[0].To != 160 || math.Abs(check.Conflicts[0].Load-4.0/3) > 1e-12 ||
		!slices.Equal(check.Conflicts[0].Jobs, []string{"a", "b"}) || check.Conflicts[0].Pool != "map" {
		t.Errorf("conflicts %+v", check.Conflicts)
	}
	if len(check.Crowded) != 1 || check.Crowded[0].From != 110 || check.Crowded[0].To != 150 || check.Crowded[0].Pace != 3.2 {
		t.Errorf("crowded %+v", check.Crowded)
	}
}

func TestCheckGoalsWithoutGoals(t *testing.T) {
	s, err := scenario.Parse("goals.yaml", []byte("cluster: {classes: [{nodes: 4, map-slots: 1}]}\nworkload: {jobs: [{name: a}]}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CheckGoals(context.Background(), s, 1); err == nil {
		t.Error("there is nothing to check, and nobody says so")
	}
}

// TestConflictTwin compares the worst conflict with the worst of all spans, each summed by itself.
func TestConflictTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := &model.Topology{Model: model.Slots, Racks: 1, Classes: []model.NodeClass{{Room: model.Room{2, 1}, Speed: 1}}, Nodes: make([]model.Node, 2)}
		var jobs []model.Job
		var works []jobWork
		check := &GoalCheck{}
		for i := range rapid.IntRange(1, 8).Draw(t, "jobs") {
			j := model.Job{ID: model.JobID(i), Submit: model.Time(rapid.IntRange(0, 20).Draw(t, "submit")) * model.Second, Goal: model.Time(rapid.IntRange(1, 20).Draw(t, "goal")) * model.Second}
			jobs = append(jobs, j)
			works = append(works, jobWork{room: [2]float64{float64(rapid.IntRange(0, 60).Draw(t, "work")), float64(rapid.IntRange(0, 30).Draw(t, "work"))}})
			at := j.Submit.Seconds()
			check.Jobs = append(check.Jobs, GoalRow{id: j.ID, Submit: &at, Slack: float64(rapid.IntRange(-1, 3).Draw(t, "slack"))})
		}
		check.findConflicts(top, jobs, works)
		worst := 1.0
		for d, speed := range []float64{4, 2} {
			for a := range jobs {
				for b := range jobs {
					from, to, work := jobs[a].Submit, jobs[b].Submit+jobs[b].Goal, 0.0
					for i := range jobs {
						if check.Jobs[i].Slack >= 0 && jobs[i].Submit >= from && jobs[i].Submit+jobs[i].Goal <= to {
							work += works[i].room[d]
						}
					}
					if to > from {
						worst = max(worst, work/(speed*(to-from).Seconds()))
					}
				}
			}
		}
		got := 1.0
		if len(check.Conflicts) > 0 {
			got = check.Conflicts[0].Load
		}
		if math.Abs(got-worst) > 1e-12 {
			t.Fatalf("worst load %g, the twin finds %g", got, worst)
		}
	})
}
