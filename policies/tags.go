// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// tagsParams configures tags; its defaults are the best values of slowdown-2015 §VI-A.
type tagsParams struct {
	kit.LimitsParams `yaml:",inline"`
	kit.PartsParams  `yaml:",inline"`
	Restart          bool `yaml:"restart,omitempty" doc:"A job that moves is killed and begins anew, as in TAGS for distributed servers."`
}

// Validate implements policy.Validator.
func (p *tagsParams) Validate() []model.Problem {
	return append(p.LimitsParams.Problems(), p.PartsParams.Problems(len(p.Limits)+1)...)
}

// ValidateOn implements policy.SiteValidator: every job may come to every part.
func (p *tagsParams) ValidateOn(t *model.Topology, jobs []model.Job) []model.Problem {
	return p.ProblemsOn(t, jobs)
}

func tagsPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "tags",
			Summary: "Task assignment by guessing sizes: feedback queues, each with a part of the cluster for itself.",
			Source:  "slowdown-2015 §IV-C",
			Rules: []policy.Rule{
				{Text: "A job starts in queue 1. It moves to the end of the next queue when the service that it has received in its queue exceeds the queue's limit; the last queue has none.", Source: "slowdown-2015 §IV-A, IV-C"},
				{Text: "The jobs of queue k run in part k of the cluster only, first come first served.", Source: "slowdown-2015 §IV-A, IV-C"},
				{Text: "A job that moves keeps its completed work; its running tasks finish where they are.", Source: "slowdown-2015 §IV-C, IV-F"},
				{Text: "With restart it loses all its work when it moves: its running tasks are killed, those that had ended run again.", Source: "slowdown-2015 §II, IV-F"},
			},
			Params: func() any {
				return &tagsParams{LimitsParams: kit.LimitsParams{Limits: []model.Time{14000 * model.Second}},
					PartsParams: kit.PartsParams{Capacities: []model.Fraction{0.5, 0.5}, Partition: "nodes"}}
			},
		},
		roles: func(params any) Combination {
			p := params.(*tagsParams)
			return Combination{Order: play("fbq", &fbqParams{p.LimitsParams, p.Restart}), Partition: play("parts", &p.PartsParams)}
		},
	}
}

func partsPartition() Role {
	return Role{
		Name:    "parts",
		Summary: "Each queue of the order has a part of the cluster for itself.",
		Source:  "slowdown-2015 §IV-A",
		Can:     policy.CanPartition,
		Orders:  []string{"fbq", "sita", "comp"},
		Why:     "which has no queues to give parts to",
		Params: func() any {
			return &kit.PartsParams{Capacities: []model.Fraction{0.5, 0.5}, Partition: "nodes"}
		},
		add: func(a *assembly, params any) (err error) {
			a.parts, err = kit.NewParts(a.env, *params.(*kit.PartsParams))
			a.Partition = a.parts
			return err
		},
	}
}
