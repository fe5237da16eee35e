// SPDX-License-Identifier: Apache-2.0

// Package settings is what YARN's Capacity Scheduler is told. [Read] makes it of Hadoop's properties, as release 3.4.1 reads them: with
// its defaults, its rounding and its refusals; [Scheduler.Odd] says what hardly anybody means.
package settings

import (
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/queue"
)

// Scheduler is what the scheduler is told.
type Scheduler struct {
	Queues     []Queue // a parent before its children, siblings in their order
	Vectors    bool    // capacities may mix units
	Calculator queue.Calculator

	MinAlloc, MaxAlloc queue.Resource // of one container; the smallest is the step of all rounding

	NodeDelay     int  // opportunities that a rack-local container waits for
	RackDelay     int  // further ones for any other; -1: as many as the asks and the nodes demand
	RackFullReset bool // a rack-local container begins the wait anew
	OffSwitch     int  // containers without locality in one heartbeat
	Multiple      bool // more than one container in a heartbeat
	MaxAssign     int  // containers in one heartbeat, -1 without a bound

	Reserves     bool // nodes are kept for containers that they have no room for
	ContinueLook bool // an application with reservations is given containers elsewhere for them

	Preemption Preemption

	MaxApps       int // of all queues together
	QueueMaxApps  int // of a queue that says nothing itself, 0: by its share
	MaxPriority   int // of an application
	MaxAttempts   int // of an application's master
	UserParallel  int // applications of one user that run
	UserParallels map[string]int
}

// Queue is the settings of one queue. Those after Leaf matter to leaves alone.
type Queue struct {
	Path              string
	Parent            int // place in the list, -1 of the root
	Capacity, Maximum queue.Vector
	Priority          int
	ByPriority        bool // children by priority, then use
	Stopped           bool
	Parallel          int  // applications that run
	Closed            bool // other queues take nothing from it
	InnerClosed       bool // its applications take nothing from each other

	Leaf        bool
	Users       queue.UserRules
	Weights     map[string]float32 // of users
	MasterShare float32
	FairMasters bool // the share is maxAMShare of Hadoop 2.7.5's Fair Scheduler
	MaxApps     int  // -1: not said
	Fair        bool // applications by use instead of arrival
	BySize      bool // and large ones before small ones
}

// WithMasterShare returns the settings with another maximum-am-resource-percent of all queues.
func (s *Scheduler) WithMasterShare(share float32) *Scheduler {
	changed := *s
	changed.Queues = slices.Clone(s.Queues)
	for i := range changed.Queues {
		changed.Queues[i].MasterShare = share
	}
	return &changed
}

// Leaves is the queues that take applications.
type Leaves struct {
	paths  []string
	byName map[string]string // paths by full and by short name; empty where a short name is not unique
}

// Leaves returns the queues that take applications.
func (s *Scheduler) Leaves() *Leaves {
	l := &Leaves{byName: map[string]string{}}
	for i := range s.Queues {
		q := &s.Queues[i]
		if !q.Leaf {
			continue
		}
		l.paths = append(l.paths, q.Path)
		l.byName[q.Path] = q.Path
		short := q.Path[strings.LastIndexByte(q.Path, '.')+1:]
		if _, twice := l.byName[short]; twice {
			l.byName[short] = ""
		} else {
			l.byName[short] = q.Path
		}
	}
	return l
}

// Find returns the path of the queue that a submission names.
func (l *Leaves) Find(name string) (path string, ok bool) {
	path = l.byName[name]
	return path, path != ""
}

// String lists the paths.
func (l *Leaves) String() string { return strings.Join(l.paths, ", ") }
