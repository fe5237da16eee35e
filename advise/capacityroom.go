// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
)

// poolRoom returns the room of the cluster in each pool of the policy.
func poolRoom(c *cluster.Config) [model.Kinds]int64 {
	total := c.Topology().Total()
	return [model.Kinds]int64{total[0], total[1]}
}

// pools returns how many pools of room the cluster has.
func pools(c *cluster.Config) int { return min(c.RoomModel().Pools(), model.Kinds) }

// unit names what the room of a pool is counted in.
func unit(c *cluster.Config, pool int) string {
	switch m := c.RoomModel(); m {
	case model.Slots:
		return m.PoolName(pool) + " slots"
	case model.Yarn:
		return "MiB"
	}
	return "containers"
}

// limitsOf returns the limits that the policy derives for a queue of the configuration in this room.
func limitsOf(c *capacityxml.Config, queue string, room [model.Kinds]int64) hadoop1.Limits {
	choice := CapacityChoice(c, "")
	p := choice.Params.(*hadoop1.Params)
	for i := range p.Queues {
		if p.Queues[i].Name == queue {
			return p.Limits(&p.Queues[i], room)
		}
	}
	panic("advise: no queue " + queue)
}
