// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// insideParams chooses the order of jobs inside another, as planners have it for ad-hoc jobs.
type insideParams struct {
	kit.FairParams `yaml:",inline"`
	Jobs           string `yaml:"order" oneof:"fair,fifo,fbq,capacity" doc:"The order of ad-hoc jobs: that of the policy of the name, with its default parameters but for those of fair. The limits of capacity are shares of the whole cluster, and no job waits to be initialised."`
}

// newInsideParams returns the defaults.
func newInsideParams() insideParams { return insideParams{kit.DefaultFairParams(), "fair"} }

// maker returns what makes such an order.
func (p *insideParams) maker(env *policy.Env) func() kit.Order {
	return func() kit.Order {
		switch p.Jobs {
		case "fifo":
			return newFIFO(env)
		case "fbq":
			return kit.NewFeedback(env, fbqPreset().Params().(*fbqParams).LimitsParams, nil)
		case "capacity":
			own := hadoop1.DefaultParams()
			return hadoop1.New(env, hadoop1.NewBook(env, &own))
		}
		return kit.NewFairOrder(env, p.FairParams)
	}
}
