// SPDX-License-Identifier: Apache-2.0

// Package rest asks a ResourceManager and a JobHistoryServer of Hadoop by their REST interfaces. Its types hold what
// the rest of Yardmaster needs, in the units of package model; fields that it does not know are left alone.
//
// Client is the ResourceManager, History the JobHistoryServer. Both take a list of addresses, of which one is active;
// neither is safe for use by several goroutines at once. What is retried and what is not, and why, stands at
// transport.
//
// What surprised us in release 3.4.2, and what the types hide or cannot hide:
//
//   - An empty list is an empty object or null; a list of one may be the element itself.
//   - Numbers of containers, and the version of the configuration, are strings.
//   - A change of the scheduler's configuration is answered with 200 and "successfully applied" even if its queue or its
//     key does not exist, or the queue's path is not the full one. The store even gives it back. Only Scheduler tells
//     whether it acts.
//   - A priority above the cluster's maximum is cut; SetPriority returns the one that stands.
//   - GET /scheduler-conf/format wipes the store. Nothing here asks for it.
package rest
