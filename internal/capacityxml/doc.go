// SPDX-License-Identifier: Apache-2.0

// Package capacityxml reads and writes capacity-scheduler.xml, the settings of the Capacity Scheduler,
// in two dialects: that of Hadoop 1 (release 0.20.203, mapred.capacity-scheduler.*) and that of YARN
// (yarn.scheduler.capacity.*).
//
// What comes out is plain data under the real names of the properties. A file is refused, with every
// fault at once and its line, for what the scheduler itself refuses at start-up, for XML that is not
// well formed, for properties given twice and for values that are not numbers. A property that is not
// modelled, or not known, is kept as a warning with its line, never dropped silently.
//
// Queue names come from mapred.queue.names if the file has it (Hadoop 1 keeps it in mapred-site.xml),
// else from the names of the properties, in the order of the file.
//
// YARN's queue tree is flattened: a leaf gets its share of the whole cluster. Weights become shares.
// YARN has no init poller and no limit on initialised jobs, so those settings take the values that
// limit least.
package capacityxml

import "github.com/yardmaster/yardmaster/internal/strict"

// Dialect says whose settings a file holds.
type Dialect uint8

// The dialects.
const (
	Hadoop1 Dialect = iota
	YARN
)

// String returns the dialect's name.
func (d Dialect) String() string {
	if d == YARN {
		return "YARN"
	}
	return "Hadoop 1"
}

// Unlimited is the maximum-capacity of a queue without a maximum.
const Unlimited = -1

// Queue is one queue. Percentages are of the whole cluster.
type Queue struct {
	Name                                 string  `json:"name"`
	Capacity                             float64 `json:"capacity"`
	MaximumCapacity                      float64 `json:"maximum-capacity"` // Unlimited if none
	SupportsPriority                     bool    `json:"supports-priority"`
	MinimumUserLimitPercent              int     `json:"minimum-user-limit-percent"`
	UserLimitFactor                      float64 `json:"user-limit-factor"`
	MaximumInitializedActiveTasks        int     `json:"maximum-initialized-active-tasks"`
	MaximumInitializedActiveTasksPerUser int     `json:"maximum-initialized-active-tasks-per-user"`
	InitAcceptJobsFactor                 int     `json:"init-accept-jobs-factor"`

	path string // in YARN's tree, such as root.prod
}

// Path returns the place of the queue in YARN's tree, such as root.prod; empty in Hadoop 1.
func (q *Queue) Path() string { return q.path }

// Config is what a file says, defaults filled in.
type Config struct {
	Queues                     []Queue `json:"queues"`
	MaximumSystemJobs          int     `json:"maximum-system-jobs"`
	InitPollInterval           int     `json:"init-poll-interval"` // milliseconds
	InitWorkerThreads          int     `json:"init-worker-threads"`
	MaximumTasksPerHeartbeat   int     `json:"maximum-tasks-per-heartbeat"`
	MaximumTasksAfterOffswitch int     `json:"maximum-tasks-after-offswitch"`
}

// Find returns the queue of that name, or nil.
func (c *Config) Find(name string) *Queue {
	for i := range c.Queues {
		if c.Queues[i].Name == name {
			return &c.Queues[i]
		}
	}
	return nil
}

// Names returns the names of the queues.
func (c *Config) Names() []string {
	names := make([]string, len(c.Queues))
	for i := range c.Queues {
		names[i] = c.Queues[i].Name
	}
	return names
}

// Clone returns a copy that shares nothing.
func (c *Config) Clone() Config {
	out := *c
	out.Queues = append([]Queue(nil), c.Queues...)
	return out
}

// File is a file that was read.
type File struct {
	Name       string
	Dialect    Dialect
	Config     Config
	Properties []Property // in the order of the file
	Warnings   strict.Errors

	src []byte
	end int // offset of </configuration>
}

// Property is one property as written.
type Property struct {
	Name, Value string
	Line        int

	from, to int // offsets of the element <value>
}

// Read reads a file. The error is a strict.Errors with everything that is wrong with it.
func Read(name string, src []byte) (*File, error) {
	f := &File{Name: name, src: src}
	errs, whole := f.scan()
	if whole {
		r := newReader(f)
		r.errs = errs
		r.read()
		errs = r.errs
		f.Warnings = append(f.Warnings, r.warnings...)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	f.Warnings, _ = f.Warnings.Err().(strict.Errors) // sorted
	return f, nil
}
