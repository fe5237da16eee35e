// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
)

func capacityPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "capacity",
			Summary: "The Capacity Scheduler of Hadoop 1: queues with guaranteed shares, limits by queue and user, limits on jobs initialised.",
			Source:  "capacity-2013 §2.1.3, §3.3; Hadoop 0.20.203",
			Rules: []policy.Rule{
				{Text: "Room goes to the queue with the least room in use over its capacity, maps and reduces apart; ties keep their order.", Source: "capacity-2013 §3.3.2"},
				{Text: "A queue never exceeds its maximum capacity.", Source: "capacity-2013 §3.3.2"},
				{Text: "In a queue jobs come by priority, if it supports them, then by submission; a job is skipped while its user is at their limit.", Source: "capacity-2013 §3.3.2"},
				{Text: "A user's limit is the larger of an equal share and minimum-user-limit-percent of what the queue uses, at most user-limit-factor times its capacity.", Source: "Hadoop 0.20.203"},
				{Text: "A heartbeat gets many maps and at most one reduce; the first map that reads from another rack ends its maps.", Source: "capacity-2013 §3.3.2"},
				{Text: "Maps on the node and in the rack count as equally local; a job waits for a number of chances before it reads from another rack.", Source: "capacity-2013 §6.1.1"},
				{Text: "A job with too many tasks, or too many jobs of a queue or user, are refused at submission.", Source: "capacity-2013 §3.3.2"},
				{Text: "A poller chooses submitted jobs within limits by queue and user, and workers initialise them in rounds; only then may they run.", Source: "capacity-2013 §3.3.2"},
			},
			Params: func() any {
				p := hadoop1.DefaultParams()
				return &p
			},
		},
		roles: func(params any) Combination {
			p := params.(*hadoop1.Params)
			return Combination{
				Order: play("capacity", &capacityOrderParams{p.QueueSet, p.Beat}),
				Place: play("chances", &p.ChancesParams),
				Admit: play("capacity", &p.Init),
			}
		},
	}
}

// capacityOrderParams configures the order of capacity.
type capacityOrderParams struct {
	hadoop1.QueueSet `yaml:",inline"`
	hadoop1.Beat     `yaml:",inline"`
}

func capacityOrder() Role {
	return Role{
		Name:    "capacity",
		Summary: "The queue with the least room in use over its capacity, within limits by queue and user; in it by priority and submission.",
		Source:  "capacity-2013 §3.3.2; Hadoop 0.20.203",
		Can:     policy.CanRank,
		Params: func() any {
			p := hadoop1.DefaultParams()
			return &capacityOrderParams{p.QueueSet, p.Beat}
		},
		add: func(a *assembly, params any) error {
			p, own := hadoop1.DefaultParams(), params.(*capacityOrderParams)
			p.QueueSet, p.Beat = own.QueueSet, own.Beat
			if init, ok := a.from.Admit.Params.(*hadoop1.Init); ok {
				p.Init = *init
			}
			a.book = hadoop1.NewBook(a.env, &p)
			a.Order = hadoop1.New(a.env, a.book)
			return nil
		},
	}
}

func capacityAdmission() Role {
	return Role{
		Name:    "capacity",
		Summary: "A poller chooses jobs within limits by queue and user, and workers initialise them; beyond other limits jobs are refused.",
		Source:  "capacity-2013 §3.3.2",
		Can:     policy.CanAdmit,
		Orders:  []string{"capacity"},
		Why:     "which has no limits on the jobs of its queues",
		Params: func() any {
			p := hadoop1.DefaultParams()
			return &p.Init
		},
		add: func(a *assembly, _ any) error { a.Admit = hadoop1.NewAdmit(a.env, a.book); return nil },
	}
}
