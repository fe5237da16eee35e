// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// JobPacker is an Order that aggregates the shuffles of heavy planned jobs (§4.2.2).
type JobPacker struct{ *Order }

var _ policy.ShuffleGate = JobPacker{}

// NewJobPacker returns the order for the environment, as New does.
func NewJobPacker(env *policy.Env, rules Rules, others func() kit.Order) JobPacker {
	return JobPacker{New(env, rules, others)}
}

// Aggregates implements policy.ShuffleGate: where there are circuits, heavy planned jobs do.
func (p JobPacker) Aggregates(j *cluster.Job) bool {
	placed := p.Planned(j.ID)
	return p.env.Circuits != nil && (placed != nil && placed.Heavy || p.known.Of(j).aggregated)
}

// MayFetch implements policy.ShuffleGate: a shuffle waits until what one rack sends to another is enough for a circuit, no
// more of the job's reduces are to come, or its maps have ended. Reduces that are still to come then may be waiting for room
// that those hold which wait for them.
func (p JobPacker) MayFetch(_ model.Time, j *cluster.Job, f policy.RackFlow) bool {
	return !p.Aggregates(j) || p.Planned(j.ID) == nil || f.Bytes > p.env.Circuits.Elephant || j.Pending(model.Reduce) == 0 || j.MapsDone()
}
