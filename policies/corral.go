// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/planned"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// corralParams configures corral.
type corralParams struct {
	planned.Site `yaml:",inline"`
	insideParams `yaml:",inline"`

	OverProvision float64 `yaml:"over-provisioning" min:"0" max:"100" doc:"Containers that are booked for a job beyond those that it needs, as a share of these; they are left for ad-hoc jobs."`
	Form          string  `yaml:"form" oneof:"figure,text" doc:"How long a shuffle is expected to take: as figure 4.6 is drawn, or as §4.2.3.1 prints it, where a single rack sends nothing."`
}

func newCorralParams() any {
	return &corralParams{Site: planned.DefaultSite(), insideParams: newInsideParams(), Form: "text"}
}

var _ planned.Planner = (*corralParams)(nil)

// Rules implements planned.Planner.
func (p *corralParams) Rules() planned.Rules {
	return planned.Rules{Rules: rackplan.Rules{SameRacks: true, Form: rackplan.Form(p.Form), Batches: 1, OverProvision: p.OverProvision}, Site: p.Site}
}

func corralPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "corral",
			Summary: "Plans recurring jobs so that maps and reduces of each run in the same racks; ad-hoc jobs by fair order.",
			Source:  "diverse-2018 §4.1.3, §4.3.1.1",
			Rules: []policy.Rule{
				{Text: "A shuffle-heavy job is planned in the racks, the same for maps and reduces, with the earliest completion over packets.", Source: "diverse-2018 §4.1.3"},
				{Text: "Jobs that come all at once are planned the widest first, others as they come.", Source: "diverse-2018 §4.2.3.2"},
				{Text: "A free container goes to the first job of its rack's sequence that has a task to start, else to an ad-hoc job.", Source: "diverse-2018 §4.2.4, our reading"},
				{Text: "The first replica of a planned job's block lies in one of its racks.", Source: "diverse-2018 §4.1.4"},
			},
			Params: newCorralParams,
		},
		roles: func(params any) Combination {
			return Combination{Order: play("corral", params), Place: play("planned", nil), Data: play("planned", nil)}
		},
	}
}

func corralOrder() Role {
	return Role{
		Name:    "corral",
		Summary: "Planned jobs by their racks' sequences, ad-hoc jobs by fair order.",
		Source:  "diverse-2018 §4.1.3",
		Needs:   policy.Forecasts,
		Can:     policy.CanRank | policy.CanPlace,
		Params:  newCorralParams,
		add: func(a *assembly, params any) error {
			p := params.(*corralParams)
			order := planned.New(a.env, p.Rules(), p.maker(a.env))
			a.Order, a.plans = order, []*planned.Order{order}
			return nil
		},
	}
}
