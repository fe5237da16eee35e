// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// sitaParams configures sita; its defaults are the best values of slowdown-2015 §VI-A.
type sitaParams struct {
	kit.LimitsParams  `yaml:",inline"`
	kit.PartsParams   `yaml:",inline"`
	kit.PredictParams `yaml:",inline"`
}

// Validate implements policy.Validator.
func (p *sitaParams) Validate() []model.Problem {
	problems := append(p.LimitsParams.Problems(), p.PartsParams.Problems(len(p.Limits)+1)...)
	return append(problems, p.PredictParams.Problems()...)
}

// ValidateOn implements policy.SiteValidator: a prediction may send any job to any part.
func (p *sitaParams) ValidateOn(t *model.Topology, jobs []model.Job) []model.Problem {
	return p.ProblemsOn(t, jobs)
}

func sitaPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "sita",
			Summary: "Size-interval task assignment: each queue has a part of the cluster, and the predicted size of a job chooses its queue.",
			Source:  "slowdown-2015 §IV-D",
			Rules: []policy.Rule{
				{Text: "A job is appended to queue k+1 if its predicted size is above k of the limits, and runs there to its end even if the prediction was wrong.", Source: "slowdown-2015 §IV-D"},
				{Text: "The jobs of queue k run in part k of the cluster only, first come first served.", Source: "slowdown-2015 §IV-A, IV-D"},
				{Text: "Sizes are predicted from the input size, or from the job's first tasks, which then run in queue 1; perfect predictions are for comparison.", Source: "slowdown-2015 §IV-D, V-C"},
			},
			Params: func() any {
				return &sitaParams{kit.LimitsParams{Limits: []model.Time{18000 * model.Second}},
					kit.PartsParams{Capacities: []model.Fraction{0.3, 0.7}, Partition: "nodes"}, kit.DefaultPredictParams()}
			},
		},
		roles: func(params any) Combination {
			p := params.(*sitaParams)
			return Combination{Order: play("sita", &sitaOrderParams{p.LimitsParams, p.PredictParams}), Partition: play("parts", &p.PartsParams)}
		},
	}
}

// sitaOrderParams configures the order of sita.
type sitaOrderParams struct {
	kit.LimitsParams  `yaml:",inline"`
	kit.PredictParams `yaml:",inline"`
}

// levels returns the number of queues.
func (p *sitaOrderParams) levels() int { return len(p.Limits) + 1 }

// Validate implements policy.Validator.
func (p *sitaOrderParams) Validate() []model.Problem {
	return append(p.LimitsParams.Problems(), p.PredictParams.Problems()...)
}

func sitaOrder() Role {
	return Role{
		Name:     "sita",
		Summary:  "The predicted size of a job chooses its queue; higher queues come first.",
		Source:   "slowdown-2015 §IV-D",
		Can:      policy.CanRank,
		Promises: policy.WorkConserving,
		Params: func() any {
			return &sitaOrderParams{kit.LimitsParams{Limits: []model.Time{18000 * model.Second}}, kit.DefaultPredictParams()}
		},
		add: func(a *assembly, params any) error {
			p := params.(*sitaOrderParams)
			a.Order = kit.NewDispatch(a.env, p.PredictParams, a.parts, p.Bracket, nil)
			return nil
		},
	}
}
