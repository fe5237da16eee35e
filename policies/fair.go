// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func fairEntry() policy.Entry {
	return policy.Entry{
		Name:    "fair",
		Summary: "Equal or weighted shares by job, user or pool, with minimum shares.",
		Source:  "diverse-2018 §3, deadline-2010 §V-E (baseline)",
		Rules: []policy.Rule{
			{Text: "Free room goes to the sharer furthest below its share: below its minimum share first, then by use over weight.", Source: "Hadoop Fair Scheduler"},
			{Text: "Among equals the one whose last task started or ended longest ago comes first, so that small clusters share in turn; a newcomer counts from when it comes.", Source: "own"},
			{Text: "A running task is never killed to restore a share.", Source: "own"},
		},
		Can:      policy.CanRank | policy.CanPlace,
		Promises: policy.WorkConserving | policy.StarvationFree,
		Params: func() any {
			p := kit.DefaultFairParams()
			return &p
		},
		New: func(env *policy.Env, params any) (policy.Policy, error) {
			return kit.Compose(env, kit.Roles{
				Order: kit.NewFairOrder(env, *params.(*kit.FairParams)),
				Place: kit.NewGreedyLocal(env),
			}), nil
		},
	}
}
