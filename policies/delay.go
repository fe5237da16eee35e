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

func delayEntry() policy.Entry {
	return policy.Entry{
		Name:    "delay",
		Summary: "Fair order, but a job without a local task lets others go first, for a while.",
		Source:  "diverse-2018 §3",
		Rules: []policy.Rule{
			{Text: "A job whose data is not on the node is skipped, up to a number of offers or a wait time; then it accepts its rack; then any node.", Source: "diverse-2018 §3"},
			{Text: "A local start takes the job back to the strictest level.", Source: "delay scheduling"},
		},
		Can:      policy.CanRank | policy.CanPlace,
		Promises: policy.StarvationFree,
		Params: func() any {
			return &delayParams{kit.DefaultFairParams(), kit.DefaultDelayParams()}
		},
		New: func(env *policy.Env, params any) (policy.Policy, error) {
			p := params.(*delayParams)
			return kit.Compose(env, kit.Roles{
				Order: kit.NewFairOrder(env, p.FairParams),
				Place: kit.NewDelay(env, p.DelayParams),
			}), nil
		},
	}
}
