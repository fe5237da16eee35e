// SPDX-License-Identifier: Apache-2.0

// Package model holds the words of the domain: identifiers, time, room, jobs, tasks and the
// shape of a cluster. It is plain data with validation, depends on the standard library only,
// and knows nothing of simulation.
//
// Identifiers are dense: job j of a workload is jobs[j], node n of a topology is Nodes[n]. That
// lets every other package keep flat arrays instead of maps.
package model

// JobID is the position of a job in its workload.
type JobID int32

// NodeID is the position of a node in its topology.
type NodeID int32

// RackID numbers racks from 0.
type RackID int32

// HostID numbers the physical machines; several nodes may share one.
type HostID int32

// None marks the absence of a job, node, task or rack.
const None = -1

// Kind says what a task does.
type Kind uint8

// The kinds of task. Kinds is their number.
const (
	Map Kind = iota
	Reduce
	Kinds = 2
)

// String returns the kind's name in results.
func (k Kind) String() string {
	switch k {
	case Map:
		return "map"
	case Reduce:
		return "reduce"
	}
	return "kind?"
}

// Task names one task of one job.
type Task struct {
	Job   JobID
	Kind  Kind
	Index int32
}

// Locality says how far a map's input is from the node that runs it.
type Locality uint8

// The levels of locality, nearest first. NoInput is for tasks that read no block.
const (
	NodeLocal Locality = iota
	RackLocal
	Remote
	NoInput
	Localities = 3 // levels that are counted
)

// String returns the level's name in results.
func (l Locality) String() string {
	switch l {
	case NodeLocal:
		return "node-local"
	case RackLocal:
		return "rack-local"
	case Remote:
		return "remote"
	}
	return "no-input"
}

// Limit is what held a job back while it waited.
type Limit uint8

// The limits. LimitRoom is the default: nothing but other jobs' use of the room.
const (
	LimitRoom Limit = iota
	LimitPriority
	LimitQueueMax
	LimitUser
	LimitInit
	LimitAMShare
	LimitPartition
	LimitLocality
	LimitShare
	LimitCongestion
	LimitHandOver
	LimitHeartbeat
	LimitParentMax
	LimitUserAMShare
	Limits = 14
)

var limitNames = [Limits]string{
	"room", "priority", "queue_maximum", "user_limit", "initialisation", "am_share",
	"partition", "locality", "share", "congestion", "hand_over",
	"heartbeat", "parent_maximum", "user_am_share",
}

// String returns the limit's name in results.
func (l Limit) String() string {
	if int(l) < len(limitNames) {
		return limitNames[l]
	}
	return "limit?"
}
