// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/planned"
)

// hybridParams configures hybrid.
type hybridParams struct {
	hybridOrderParams `yaml:",inline"`
	Delay             bool `yaml:"delay" doc:"A job without a local task lets others go first, as under the policy delay; otherwise tasks start wherever there is room."`
	kit.DelayParams   `yaml:",inline"`
}

// hybridOrderParams configures the order of hybrid.
type hybridOrderParams struct {
	kit.FairParams `yaml:",inline"`
	Jobs           string `yaml:"order" oneof:"fair,fifo,fbq,capacity,corral" doc:"The order of jobs of a kind: that of the policy of the name, with its default parameters but for those of fair. The limits of capacity are shares of the whole cluster, and no job waits to be initialised. With corral, recurring jobs are planned in the racks of their kind, and the others share fairly."`
	hybrid.Params  `yaml:",inline"`
}

// newHybridOrderParams returns the defaults.
func newHybridOrderParams() hybridOrderParams {
	inside := newInsideParams()
	return hybridOrderParams{inside.FairParams, inside.Jobs, hybrid.DefaultParams()}
}

// plansRacks reports whether jobs are planned within their kind.
func (p *hybridOrderParams) plansRacks() bool { return p.Jobs == "corral" }

// Needs implements policy.Needer.
func (p *hybridOrderParams) Needs() policy.Need {
	if p.plansRacks() {
		return p.Params.Needs() | policy.Forecasts
	}
	return p.Params.Needs()
}

var (
	_ policy.SiteValidator    = (*hybridParams)(nil)
	_ policy.ReplicaValidator = (*hybridParams)(nil)
	_ policy.ReplicaValidator = (*byClassParams)(nil)
	_ policy.Needer           = (*hybridParams)(nil)
)

// ValidateOn implements policy.SiteValidator.
func (p *hybridOrderParams) ValidateOn(t *model.Topology, jobs []model.Job) []model.Problem {
	return p.ProblemsOn(t, jobs)
}

// ValidateReplicas implements policy.ReplicaValidator.
func (p *hybridOrderParams) ValidateReplicas(t *model.Topology, replicas int) []model.Problem {
	return p.ReplicaProblems(t, replicas)
}

func hybridPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "hybrid",
			Summary: "Small jobs on a few strong machines, large ones on many weak ones; idle weak machines take over small jobs.",
			Source:  "diverse-2018 §5.2",
			Rules: []policy.Rule{
				{Text: "A job is small or large by what is known of it when it is submitted: its maps, its reduces, and its shuffle data if it has run before.", Source: "diverse-2018 §5.2.2"},
				{Text: "Small jobs run on scale-up machines only, large ones on scale-out machines only, each kind in an order of its own, by default a fair one.", Source: "diverse-2018 §5.2.3"},
				{Text: "A scale-out machine that finds no job waiting takes over the whole of a small job that has not started, the one nearest to being large; it stays there.", Source: "diverse-2018 §5.2.3"},
				{Text: "A scale-up machine never takes over a large job; it waits for the next small one.", Source: "diverse-2018 §5.2.3"},
				{Text: "The first two replicas of a block lie on scale-out machines, the third on a scale-up machine.", Source: "diverse-2018 §5.2.4"},
				{Text: "Where all machines of one kind are lost, the other kind serves all jobs.", Source: "own"},
			},
			Params: func() any {
				return &hybridParams{hybridOrderParams: newHybridOrderParams(), DelayParams: kit.DefaultDelayParams()}
			},
		},
		roles: func(params any) Combination {
			p := params.(*hybridParams)
			c := Combination{Order: play("hybrid", &p.hybridOrderParams)}
			switch {
			case p.Delay:
				c.Place = play("delay", &p.DelayParams)
			case p.plansRacks():
				c.Place = play("planned", nil)
			}
			if p.Data {
				c.Data = play("by-class", &byClassParams{p.ScaleUp})
			}
			return c
		},
	}
}

func hybridOrder() Role {
	return Role{
		Name:    "hybrid",
		Summary: "Small jobs for scale-up machines and large ones for the others, each kind in an order of its own.",
		Source:  "diverse-2018 §5.2.3",
		Can:     policy.CanRank | policy.CanPartition,
		Params: func() any {
			p := newHybridOrderParams()
			return &p
		},
		add: func(a *assembly, params any) error {
			p := params.(*hybridOrderParams)
			inside := insideParams{p.FairParams, p.Jobs}
			others := inside.maker(a.env)
			if !p.plansRacks() {
				order, err := hybrid.New(a.env, p.Params, func([]model.RackID) kit.Order { return others() })
				a.Order = order
				return err
			}
			rules := newCorralParams().(*corralParams).Rules()
			order, err := hybrid.New(a.env, p.Params, func(racks []model.RackID) kit.Order {
				rules.Racks = racks
				a.plans = append(a.plans, planned.New(a.env, rules, others))
				return a.plans[len(a.plans)-1]
			})
			a.Order = hybrid.Planning{Order: order}
			return err
		},
	}
}

// byClassParams configures where data is put by class.
type byClassParams struct {
	ScaleUp string `yaml:"scale-up,omitempty" doc:"Class of the machines that hold the third replica; if left out, scale-up."`
}

// ValidateReplicas implements policy.ReplicaValidator.
func (p *byClassParams) ValidateReplicas(t *model.Topology, replicas int) []model.Problem {
	problems := (&hybrid.Params{ScaleUp: p.ScaleUp, Data: true}).ReplicaProblems(t, replicas)
	for i := range problems {
		problems[i].Path, problems[i].Allowed = "", "hdfs.replication of at least 3, or data: default"
	}
	return problems
}

func byClassData() Role {
	return Role{
		Name:     "by-class",
		Summary:  "Two replicas on scale-out machines, in two racks, the third on a scale-up machine.",
		Source:   "diverse-2018 §5.2.4",
		Can:      policy.CanPlaceData,
		Promises: anyPromise,
		Params:   func() any { return &byClassParams{} },
		add: func(a *assembly, params any) error {
			p := hybrid.Params{ScaleUp: params.(*byClassParams).ScaleUp}
			t := a.env.Cluster.Topology
			class, both := p.Class(t)
			switch {
			case both:
				a.Data = hdfs.NewByClass(t, class, a.mapRacks())
			case len(a.plans) > 0:
				a.Data = hdfs.NewPlanned(t, a.mapRacks())
			default:
				a.Data = hdfs.NewDefault(t)
			}
			return nil
		},
	}
}
