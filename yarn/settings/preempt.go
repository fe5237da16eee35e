// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"strings"
)

// Preemption is the settings of the monitor that lets containers make way for others.
type Preemption struct {
	On       bool  // without it there is no monitor, and nothing is taken from any queue
	Observe  bool  // rounds have no effect
	Interval int64 // between rounds, in milliseconds
	Wait     int64 // from the first choice of a container to its end, in milliseconds

	PerRound float32 // of the cluster: most that is taken in one round
	Ignored  float64 // of a guarantee: a leaf that is no further above it is left alone
	Natural  float64 // of the excess that is taken in one round
	Careful  bool    // a container is taken only while every component is still to be obtained

	Reserved bool // first, containers that stand in the way of reservations
	Reserves bool // what is reserved counts as wanted too, and all of the excess is taken at once

	Balance     bool  // then, queues above their guarantee are evened out
	BalanceWait int64 // Wait of containers that are chosen for that

	Inner Inner
}

// Inner is the settings of pre-emption within a queue.
type Inner struct {
	On         bool
	ByPriority bool    // applications take from those with lower priority whoever's they are; else only from users above their limit
	Threshold  float32 // of the guarantee: a leaf that uses less is left alone
	Most       float32 // of the guarantee: most that is taken in one round
	Careful    bool
}

const (
	monitors = "yarn.resourcemanager.scheduler.monitor."
	monitor  = "ProportionalCapacityPreemptionPolicy"
	preempt  = "yarn.resourcemanager.monitor.capacity.preemption."
	inner    = preempt + "intra-queue-preemption."
)

// preemption reads the settings of the monitor, if there is one.
func (r *reader) preemption() {
	s := &r.out.Preemption
	s.On = r.p.Bool(monitors+"enable", false) && strings.Contains(r.p.Or(monitors+"policies", monitor), monitor)
	if !s.On {
		return
	}
	s.Observe = r.p.Bool(preempt+"observe_only", false)
	s.Interval = int64(r.int(preempt+"monitoring_interval", 3000))
	s.Wait = int64(r.int(preempt+"max_wait_before_kill", 15000))
	s.PerRound = r.float(preempt+"total_preemption_per_round", 0.1)
	s.Ignored = r.double(preempt+"max_ignored_over_capacity", r.p.Or(preempt+"max_ignored_over_capacity", "0.1"))
	s.Natural = r.double(preempt+"natural_termination_factor", r.p.Or(preempt+"natural_termination_factor", "0.2"))
	s.Careful = r.p.Bool(preempt+"conservative-drf", false)
	s.Reserved = r.p.Bool(preempt+"select_based_on_reserved_containers", false)
	s.Reserves = r.p.Bool(preempt+"additional_res_balance_based_on_reserved_containers", false)
	s.Balance = r.p.Bool(preempt+"preemption-to-balance-queue-after-satisfied.enabled", false)
	s.BalanceWait = int64(r.int(preempt+"preemption-to-balance-queue-after-satisfied.max-wait-before-kill", 300000))
	s.Inner.On = r.p.Bool(inner+"enabled", false)
	s.Inner.Threshold = r.float(inner+"minimum-threshold", 0.5)
	s.Inner.Most = r.float(inner+"max-allowable-limit", 0.2)
	s.Inner.Careful = r.p.Bool(inner+"conservative-drf", true)
	switch order := strings.ToUpper(r.p.Or(inner+"preemption-order-policy", "userlimit_first")); order {
	case "USERLIMIT_FIRST":
	case "PRIORITY_FIRST":
		s.Inner.ByPriority = true
	default:
		r.refuse(inner+"preemption-order-policy", "IllegalArgumentException", "No enum constant org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.%s.IntraQueuePreemptionOrderPolicy.%s", monitor, order)
	}
}

// closed reads whether others may take from a queue, and applications of the queue from each other. A queue that does not
// say it is as its parent.
func closed(r *reader, q *Queue, key string) {
	above, within := !r.out.Preemption.On, !r.out.Preemption.Inner.On
	if q.Parent >= 0 && !above {
		above = r.out.Queues[q.Parent].Closed
	}
	if q.Parent >= 0 && !within {
		within = r.out.Queues[q.Parent].InnerClosed
	}
	q.Closed, q.InnerClosed = above, within
	if r.out.Preemption.On {
		q.Closed = r.p.Bool(key+"disable_preemption", above)
	}
	if r.out.Preemption.Inner.On {
		q.InnerClosed = r.p.Bool(key+"intra-queue-preemption.disable_preemption", within)
	}
}
