// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/netaware"
)

// shuffleWatcherParams configures shufflewatcher.
type shuffleWatcherParams struct {
	kit.FairParams                `yaml:",inline"`
	netaware.ShuffleWatcherParams `yaml:",inline"`
}

func shuffleWatcherPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "shufflewatcher",
			Summary: "Fair order of users; each job keeps to few racks, and while a rack's links are congested maps come before reduces.",
			Source:  "diverse-2018 §1.2.1, §3.1",
			Needs:   policy.LinkLoads,
			Rules: []policy.Rule{
				{Text: "A job gets the racks in which its input and shuffle data cross racks least; its tasks start there until it has been skipped often enough.", Source: "diverse-2018 §1.2.1, our reading"},
				{Text: "Its reduces go to racks by their share of its map output.", Source: "diverse-2018 §1.2.1"},
				{Text: "While a rack is congested its nodes are given maps in place of reduces, as long as maps wait.", Source: "diverse-2018 §1.2.1, §3.1"},
			},
			Params: func() any { return &shuffleWatcherParams{byUser(), netaware.DefaultShuffleWatcherParams()} },
		},
		roles: func(params any) Combination {
			p := params.(*shuffleWatcherParams)
			return Combination{Order: play("fair", &p.FairParams), Place: play("shufflewatcher", &p.ShuffleWatcherParams)}
		},
	}
}

func shuffleWatcherPlace() Role {
	return Role{
		Name:     "shufflewatcher",
		Summary:  "Each job in few racks; maps before reduces while a rack's links are congested.",
		Source:   "diverse-2018 §1.2.1, §3.1",
		Needs:    policy.LinkLoads,
		Can:      policy.CanPlace,
		Promises: policy.StarvationFree,
		Params: func() any {
			p := netaware.DefaultShuffleWatcherParams()
			return &p
		},
		add: func(a *assembly, params any) error {
			a.Place = netaware.NewShuffleWatcher(a.env, *params.(*netaware.ShuffleWatcherParams))
			return nil
		},
	}
}
