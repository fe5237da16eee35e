// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/netaware"
)

// nasParams configures nas.
type nasParams struct {
	kit.FairParams     `yaml:",inline"`
	netaware.NASParams `yaml:",inline"`
}

// byUser is how the dissertation's schedulers share.
func byUser() kit.FairParams {
	p := kit.DefaultFairParams()
	p.By = "user"
	return p
}

func nasPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "nas",
			Summary: "Fair order of users; maps and reduces are placed so that racks' links are congested less.",
			Source:  "diverse-2018 §3.2",
			Needs:   policy.LinkLoads,
			Rules: []policy.Rule{
				{Text: "What a map will make is what its job's ended maps made on average; as much as it reads before the first has ended.", Source: "diverse-2018 §3.2.1"},
				{Text: "A user's local map is chosen whose output fits best below what the node's maps may make; else the user is skipped, a number of times.", Source: "diverse-2018 §3.2.3"},
				{Text: "Reduces go to racks by their share of the job's map output, those of jobs with much shuffle data first.", Source: "diverse-2018 §3.2.4"},
				{Text: "Jobs with little shuffle data start their reduces later.", Source: "diverse-2018 §3.2.4"},
				{Text: "In a congested rack only jobs with little shuffle data start.", Source: "diverse-2018 §3.2.5"},
			},
			Params: func() any { return &nasParams{byUser(), netaware.DefaultNASParams()} },
		},
		roles: func(params any) Combination {
			p := params.(*nasParams)
			return Combination{Order: play("fair", &p.FairParams), Place: play("nas", &p.NASParams)}
		},
	}
}

func nasPlace() Role {
	return Role{
		Name:    "nas",
		Summary: "Maps and reduces of a user such that racks' links are congested less.",
		Source:  "diverse-2018 §3.2",
		Needs:   policy.LinkLoads,
		Can:     policy.CanPlace | policy.CanSlowStart,
		Params: func() any {
			p := netaware.DefaultNASParams()
			return &p
		},
		add: func(a *assembly, params any) error {
			a.Place = netaware.NewNAS(a.env, *params.(*netaware.NASParams))
			return nil
		},
	}
}
