// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/policy/planned"
)

// Role is one of the parts that a policy is made of: a line in a Table.
type Role struct {
	Name    string
	Summary string
	Source  string // paper and section
	Needs   policy.Need
	Can     policy.Can

	// Promises is what a policy with this order keeps if nothing else stands in the way; of any other
	// role, what it does not stand in the way of.
	Promises policy.Promise

	// Orders are those that the role goes with, any if there are none. Why says why not with others, after
	// "NAME with the order OTHER, ".
	Orders []string
	Why    string

	// Params returns a pointer to the parameters at their defaults, as that of policy.Entry does; nil if
	// the role has none.
	Params func() any

	add func(a *assembly, params any) error
}

// Table lists what can play one of the five roles.
type Table struct {
	Role    string // its name in a scenario
	Summary string
	Default string // what plays it if a combination does not say; empty if it must
	table.Table[Role]
}

// Tables are the five roles in the order in which a combination is written.
var Tables = [...]Table{
	{"order", "Which job is served next.", "",
		table.Table[Role]{fifoOrder(), fairOrder(), srptOrder(), sptpOrder(), edfOrder(), deadlineMinOrder(), deadlineMaxOrder(), fbqOrder(), sitaOrder(), compOrder(), capacityOrder(), corralOrder(), jobPackerOrder(), hybridOrder()}},
	{"place", "Which of its tasks suits a node, or none.", "local", table.Table[Role]{localPlace(), delayPlace(), chancesPlace(), shuffleWatcherPlace(), nasPlace(), plannedPlace()}},
	{"partition", "Which nodes a job may use.", "whole", table.Table[Role]{wholePartition(), partsPartition()}},
	{"admit", "Which submitted job may start.", "all", table.Table[Role]{allAdmission(), capacityAdmission()}},
	{"data", "Where blocks of input files are put.", "default", table.Table[Role]{defaultData(), plannedData(), byClassData()}},
}

var _ table.Entry = Role{}

// Key implements table.Entry.
func (r Role) Key() string { return r.Name }

// Defaults implements table.Entry.
func (r Role) Defaults() any {
	if r.Params == nil {
		return nil
	}
	return r.Params()
}

// assembly is a policy that is being put together: partition, order, place, admission, data.
type assembly struct {
	kit.Roles
	env   *policy.Env
	from  *Combination
	parts *kit.Parts       // of the partition, nil for the whole cluster
	book  *hadoop1.Book    // of the order capacity
	plans []*planned.Order // of the orders corral and jobpacker, and of hybrid with such ones inside
}

// mapRacks returns what tells the racks that were planned for the maps of a job, nil if nothing plans.
func (a *assembly) mapRacks() func(model.JobID) []model.RackID {
	if len(a.plans) == 0 {
		return nil
	}
	return func(job model.JobID) []model.RackID {
		for _, plan := range a.plans {
			if racks := plan.MapRacks(job); len(racks) > 0 {
				return racks
			}
		}
		return nil
	}
}

// anyPromise is that of a role that stands in the way of none.
const anyPromise = policy.WorkConserving | policy.StarvationFree

func localPlace() Role {
	return Role{
		Name:     "local",
		Summary:  "The map whose data is closest to the node, or the next reduce; never waits.",
		Source:   "slowdown-2015 §II",
		Can:      policy.CanPlace,
		Promises: anyPromise,
		add:      func(a *assembly, _ any) error { a.Place = kit.NewGreedyLocal(a.env); return nil },
	}
}

func chancesPlace() Role {
	return Role{
		Name:     "chances",
		Summary:  "Maps on the node and in the rack count as equally local; a job waits for a number of chances before it reads from another rack.",
		Source:   "capacity-2013 §6.1.1",
		Can:      policy.CanPlace,
		Promises: policy.StarvationFree,
		Params: func() any {
			p := kit.DefaultChancesParams()
			return &p
		},
		add: func(a *assembly, params any) error {
			a.Place = kit.NewChances(a.env, *params.(*kit.ChancesParams))
			return nil
		},
	}
}

func wholePartition() Role {
	return Role{
		Name:     "whole",
		Summary:  "Every job may use the whole cluster.",
		Source:   "slowdown-2015 §IV-A",
		Promises: anyPromise,
		add:      func(*assembly, any) error { return nil },
	}
}

func allAdmission() Role {
	return Role{
		Name:     "all",
		Summary:  "Every job may start as soon as it is submitted.",
		Source:   "slowdown-2015 §II",
		Promises: anyPromise,
		add:      func(*assembly, any) error { return nil },
	}
}

func defaultData() Role {
	return Role{
		Name:     "default",
		Summary:  "HDFS's placement: one replica in one rack, two in another.",
		Source:   "Hadoop",
		Promises: anyPromise,
		add:      func(*assembly, any) error { return nil },
	}
}
