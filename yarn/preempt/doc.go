// SPDX-License-Identifier: Apache-2.0

// Package preempt is pre-emption as YARN's Capacity Scheduler has it in release 3.4.1
// (ProportionalCapacityPreemptionPolicy): which containers of queues that use more than they are guaranteed make way for
// queues that have less.
//
// A [Monitor] has no clock. Whoever drives it calls [Monitor.Round] each interval and carries out the [Outcome]. A round
// takes a snapshot of the tree of queues, works out what every queue would have ideally, and lets selectors choose
// containers one after the other, within what may be taken in one round:
//
//   - for reservations: containers of leaves above their ideal share that stand in the way of one, if that is asked for;
//   - between queues: containers of leaves above their ideal share, the last applications and the youngest containers first;
//   - within a queue: containers of applications that have more than priorities and user limits leave them.
//
// A container that is chosen for the first time is only noted and its application is told. If it is chosen again when it has
// been noted for long enough, it is killed. All rounding, ties and orders are those of the release.
package preempt
