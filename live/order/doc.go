// SPDX-License-Identifier: Apache-2.0

// Package order lets a policy of the simulator order the applications of a queue of a live cluster, by their priorities.
//
// A Mirror keeps the queue's applications as jobs of a cluster.State and tells the policy's driver what happens to them;
// the policy ranks them as it does in the simulator. Under the Capacity Scheduler with its order fifo a leaf queue
// serves applications by priority, then by submission, so a rank is carried out by as few levels as give that order
// (Levels). Nothing is killed or moved to another queue: an application that is moved loses its place and waits again.
//
// What a resource manager does not know must be said: goals by the tag goal=TIME of an application or a file, sizes by a
// file. Service is what memorySeconds says, less the master's part, in tasks' time.
package order
