// SPDX-License-Identifier: Apache-2.0

// Package fold holds folds of events that stand on their own: free room and the tasks that wait for it, waits for
// heartbeats, what running maps make, reduces that share a node, whose turn it is in a queue.
package fold
