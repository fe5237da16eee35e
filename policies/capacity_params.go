// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/queue/hadoop1"
)

// CapacityParams are the settings of the Capacity Scheduler of Hadoop 1 (release 0.20.203) under the
// names that capacity-scheduler.xml has for them, without the prefix mapred.capacity-scheduler.
type CapacityParams struct {
	CapacityQueues    `yaml:",inline"`
	CapacityInit      `yaml:",inline"`
	CapacityBeat      `yaml:",inline"`
	kit.ChancesParams `yaml:",inline"`
}

// CapacityInit is how jobs are initialised.
type CapacityInit struct {
	MaximumSystemJobs int        `yaml:"maximum-system-jobs" min:"1" doc:"Jobs of all queues that may be initialised at a time; each queue has its capacity's share of them."`
	InitPollInterval  model.Time `yaml:"init-poll-interval" above:"0s" doc:"Time between two rounds of the poller that chooses jobs to initialise, and of the workers that initialise them."`
	InitWorkerThreads int        `yaml:"init-worker-threads" min:"1" doc:"Workers that initialise jobs; never more than there are queues."`
}

// CapacityBeat is what one heartbeat may be given.
type CapacityBeat struct {
	MaximumTasksPerHeartbeat   int `yaml:"maximum-tasks-per-heartbeat" doc:"Maps that one heartbeat may be given; at least one is."`
	MaximumTasksAfterOffswitch int `yaml:"maximum-tasks-after-offswitch" doc:"Maps that a heartbeat may be given after the first one that reads from another rack."`
}

// DefaultCapacityParams returns the defaults of the release's code (the template file differs in
// maximum-system-jobs, 3000, and init-poll-interval, 5 s).
func DefaultCapacityParams() CapacityParams {
	return CapacityParams{
		CapacityQueues: CapacityQueues{Rules: "release", DefaultMinimumUserLimitPercent: 100, DefaultUserLimitFactor: 1,
			DefaultMaximumActiveTasks: 200000, DefaultMaximumActiveTasksOfUser: 100000, DefaultInitAcceptJobsFactor: 10},
		CapacityInit:  CapacityInit{MaximumSystemJobs: 5000, InitPollInterval: 3 * model.Second, InitWorkerThreads: 5},
		CapacityBeat:  CapacityBeat{MaximumTasksPerHeartbeat: math.MaxInt16},
		ChancesParams: kit.DefaultChancesParams(),
	}
}

// The settings of queues, and the limits that follow from them.
type (
	CapacityQueues   = hadoop1.Queues
	CapacityQueue    = hadoop1.Queue
	CapacitySettings = hadoop1.Settings
	CapacityLimits   = hadoop1.Limits
)

// Limits derives the limits of a queue on a cluster with the given room in each pool.
func (p *CapacityParams) Limits(q *CapacityQueue, room [model.Kinds]int64) CapacityLimits {
	return p.CapacityQueues.Limits(q, room, p.MaximumSystemJobs)
}
