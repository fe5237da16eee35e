// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func srptPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "srpt",
			Summary: "The job with the least remaining work first: a bound that needs exact sizes.",
			Source:  "slowdown-2015 §III, §VII",
			Rules: []policy.Rule{
				{Text: "Jobs are served in order of the summed lengths of their tasks that have not ended.", Source: "slowdown-2015 §VII"},
				{Text: "A running task is never killed: the order decides about free room only.", Source: "slowdown-2015 §II"},
			},
		},
		roles: func(any) Combination { return Combination{Order: Choice{Name: "srpt"}} },
	}
}

func srptOrder() Role {
	return Role{
		Name:     "srpt",
		Summary:  "The job with the least remaining work.",
		Source:   "slowdown-2015 §III, §VII",
		Needs:    policy.KnownSizes,
		Can:      policy.CanRank,
		Promises: policy.WorkConserving,
		add:      func(a *assembly, _ any) error { a.Order = newSRPT(a.env); return nil },
	}
}

// newSRPT returns the order by what is left, then by submission.
func newSRPT(env *policy.Env) kit.Order {
	return kit.NewWorkOrder(env, func(_ model.Time, j *cluster.Job) keyed.Key {
		return keyed.Key{Major: int64(env.Sizes.Remaining(j.ID)), Minor: int64(j.Submit)}
	})
}
