// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// delayParams configures delay.
type delayParams struct {
	kit.FairParams  `yaml:",inline"`
	kit.DelayParams `yaml:",inline"`
}

func delayPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "delay",
			Summary: "Fair order, but a job without a local task lets others go first, for a while.",
			Source:  "diverse-2018 §3",
			Rules: []policy.Rule{
				{Text: "A job whose data is not on the node is skipped, up to a number of offers or a wait time; then it accepts its rack; then any node.", Source: "diverse-2018 §3"},
				{Text: "A local start takes the job back to the strictest level.", Source: "delay scheduling"},
			},
			Params: func() any {
				return &delayParams{kit.DefaultFairParams(), kit.DefaultDelayParams()}
			},
		},
		roles: func(params any) Combination {
			p := params.(*delayParams)
			return Combination{Order: play("fair", &p.FairParams), Place: play("delay", &p.DelayParams)}
		},
	}
}

func delayPlace() Role {
	return Role{
		Name:     "delay",
		Summary:  "A job without a local task lets others go first, for a number of offers or a time.",
		Source:   "diverse-2018 §3",
		Can:      policy.CanPlace,
		Promises: policy.StarvationFree,
		Params: func() any {
			p := kit.DefaultDelayParams()
			return &p
		},
		add: func(a *assembly, params any) error {
			a.Place = kit.NewDelay(a.env, *params.(*kit.DelayParams))
			return nil
		},
	}
}
