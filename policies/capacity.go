// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func capacityEntry() policy.Entry {
	return policy.Entry{
		Name:    "capacity",
		Summary: "The Capacity Scheduler of Hadoop 1: queues with guaranteed shares, limits by queue and user, limits on jobs initialised.",
		Source:  "capacity-2013 §2.1.3, §3.3; Hadoop 0.20.203",
		Rules: []policy.Rule{
			{Text: "Room goes to the queue with the least room in use over its capacity, maps and reduces apart; ties keep their order.", Source: "capacity-2013 §3.3.2"},
			{Text: "A queue never exceeds its maximum capacity.", Source: "capacity-2013 §3.3.2"},
			{Text: "In a queue jobs come by priority, if it supports them, then by submission; a job is skipped while its user is at his limit.", Source: "capacity-2013 §3.3.2"},
			{Text: "A user's limit is the larger of an equal share and minimum-user-limit-percent of what the queue uses, at most user-limit-factor times its capacity.", Source: "Hadoop 0.20.203"},
			{Text: "A heartbeat gets many maps and at most one reduce; the first map that reads from another rack ends its maps.", Source: "capacity-2013 §3.3.2"},
			{Text: "Maps on the node and in the rack count as equally local; a job waits for a number of chances before it reads from another rack.", Source: "capacity-2013 §6.1.1"},
			{Text: "A job with too many tasks, or too many jobs of a queue or user, are refused at submission.", Source: "capacity-2013 §3.3.2"},
			{Text: "A poller chooses submitted jobs within limits by queue and user, and workers initialise them in rounds; only then may they run.", Source: "capacity-2013 §3.3.2"},
		},
		Can: policy.CanRank | policy.CanPlace | policy.CanAdmit,
		Params: func() any {
			p := DefaultCapacityParams()
			return &p
		},
		New: func(env *policy.Env, params any) (policy.Policy, error) {
			return newCapacity(env, params.(*CapacityParams))
		},
	}
}

// capacity is the state of the scheduler. Occupied room, users with tasks to start and the order of
// jobs are kept up to date by what the observers are told; an offer looks at queues in order and, in
// each, at users in the order of their first job, until one may be served.
type capacity struct {
	params  *CapacityParams
	cluster *cluster.State
	place   *kit.GreedyLocal
	queues  []capacityQueue
	named   map[string]int32 // configured queues by name
	queueOf []int32          // by cluster queue, grown as jobs name queues
	room    [model.Dims]int64
	order   [model.Kinds][]int32 // queues by use over capacity, by pool
	moved   [model.Kinds]bool    // a queue's use changed since order was last put right

	jobs     *policy.PerJob[capacityJob]
	accounts []capacityAccount
	index    map[[2]int32]int32 // accounts by queue and user
	waits    capacityInit
	beat     capacityBeat
}

var (
	_ policy.JobObserver  = (*capacity)(nil)
	_ policy.WantObserver = (*capacity)(nil)
	_ policy.TaskObserver = (*capacity)(nil)
	_ policy.Admitter     = (*capacity)(nil)
	_ policy.Refuser      = (*capacity)(nil)
	_ policy.Ticker       = (*capacity)(nil)
	_ policy.Ranker       = (*capacity)(nil)
)

// newCapacity sets the configured queues up.
func newCapacity(env *policy.Env, p *CapacityParams) (policy.Policy, error) {
	c := &capacity{params: p, cluster: env.Cluster, place: kit.NewGreedyLocal(env),
		jobs: policy.NewPerJob[capacityJob](env), index: map[[2]int32]int32{}, named: map[string]int32{}}
	c.waits.init(env.Seed, p)
	for i := range p.Queues {
		c.named[p.Queues[i].Name] = c.addQueue(p.Queues[i])
	}
	c.setRoom()
	return c, nil
}

// addQueue adds a queue behind the others.
func (c *capacity) addQueue(config CapacityQueue) int32 {
	id := int32(len(c.queues))
	c.queues = append(c.queues, capacityQueue{config: config})
	for pool := range c.order {
		c.order[pool] = append(c.order[pool], id)
	}
	c.waits.deal(id, len(c.params.Queues))
	return id
}

// queue returns the queue of a submitted job, None if it names one that is not configured. Where none
// are configured, the queues that have had jobs share the cluster equally.
func (c *capacity) queue(j *cluster.Job) int32 {
	for n := len(c.queueOf); n <= int(j.Queue); n++ {
		id, known := c.named[c.cluster.Queues[n]]
		if !known {
			id = model.None
		}
		c.queueOf = append(c.queueOf, id)
	}
	if c.queueOf[j.Queue] == model.None && len(c.params.Queues) == 0 {
		c.queueOf[j.Queue] = c.addQueue(CapacityQueue{Name: c.cluster.Queues[j.Queue], MaximumCapacity: -1})
		for i := range c.queues {
			c.queues[i].config.Capacity = 100 / float64(len(c.queues))
		}
		c.setRoom()
	}
	return c.queueOf[j.Queue]
}

// setRoom derives the limits of all queues from the room that the cluster has now.
func (c *capacity) setRoom() {
	c.room = c.cluster.Total
	for i := range c.queues {
		c.queues[i].limits = c.params.Limits(&c.queues[i].config, [model.Kinds]int64{c.room[0], c.room[1]})
	}
	for pool := range c.moved {
		c.moved[pool] = true
	}
}
