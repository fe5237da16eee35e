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

// NewJobPacker returns the order for the environment, as New does, but heavy ad-hoc jobs are always kept apart. Without a threshold
// for their input it is eight ninths of that for shuffles: 1 GB where that is 1.125 GB (§4.2.4).
func NewJobPacker(env *policy.Env, rules Rules, others func() kit.Order) JobPacker {
	if rules.HeavyInput == 0 {
		rules.HeavyInput = max(rules.elephant(env.Circuits)/9*8, 1)
	}
	return JobPacker{New(env, rules, others)}
}

// Aggregates implements policy.ShuffleGate: where there are circuits, heavy planned jobs do.
func (p JobPacker) Aggregates(j *cluster.Job) bool {
	placed := p.Planned(j.ID)
	return p.env.Circuits != nil && (placed != nil && placed.Heavy || p.known.Of(j).aggregated)
}

// MayFetch implements policy.ShuffleGate: a shuffle waits until what one rack sends to another is enough for a circuit, or
// no more of the job's reduces are to come to the rack. Those that are to come may be waiting for room that those hold
// which wait for them: when the maps have ended and none has come for the patience of the rules, none is waited for.
func (p JobPacker) MayFetch(now model.Time, j *cluster.Job, f policy.RackFlow) (may bool, again model.Time) {
	placed := p.Planned(j.ID)
	if !p.Aggregates(j) || placed == nil || f.Bytes > p.env.Circuits.Elephant || j.Pending(model.Reduce) == 0 {
		return true, 0
	}
	own := p.known.Of(j)
	i, is := placed.At(model.Reduce, f.To)
	if !is || own.came == nil {
		return true, 0 // it is not where it was planned
	}
	here, all := own.taken[model.Reduce][i], share(j, model.Reduce, placed)
	switch {
	case here >= all:
		return true, 0
	case !j.MapsDone():
		return false, model.Forever
	case f.Bytes*model.Bytes(all) <= p.env.Circuits.Elephant*model.Bytes(here):
		return true, 0 // all of them together are not enough
	}
	if own.over == 0 {
		own.over = now
	}
	again = max(own.came[i], own.over) + p.rules.Patience
	return now >= again, again
}
