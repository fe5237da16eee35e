// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/model"
)

// Need is something that a policy must be told beyond what a resource manager can observe.
type Need uint8

// The needs.
const (
	KnownSizes   Need = 1 << iota // exact lengths of tasks
	LinkLoads                     // how loaded the racks' links are
	KnownShuffle                  // how much data the maps of a job will make
	Forecasts                     // what recurring jobs will come, see Planner
	KnownLabels                   // on which class of machines a job ends first
	Trained                       // a classifier that was trained before
)

var needNames = []string{"exact task lengths", "the load of the racks' links", "shuffle sizes of jobs that have run before",
	"forecasts of recurring jobs", "the class of machines on which a job ends first", "a trained classifier"}

// Has reports whether n includes all of what.
func (n Need) Has(what Need) bool { return n&what == what }

// String lists the needs in words.
func (n Need) String() string {
	if s := listed(uint8(n), needNames); s != "" {
		return s
	}
	return "nothing beyond what a resource manager sees"
}

// Can is something that a policy decides, from which a live driver knows what it can carry out.
type Can uint8

// The abilities.
const (
	CanRank Can = 1 << iota // the order of jobs
	CanPlace
	CanPartition
	CanAdmit
	CanPlaceData
	CanSlowStart   // when the reduces of a job may start
	CanGateShuffle // when the reduces of a job may fetch from other racks
)

var canNames = []string{"rank jobs", "place tasks", "partition nodes", "admit jobs", "place data", "say when reduces may start", "say when reduces may fetch"}

// String lists the abilities in words.
func (c Can) String() string { return listed(uint8(c), canNames) }

// listed names the bits that are set.
func listed(set uint8, names []string) string {
	s := ""
	for i, name := range names {
		if set>>i&1 != 0 {
			if s != "" {
				s += ", "
			}
			s += name
		}
	}
	return s
}

// Promise is a property that the conformance suite holds a policy to.
type Promise uint8

// The promises.
const (
	WorkConserving Promise = 1 << iota // room is never idle while an eligible task fits
	StarvationFree                     // every admitted job ends while others of its priority keep coming, where tasks take equal room
)

// Rule is one rule of a policy with the source that states it.
type Rule struct{ Text, Source string }

// Entry is one line of the table of policies: everything that help, docs, scenario validation and
// the conformance suite need to know.
type Entry struct {
	Name     string
	Summary  string
	Source   string // paper and section
	Rules    []Rule
	Needs    Need
	Can      Can
	Promises Promise

	// Params returns a pointer to the policy's parameters at their defaults, a struct with the tags
	// of the package strict; nil if it has none. If the type has a method
	// Validate() []model.Problem, it is called after decoding.
	Params func() any

	// New builds the policy. params is what Params returned, after decoding and validation.
	New func(env *Env, params any) (Policy, error)
}

// Validator is implemented by parameters that can be wrong in ways their types cannot express.
type Validator interface {
	Validate() []model.Problem
}

// SiteValidator is implemented by parameters that may suit one cluster and workload and not another.
type SiteValidator interface {
	ValidateOn(t *model.Topology, jobs []model.Job) []model.Problem
}

// Narrower is implemented by parameters that hold jobs to few tasks at a time although there is room.
type Narrower interface {
	// NoGoalTasks returns how many tasks of one kind a job without a goal may run at a time; 0 means no limit but room.
	NoGoalTasks() int32
}

// ReplicaValidator is implemented by parameters that need a number of replicas of each block.
type ReplicaValidator interface {
	ValidateReplicas(t *model.Topology, replicas int) []model.Problem
}

// Divider is implemented by parameters that divide the cluster among queues.
type Divider interface {
	// NodeParts returns the part of each node, counted from 0; nil if parts are not made of nodes.
	NodeParts(t *model.Topology) []int
}

// Needer is implemented by parameters that make a policy need more than its entry declares.
type Needer interface {
	Needs() Need
}

// NeedsWith returns what the policy needs to be told when it has these parameters.
func (e *Entry) NeedsWith(params any) Need {
	if n, ok := params.(Needer); ok {
		return e.Needs | n.Needs()
	}
	return e.Needs
}

// QueueValidator is implemented by parameters that must know the queues of the jobs. It returns the
// faults if jobs name these queues.
type QueueValidator interface {
	ValidateQueues(named []string) []model.Problem
}

// Registry is a table of policies.
type Registry = table.Table[Entry]

var _ table.Entry = Entry{}

// Key implements table.Entry.
func (e Entry) Key() string { return e.Name }

// Defaults implements table.Entry.
func (e Entry) Defaults() any {
	if e.Params == nil {
		return nil
	}
	return e.Params()
}
