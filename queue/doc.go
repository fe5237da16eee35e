// SPDX-License-Identifier: Apache-2.0

// Package queue is the tree of queues of YARN's Capacity Scheduler and its limits, as arithmetic: what each
// queue is guaranteed and may use at most, which child of a queue comes next, how much a user, the masters of
// a leaf and those of one user may take. It knows neither applications nor nodes.
//
// A [Tree] is a flat array, a parent before its children. [Tree.Resize] works out guarantees and maxima for a
// cluster; [Tree.Charge] and [Tree.Await] keep what is used and asked for along the path to the root. Room is
// a [Resource]; what counts of it is up to a [Calculator], of which there are two: [Memory] and [Dominant].
// The limits of users and masters are functions of a [Scale].
//
// Shares and ratios have 32 bits where the release's have: sums and products round differently otherwise, and
// a limit that is off by one container decides differently. The rules are those of Hadoop 3.4.1.
package queue
