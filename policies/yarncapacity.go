// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Managers are the resource managers that a scenario may name in place of a policy. They give containers to
// applications' masters and are offered nothing, so they have no roles.
var Managers = policy.Registry{yarnCapacity(), yarnFair()}

// Choosable is what a scenario may name: policies and resource managers.
var Choosable = append(slices.Clone(All), Managers...)

func yarnCapacity() policy.Entry {
	return manager(policy.Entry{
		Name:    "yarn-capacity",
		Summary: "YARN 3's resource manager with its Capacity Scheduler, decision by decision, under Hadoop's own properties.",
		Source:  "Hadoop 3.4.1",
		Rules: []policy.Rule{
			{Text: "Applications ask for containers; each heartbeat of a node gives some, queues and applications in the scheduler's order.", Source: "CapacityScheduler"},
			{Text: "The first container of an application is its master's: charged to queue and user, activated by the limits on masters.", Source: "AbstractLeafQueue"},
		},
		Params: func() any { c := handover.DefaultConfig(); return &c },
	})
}

func yarnFair() policy.Entry {
	return manager(policy.Entry{
		Name:    "yarn-fair",
		Summary: "YARN's resource manager with the Fair Scheduler of Hadoop 2.7.5, for one queue.",
		Source:  "Hadoop 2.7.5",
		Rules: []policy.Rule{
			{Text: "Each heartbeat of a node gives one container, to the application that uses the least memory; nodes report ended containers at once.", Source: "FairScheduler"},
			{Text: "A master starts if all masters together stay within a share of the memory.", Source: "FSLeafQueue"},
		},
		Params: func() any { c := handover.DefaultFair(); return &c },
	})
}

// manager completes the entry of a resource manager by what all have in common.
func manager(e policy.Entry) policy.Entry {
	e.Rules = append(e.Rules, policy.Rule{Text: "The master asks for maps and reduces, hears of containers at its own heartbeat and chooses the nearest map for each.", Source: "RMContainerAllocator"})
	e.New = func(*policy.Env, any) (policy.Policy, error) { return unasked{}, nil }
	return e
}

// unasked is the policy of a cluster whose resource manager offers nothing.
type unasked struct{}

// Pick implements policy.Policy.
func (unasked) Pick(*policy.Offer) policy.Decision {
	return policy.Decision{Task: model.Task{Job: model.None}}
}
