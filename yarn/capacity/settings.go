// SPDX-License-Identifier: Apache-2.0

package capacity

import "github.com/yardmaster/yardmaster/queue"

// Settings are what the scheduler is told; Read makes them of Hadoop's properties.
type Settings struct {
	Queues     []QueueSettings // a parent before its children, siblings in their order
	Vectors    bool            // capacities may mix units
	Calculator queue.Calculator

	MinAlloc, MaxAlloc queue.Resource // of one container; the smallest is the step of all rounding

	NodeDelay     int  // opportunities that a rack-local container waits for
	RackDelay     int  // further ones for any other; -1: as many as the asks and the nodes demand
	RackFullReset bool // a rack-local container begins the wait anew
	OffSwitch     int  // containers without locality in one heartbeat
	Multiple      bool // more than one container in a heartbeat
	MaxAssign     int  // containers in one heartbeat, -1 without a bound

	MaxApps       int // of all queues together
	QueueMaxApps  int // of a queue that says nothing itself, 0: by its share
	MaxPriority   int // of an application
	MaxAttempts   int // of an application's master
	UserParallel  int // applications of one user that run
	UserParallels map[string]int
}

// QueueSettings are the settings of one queue. Those after Leaf matter to leaves alone.
type QueueSettings struct {
	Path              string
	Parent            int // place in the list, -1 of the root
	Capacity, Maximum queue.Vector
	Priority          int
	ByPriority        bool // children by priority, then use
	Stopped           bool
	Parallel          int // applications that run

	Leaf        bool
	Users       queue.UserRules
	Weights     map[string]float32 // of users
	MasterShare float32
	MaxApps     int  // -1: not said
	Fair        bool // applications by use instead of arrival
	BySize      bool // and large ones before small ones
}
