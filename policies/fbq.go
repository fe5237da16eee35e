// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// fbqParams configures fbq; its default is the best limit of slowdown-2015 §VI-A.
type fbqParams struct {
	kit.LimitsParams `yaml:",inline"`

	restart bool // set by tags
}

// levels returns the number of queues.
func (p *fbqParams) levels() int { return len(p.Limits) + 1 }

// Validate implements policy.Validator.
func (p *fbqParams) Validate() []model.Problem { return p.LimitsParams.Problems() }

func fbqPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "fbq",
			Summary: "Feedback queues: a job moves down a queue when it has received a limit of service, and higher queues come first.",
			Source:  "slowdown-2015 §IV-B",
			Rules: []policy.Rule{
				{Text: "A job starts in queue 1. It moves to the end of the next queue when the service that it has received in its queue exceeds the queue's limit; the last queue has none.", Source: "slowdown-2015 §IV-A, IV-B"},
				{Text: "Free room goes to the highest non-empty queue, first come first served inside, so jobs of several queues may run at once.", Source: "slowdown-2015 §IV-B"},
				{Text: "Service is the run time of finished tasks plus the elapsed time of running ones; a reduce that waits for maps receives none.", Source: "slowdown-2015 §III, §V-A"},
				{Text: "A job that moves is paused, not killed: running tasks finish and completed work is kept.", Source: "slowdown-2015 §II, §VI-C"},
			},
			Params: func() any {
				return &fbqParams{LimitsParams: kit.LimitsParams{Limits: []model.Time{12000 * model.Second}}}
			},
		},
		roles: func(params any) Combination { return Combination{Order: play("fbq", params)} },
	}
}

func fbqOrder() Role {
	return Role{
		Name:     "fbq",
		Summary:  "Feedback queues: a job moves down a queue when it has received a limit of service.",
		Source:   "slowdown-2015 §IV-B",
		Can:      policy.CanRank,
		Promises: policy.WorkConserving,
		Params:   fbqPreset().Params,
		add: func(a *assembly, params any) error {
			p := params.(*fbqParams)
			if p.restart {
				a.Order = kit.NewRestarting(a.env, p.LimitsParams, a.parts)
			} else {
				a.Order = kit.NewFeedback(a.env, p.LimitsParams, a.parts)
			}
			return nil
		},
	}
}
