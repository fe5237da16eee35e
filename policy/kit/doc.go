// SPDX-License-Identifier: Apache-2.0

// Package kit is what policies are built from; the contract itself is the package policy.
//
// Compose makes a policy of roles: an Order of jobs, a Place for tasks and, if there are such, a
// Partition of the nodes, an admission rule and a placement of data. It has the one loop that fills
// offered room: job by job in order, which kind of task, whether limits allow it, which task suits the
// node.
//
// Orders: KeyedOrder (one key for each job), FairOrder (shares), Levels (several queues) with Feedback and
// Dispatch on it. Places: GreedyLocal. Partitions: Parts. What they stand on: Heap and JobHeap, Service
// (how much a job has received), Predictor (how large it will be).
//
// Nothing here scans all jobs or all nodes at an offer: what is kept in order changes as things happen,
// in O(log jobs).
package kit
