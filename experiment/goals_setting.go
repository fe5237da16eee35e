// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"

	"github.com/yardmaster/yardmaster/goal"
	"github.com/yardmaster/yardmaster/model"
)

// settle works out what depends on how long jobs take alone in the empty cluster: goals given as a
// factor of it, and weights derived from goals. It returns those run times if it needed them or
// always is set, else nil.
func (s *Scenario) settle(ctx context.Context, jobs []model.Job, seed uint64, always bool) ([]model.Time, error) {
	slack := s.Workload.Weights == "slack"
	needed := always || slack
	for i := range jobs {
		needed = needed || jobs[i].GoalFactor > 0
	}
	if !needed {
		return nil, nil
	}
	alone, err := s.references(ctx, s.Cluster.Topology(), jobs, seed)
	if err != nil {
		return nil, err
	}
	goals := make([]model.Time, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		if j.GoalFactor > 0 {
			j.Goal, j.GoalFactor = max(model.Time(j.GoalFactor*float64(alone[i])), 1), 0
		}
		goals[i] = j.Goal
	}
	if slack {
		for i, w := range goal.Weights(goals, alone) {
			jobs[i].Weight = w
		}
	}
	return alone, nil
}
