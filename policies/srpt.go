// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func srptEntry() policy.Entry {
	return policy.Entry{
		Name:    "srpt",
		Summary: "The job with the least remaining work first: a bound that needs exact sizes.",
		Source:  "slowdown-2015 §III, §VII",
		Rules: []policy.Rule{
			{Text: "Jobs are served in order of the summed lengths of their tasks that have not ended.", Source: "slowdown-2015 §VII"},
			{Text: "A running task is never killed: the order decides about free room only.", Source: "slowdown-2015 §II"},
		},
		Needs:    policy.KnownSizes,
		Can:      policy.CanRank | policy.CanPlace,
		Promises: policy.WorkConserving,
		New: func(env *policy.Env, _ any) (policy.Policy, error) {
			return kit.Compose(env, kit.Roles{Order: newSRPT(env), Place: kit.NewGreedyLocal(env)}), nil
		},
	}
}

// newSRPT returns the order by what is left, then by submission.
func newSRPT(env *policy.Env) kit.Order {
	return kit.NewWorkOrder(env, func(_ model.Time, j *cluster.Job) kit.Key {
		return kit.Key{Major: int64(env.Sizes.Remaining(j.ID)), Minor: int64(j.Submit)}
	})
}
