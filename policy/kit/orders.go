// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// KeyedOrder is an order by one key for each job: the base of srpt, edf and the like. The key is asked
// for when a job begins to want room; a policy whose keys move calls Rekey.
type KeyedOrder struct {
	keyOf func(now model.Time, j *cluster.Job) keyed.Key
	heaps [model.Kinds]JobHeap // by pool
}

// NewKeyedOrder returns the order by the key.
func NewKeyedOrder(env *policy.Env, keyOf func(now model.Time, j *cluster.Job) keyed.Key) *KeyedOrder {
	o := &KeyedOrder{keyOf: keyOf}
	for p := range o.heaps {
		o.heaps[p].Cluster = env.Cluster
	}
	return o
}

var _ Order = (*KeyedOrder)(nil)

// Wants implements policy.WantObserver.
func (o *KeyedOrder) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	if wants {
		o.heaps[pool].Set(j, o.keyOf(now, j))
	} else {
		o.heaps[pool].Remove(j)
	}
}

// Rekey moves the job to where its key now belongs, in every pool where it wants room.
func (o *KeyedOrder) Rekey(now model.Time, j *cluster.Job) {
	for p := range o.heaps {
		if o.heaps[p].Has(j) {
			o.heaps[p].Set(j, o.keyOf(now, j))
		}
	}
}

// First implements Order.
func (o *KeyedOrder) First(pool int) *cluster.Job { return o.heaps[pool].First() }

// Next implements Order.
func (o *KeyedOrder) Next(pool int) *cluster.Job { return o.heaps[pool].Next() }

// WorkOrder is a KeyedOrder whose keys depend on what the job has left to do: a job is put where it now
// belongs whenever one of its tasks ends.
type WorkOrder struct{ *KeyedOrder }

var _ policy.TaskObserver = WorkOrder{}

// NewWorkOrder returns the order by the key.
func NewWorkOrder(env *policy.Env, keyOf func(now model.Time, j *cluster.Job) keyed.Key) WorkOrder {
	return WorkOrder{NewKeyedOrder(env, keyOf)}
}

// TaskStarted implements policy.TaskObserver: what has started is not done.
func (o WorkOrder) TaskStarted(model.Time, *cluster.Job, model.Kind, model.NodeID) {}

// TaskEnded implements policy.TaskObserver.
func (o WorkOrder) TaskEnded(now model.Time, j *cluster.Job, _ model.Kind, _ model.NodeID, _ bool) {
	o.Rekey(now, j)
}
