// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func edfPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "edf",
			Summary: "The job with the earliest completion-time goal first; jobs without a goal last, in order of arrival.",
			Source:  "baseline for deadline-2010",
			Rules: []policy.Rule{
				{Text: "Jobs are served in order of their goals, then of their arrival.", Source: "baseline"},
			},
		},
		roles: func(any) Combination { return Combination{Order: Choice{Name: "edf"}} },
	}
}

func edfOrder() Role {
	return Role{
		Name:     "edf",
		Summary:  "The job with the earliest completion-time goal; jobs without a goal last, in order of arrival.",
		Source:   "baseline for deadline-2010",
		Can:      policy.CanRank,
		Promises: policy.WorkConserving,
		add:      func(a *assembly, _ any) error { a.Order = newEDF(a.env); return nil },
	}
}

// newEDF returns the order by goal, then by submission.
func newEDF(env *policy.Env) kit.Order {
	return kit.NewKeyedOrder(env, func(_ model.Time, j *cluster.Job) keyed.Key {
		return keyed.Key{Major: int64(j.Goal), Minor: int64(j.Submit)}
	})
}
