// SPDX-License-Identifier: Apache-2.0

// Package yarnqueues says what the queues of YARN's Capacity Scheduler mean on a cluster, what their settings cost a
// workload, and which would be better. What a user or a queue can reach is not computed from formulas: the scheduler
// itself is asked, with users that want everything.
package yarnqueues
