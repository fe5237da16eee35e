// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func fairPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "fair",
			Summary: "Equal or weighted shares by job, user or pool, with minimum shares.",
			Source:  "diverse-2018 §3, deadline-2010 §V-E (baseline)",
			Rules: []policy.Rule{
				{Text: "Free room goes to the sharer furthest below its share: below its minimum share first, then by use over weight.", Source: "Hadoop Fair Scheduler"},
				{Text: "Among equals the one whose last task started or ended longest ago comes first, so that small clusters share in turn; a newcomer counts from when it comes.", Source: "own"},
				{Text: "A running task is never killed to restore a share.", Source: "own"},
			},
			Params: func() any {
				p := kit.DefaultFairParams()
				return &p
			},
		},
		roles: func(params any) Combination { return Combination{Order: play("fair", params)} },
	}
}

func fairOrder() Role {
	return Role{
		Name:     "fair",
		Summary:  "Whoever is furthest below their share: jobs, users or pools.",
		Source:   "diverse-2018 §3",
		Can:      policy.CanRank,
		Promises: policy.WorkConserving | policy.StarvationFree,
		Params: func() any {
			p := kit.DefaultFairParams()
			return &p
		},
		add: func(a *assembly, params any) error {
			a.Order = kit.NewFairOrder(a.env, *params.(*kit.FairParams))
			return nil
		},
	}
}
