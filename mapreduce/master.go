// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// Master is a job's application master under YARN: asks in, containers to tasks. It reads no clock. At each of
// its heartbeats whoever drives it sends what Ask returns to the resource manager, and hands over what that
// answers.
type Master interface {
	// Ask begins a heartbeat. It returns the requests that have changed since the last one, and the
	// containers that the master gives back. The slices are the master's own.
	Ask(now model.Time) (requests []capacity.Request, release []*capacity.Container)
	// Answer ends a heartbeat. It reports whether the next one matters although there may be nothing to hear.
	Answer(a *Answer) (again bool)
	// Ended is what a task lets its master know, or what the master finds out about it: that it has ended,
	// its work done or not.
	Ended(t model.Task, how End)
}

// Answer is what a resource manager answers to the heartbeat of a master. It is valid during the call.
type Answer struct {
	Given    []*capacity.Container // new ones
	Ended    []Ended               // of containers that nodes have reported, or that were taken away
	Headroom queue.Resource        // what the application may get beyond what it has
}

// Ended is the end of a container.
type Ended struct {
	Task model.Task // that was launched in it; of no job if none was
	Exit int
}

// End says how an attempt at a task ended.
type End uint8

// The ends. A task that was not done is asked for again.
const (
	Done   End = iota
	Killed     // the master itself or the scheduler has taken its container away
	Lost       // its node is gone
	Undone     // it had ended, and its output is gone with its node
)

// Tasks is what a master does with the tasks of its job.
type Tasks interface {
	// Launch starts a task in a container.
	Launch(c *capacity.Container, t model.Task)
	// Kill ends a task that was launched; the master is not told by Ended.
	Kill(t model.Task)
	// Finish lets the master end: the job is done.
	Finish()
}

// Work is the job of a master.
type Work struct {
	Job   model.JobID
	Total [model.Kinds]int32
	Size  [model.Kinds]queue.Resource // of containers
	// Done says which tasks had ended under an earlier attempt of the master; of none if the lists are nil.
	Done [model.Kinds][]bool
	// Near returns the nodes that hold the block of a map; nil if the job's maps may run anywhere.
	Near func(index int32) []*capacity.Node
}

// The priorities of asks; the lowest number is served first.
const (
	lostMapPriority = 5
	reducePriority  = 10
	mapPriority     = 20
)
