// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// compParams configures comp. The number of queues is its only parameter in the paper.
type compParams struct {
	Queues            int `yaml:"queues" min:"2" max:"10000" doc:"Number of queues K, which is also one more than the completed jobs that a new one is compared with."`
	kit.PredictParams `yaml:",inline"`
}

// levels returns the number of queues.
func (p *compParams) levels() int { return p.Queues }

// Validate implements policy.Validator.
func (p *compParams) Validate() []model.Problem { return p.PredictParams.Problems() }

func compPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "comp",
			Summary: "Comparison: a job that is larger than more of the last completed jobs waits in a lower queue.",
			Source:  "slowdown-2015 §IV-E",
			Rules: []policy.Rule{
				{Text: "A job that is predicted to be larger than exactly m of the last K-1 completed jobs is appended to queue m+1 and stays there.", Source: "slowdown-2015 §IV-E"},
				{Text: "Free room goes to the highest non-empty queue, first come first served inside; there are neither parts nor limits.", Source: "slowdown-2015 §IV-E"},
				{Text: "Sizes are predicted from the input size, or from the job's first tasks, which then run in queue 1; perfect predictions are for comparison.", Source: "slowdown-2015 §IV-D, V-C"},
			},
			Params: func() any { return &compParams{Queues: 2, PredictParams: kit.DefaultPredictParams()} },
		},
		roles: func(params any) Combination { return Combination{Order: play("comp", params)} },
	}
}

func compOrder() Role {
	return Role{
		Name:     "comp",
		Summary:  "A job that is larger than more of the last completed jobs waits in a lower queue.",
		Source:   "slowdown-2015 §IV-E",
		Can:      policy.CanRank,
		Promises: policy.WorkConserving,
		Params:   compPreset().Params,
		add: func(a *assembly, params any) error {
			p := params.(*compParams)
			last := &comp{sizes: make([]model.Time, 0, p.Queues-1)}
			a.Order = kit.NewDispatch(a.env, p.PredictParams, a.parts, last.larger, last.completed)
			return nil
		},
	}
}

// comp keeps the sizes of the last completed jobs, the oldest being replaced by the next.
type comp struct {
	sizes  []model.Time
	oldest int
}

func (c *comp) completed(size model.Time) {
	if len(c.sizes) < cap(c.sizes) {
		c.sizes = append(c.sizes, size)
		return
	}
	c.sizes[c.oldest] = size
	c.oldest = (c.oldest + 1) % len(c.sizes)
}

// larger counts the kept jobs that are smaller than the given size.
func (c *comp) larger(size model.Time) (m int) {
	for _, s := range c.sizes {
		if size > s {
			m++
		}
	}
	return m
}
