// SPDX-License-Identifier: Apache-2.0

// Package kit is what policies are built from; the contract itself is the package policy.
//
// Compose makes a policy of roles: an Order of jobs, a Place for tasks and, if there are such, a
// Partition of the nodes, an admission rule and a placement of data. It has the one loop that fills
// offered room: job by job in order, which kind of task, whether limits allow it, which task suits the
// node. What a role wants to know or to say beyond that is an optional interface: an order that depends
// on the offer is an Aimer, one with limits a Limiter, one that keeps room free a Keeper, one that names
// whom it passes over a Passer; an admission rule that explains itself is a Teller.
//
// Orders: KeyedOrder (one key for each job), WorkOrder (by what is left), FairOrder (shares), Levels
// (several queues) with Feedback and Dispatch on it. Places: GreedyLocal, Delay, Chances. Partitions:
// Parts. What they stand on: JobHeap and package keyed, Service (how much a job has received),
// Predictor (how large it will be).
//
// Nothing here scans all jobs or all nodes at an offer: what is kept in order changes as things happen,
// in O(log jobs).
package kit
