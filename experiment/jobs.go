// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"slices"

	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// Jobs returns the workload of the repetition with this seed as it runs: with the goals and weights
// that follow from how long jobs take alone.
func Jobs(ctx context.Context, s *scenario.Scenario, seed uint64) ([]model.Job, error) {
	jobs, err := jobsOf(ctx, s, seed)
	if err == nil {
		err = settle(s, jobs, func() ([]model.Time, error) { return references(ctx, s, jobs, seed, nil) })
	}
	return jobs, err
}

// Alone returns the workload as Jobs does, and how long each job takes alone in the empty cluster.
func Alone(ctx context.Context, s *scenario.Scenario, seed uint64) ([]model.Job, []model.Time, error) {
	jobs, err := jobsOf(ctx, s, seed)
	if err != nil {
		return nil, nil, err
	}
	alone, err := references(ctx, s, jobs, seed, nil)
	if err == nil {
		err = settle(s, jobs, func() ([]model.Time, error) { return alone, nil })
	}
	return jobs, alone, err
}

// jobsOf returns the workload of a seed, measured if the scenario says on which machines.
func jobsOf(ctx context.Context, s *scenario.Scenario, seed uint64) ([]model.Job, error) {
	jobs := s.Jobs(seed)
	if machines := s.Machines(); machines != nil {
		taken, err := Measure(ctx, machines, jobs, 0, nil)
		if err != nil {
			return nil, err
		}
		Label(jobs, taken)
	}
	return jobs, nil
}

// settle works out what depends on how long jobs take alone in the empty cluster: goals given as a
// factor of it, and weights derived from goals. alone is asked for it only then.
func settle(s *scenario.Scenario, jobs []model.Job, alone func() ([]model.Time, error)) error {
	slack := s.Workload.Weights == "slack"
	if !slack && !slices.ContainsFunc(jobs, func(j model.Job) bool { return j.GoalFactor > 0 }) {
		return nil
	}
	took, err := alone()
	if err != nil {
		return err
	}
	goals := make([]model.Time, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		if j.GoalFactor > 0 {
			j.Goal, j.GoalFactor = max(model.Time(j.GoalFactor*float64(took[i])), 1), 0
		}
		goals[i] = j.Goal
	}
	if slack {
		for i, w := range goal.Weights(goals, took) {
			jobs[i].Weight = w
		}
	}
	return nil
}
