// SPDX-License-Identifier: Apache-2.0

package goal

import "github.com/yardmaster/yardmaster/model"

// leastSlack stands for the slack of a job that could end in time with hardly any, or not at all:
// its weight stays finite.
const leastSlack = model.Second

// Weights derives weights for a fair scheduler from completion-time goals (deadline-2010 §V-E):
// the slack of a job is its goal minus its run time alone, and its weight is the largest slack of
// all over its own, so that the most relaxed job has weight 1. A job without a goal (0) has weight
// 1 too. The slack of a job that cannot be in time counts as one second.
func Weights(goals, alone []model.Time) []float64 {
	slack, most := make([]model.Time, len(goals)), model.Time(0)
	for i := range goals {
		if goals[i] > 0 {
			slack[i] = max(goals[i]-alone[i], leastSlack)
			most = max(most, slack[i])
		}
	}
	weights := make([]float64, len(goals))
	for i := range weights {
		weights[i] = 1
		if goals[i] > 0 {
			weights[i] = float64(most) / float64(slack[i])
		}
	}
	return weights
}
