// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
)

// poolRoom returns the room of the cluster in each pool of the policy.
func (s *Scenario) poolRoom() [model.Kinds]int64 {
	total := s.Cluster.Topology().Total()
	return [model.Kinds]int64{total[0], total[1]}
}

// pools returns how many pools of room the cluster has.
func (s *Scenario) pools() int { return min(s.Cluster.RoomModel().Pools(), model.Kinds) }

// unit names what the room of a pool is counted in.
func (s *Scenario) unit(pool int) string {
	switch m := s.Cluster.RoomModel(); m {
	case model.Slots:
		return m.PoolName(pool) + " slots"
	case model.Yarn:
		return "MiB"
	}
	return "containers"
}

// CapacityLimits returns the limits that the policy derives for a queue of the configuration on the
// scenario's cluster.
func (s *Scenario) CapacityLimits(c *capacityxml.Config, queue string) policies.CapacityLimits {
	choice := CapacityChoice(c, "")
	p := choice.Params.(*policies.CapacityParams)
	for i := range p.Queues {
		if p.Queues[i].Name == queue {
			return p.Limits(&p.Queues[i], s.poolRoom())
		}
	}
	panic("experiment: no queue " + queue)
}
