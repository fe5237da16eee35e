// SPDX-License-Identifier: Apache-2.0

package goal

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// Pace is equation 3 before anything runs, with the mean lengths known: how many maps (or reduces,
// of a job without maps) must run from submission on for the job to end within goal. It is infinite
// if no number suffices.
func Pace(tasks [model.Kinds]int32, mean [model.Kinds]model.Time, room [model.Kinds]int32, goal model.Time) float64 {
	k, end := model.Map, goal
	if tasks[model.Map] == 0 {
		k = model.Reduce
	} else if n := int64(max(room[model.Reduce], 1)); tasks[model.Reduce] > 0 {
		end -= model.Time((int64(tasks[model.Reduce])+n-1)/n) * mean[model.Reduce]
	}
	if tasks[k] == 0 {
		return 0
	}
	if end <= 0 {
		return math.Inf(1)
	}
	return float64(tasks[k]) * float64(mean[k]) / float64(end)
}
