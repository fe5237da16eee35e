// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/planned"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// jobPackerParams configures jobpacker.
type jobPackerParams struct {
	planned.Site `yaml:",inline"`
	insideParams `yaml:",inline"`

	SubBatches    int         `yaml:"sub-batches" min:"1" max:"1000" doc:"Parts of like demands into which jobs are divided that come all at once."`
	OverProvision float64     `yaml:"over-provisioning" min:"0" max:"100" doc:"Containers that are booked for a job beyond those that it needs, as a share of these; they are left for ad-hoc jobs."`
	Form          string      `yaml:"form" oneof:"figure,text" doc:"How long a shuffle is expected to take: as figure 4.6 is drawn, or as §4.2.3.1 prints it."`
	Aggregate     bool        `yaml:"aggregate-adhoc,omitempty" doc:"Ad-hoc jobs are kept to few racks, as planned jobs are on average for each task (diverse-2018 §4.2.5)."`
	Patience      model.Time  `yaml:"patience" min:"0" doc:"How long a shuffle that is not enough for a circuit waits for another reduce of the job in the rack, once the maps have ended."`
	HeavyInput    model.Bytes `yaml:"heavy-input" min:"0" doc:"Input above which an ad-hoc job is taken to be shuffle-heavy; 0: eight ninths of the shuffle data from which on a job is, which is 1 GB for 1.125 GB (diverse-2018 §4.2.4)."`
}

func newJobPackerParams() any {
	return &jobPackerParams{Site: planned.DefaultSite(), insideParams: newInsideParams(), SubBatches: 5, Form: "figure", Patience: model.Second}
}

var _ planned.Planner = (*jobPackerParams)(nil)

// Rules implements planned.Planner.
func (p *jobPackerParams) Rules() planned.Rules {
	return planned.Rules{Rules: rackplan.Rules{Form: rackplan.Form(p.Form), Batches: p.SubBatches, OverProvision: p.OverProvision},
		Site: p.Site, Circuits: true, Aggregate: p.Aggregate, Patience: p.Patience, HeavyInput: p.HeavyInput}
}

func jobPackerPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "jobpacker",
			Summary: "Plans recurring jobs so that their shuffle data crosses racks over circuits; ad-hoc jobs by fair order.",
			Source:  "diverse-2018 §4.2",
			Rules: []policy.Rule{
				{Text: "A shuffle-heavy job is planned in the racks, of maps and of reduces apart, with the earliest completion among those that use circuits without more waves of tasks.", Source: "diverse-2018 §4.2.3"},
				{Text: "Jobs that come all at once are planned in sub-batches of like demands, the widest first; others as they come.", Source: "diverse-2018 §4.2.3.2"},
				{Text: "A free container goes to the first job of its rack's sequence that has a task to start; nobody waits for a job that is not there.", Source: "diverse-2018 §4.2.4"},
				{Text: "Else it goes to an ad-hoc job: a shuffle-heavy one first where none runs in the rack, else one that is not.", Source: "diverse-2018 §4.2.4"},
				{Text: "The shuffle of a heavy planned job starts when what one rack sends to another is enough for a circuit, or when no more reduces of the job are to come to the rack; when its maps have ended and none has come for patience, it does not wait for more.", Source: "diverse-2018 §4.2.2, the patience is ours"},
				{Text: "The first replica of a planned job's block lies in a rack of its maps.", Source: "diverse-2018 §4.2.4"},
				{Text: "A job one of whose racks is lost is served as an ad-hoc job.", Source: "diverse-2018 §4.2.4"},
			},
			Params: newJobPackerParams,
		},
		roles: func(params any) Combination {
			return Combination{Order: play("jobpacker", params), Place: play("planned", nil), Data: play("planned", nil)}
		},
	}
}

func jobPackerOrder() Role {
	return Role{
		Name:    "jobpacker",
		Summary: "Planned jobs by their racks' sequences, ad-hoc jobs by fair order; shuffles are held back until they are enough for a circuit.",
		Source:  "diverse-2018 §4.2",
		Needs:   policy.Forecasts,
		Can:     policy.CanRank | policy.CanPlace | policy.CanGateShuffle,
		Params:  newJobPackerParams,
		add: func(a *assembly, params any) error {
			p := params.(*jobPackerParams)
			order := planned.NewJobPacker(a.env, p.Rules(), p.maker(a.env))
			a.Order, a.plans = order, []*planned.Order{order.Order}
			return nil
		},
	}
}

func plannedPlace() Role {
	return Role{
		Name:     "planned",
		Summary:  "A planned job's map in the rack of its block's first replica; everything else as local.",
		Source:   "diverse-2018 §4.2.4",
		Can:      policy.CanPlace,
		Promises: anyPromise,
		Orders:   []string{"corral", "jobpacker", "hybrid"},
		Why:      "which plans no racks",
		add:      func(a *assembly, _ any) error { a.Place = planned.NewPlace(a.env, a.plans...); return nil },
	}
}

func plannedData() Role {
	return Role{
		Name:     "planned",
		Summary:  "The first replica of a planned job's block in a rack of its maps, the others as HDFS puts them.",
		Source:   "diverse-2018 §4.2.4",
		Can:      policy.CanPlaceData,
		Promises: anyPromise,
		Orders:   []string{"corral", "jobpacker"},
		Why:      "which plans no racks",
		add:      func(a *assembly, _ any) error { a.Data = a.plans[0].Data(); return nil },
	}
}
