// SPDX-License-Identifier: Apache-2.0

// Package amshare lets a tuner of package tune steer the AM share of a queue of a live cluster: the same tuner and the
// same tune.Loop as in the simulator, with the ResourceManager's REST interface for its eyes and a steer.Session for
// its hand.
//
// The Capacity Scheduler is changed by its REST interface, which needs a mutable configuration store; the Fair Scheduler
// by its allocation file.
package amshare
