// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func edfEntry() policy.Entry {
	return policy.Entry{
		Name:    "edf",
		Summary: "The job with the earliest completion-time goal first; jobs without a goal last, in order of arrival.",
		Source:  "baseline for deadline-2010",
		Rules: []policy.Rule{
			{Text: "Jobs are served in order of their goals, then of their arrival.", Source: "baseline"},
		},
		Can:      policy.CanRank | policy.CanPlace,
		Promises: policy.WorkConserving,
		New: func(env *policy.Env, _ any) (policy.Policy, error) {
			return kit.Compose(env, kit.Roles{Order: newEDF(env), Place: kit.NewGreedyLocal(env)}), nil
		},
	}
}

// newEDF returns the order by goal, then by submission.
func newEDF(env *policy.Env) kit.Order {
	return kit.NewKeyedOrder(env, func(_ model.Time, j *cluster.Job) kit.Key {
		return kit.Key{Major: int64(j.Goal), Minor: int64(j.Submit)}
	})
}
