// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/tune"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Fair is a cluster of Hadoop 2.7.5 under its Fair Scheduler as a scenario describes it, with a single queue. In one queue that
// scheduler decides as the Capacity Scheduler does in a leaf with fair order that has no user limits, waits for no locality and
// gives one container for each heartbeat. What differs is here: the limit on masters, nodes that report ended containers at
// once, and a changed share that acts when the allocation file is read again.
//
// Left out: reservations, and the half second until the scheduler has worked out the share of a queue that was empty.
type Fair struct {
	Hosting     `yaml:",inline"`
	Share       float64 `yaml:"max-am-share" min:"-1" max:"1" doc:"How much of the memory masters may take together (maxAMShare); -1 is all of it. A tuner overrides it."`
	tune.Reload `yaml:",inline"`
}

// DefaultFair returns Hadoop's defaults.
func DefaultFair() Fair {
	return Fair{Hosting: defaultHosting(), Share: 0.5, Reload: tune.FairReload()}
}

// Validate implements the check of parameters.
func (f *Fair) Validate() []model.Problem {
	r := reader{Properties: f.Properties}
	r.all()
	f.read(&r)
	return r.problems
}

// Settings returns the settings of the scheduler.
func (f *Fair) Settings() *settings.Scheduler {
	return f.read(&reader{Properties: f.Properties})
}

func (f *Fair) read(r *reader) *settings.Scheduler {
	all := queue.All(queue.Percent, 100)
	least := r.number("yarn.scheduler.minimum-allocation-mb", 1024, 1)
	if step := "yarn.scheduler.increment-allocation-mb"; r.number(step, least, 1) != least {
		r.bad(step, fmt.Sprintf("%d, the smallest container", least))
	}
	return &settings.Scheduler{
		Queues: []settings.Queue{
			{Path: "root", Parent: -1, Capacity: all, Maximum: all, Parallel: math.MaxInt32},
			{Path: "root.default", Parent: 0, Capacity: all, Maximum: all, Parallel: math.MaxInt32, Leaf: true, MaxApps: math.MaxInt32,
				Users: queue.UserRules{Percent: 100, Factor: queue.Unbounded}, MasterShare: float32(f.Share), FairMasters: true, Fair: true},
		},
		Calculator: queue.Dominant{},
		MinAlloc:   queue.Resource{Memory: int64(least), VCores: int64(r.number("yarn.scheduler.minimum-allocation-vcores", 1, 0))},
		MaxAlloc: queue.Resource{Memory: int64(r.number("yarn.scheduler.maximum-allocation-mb", 8192, 1)),
			VCores: int64(r.number("yarn.scheduler.maximum-allocation-vcores", 32, 1))},
		NodeDelay: -1, RackDelay: 0, OffSwitch: math.MaxInt32,
		Multiple:  r.Bool("yarn.scheduler.fair.assignmultiple", false),
		MaxAssign: r.number("yarn.scheduler.fair.max.assign", -1, -1),
		MaxApps:   math.MaxInt32, UserParallel: math.MaxInt32,
		MaxAttempts: r.number("yarn.resourcemanager.am.max-attempts", 2, 1),
	}
}

// ValidateOn implements the check of parameters on a cluster and its jobs.
func (f *Fair) ValidateOn(t *model.Topology, jobs []model.Job) (problems []model.Problem) {
	if t.Model != model.Yarn {
		return []model.Problem{{Found: "a cluster without memory and vcores", Allowed: "cluster.room: yarn"}}
	}
	settings, master := f.Settings(), f.Hadoop().Master
	problems = Fits(settings, t, jobs, func(j *model.Job) queue.Resource { return MasterSize(j, master) })
	if len(jobs) > 0 && !f.HoldsOne(f.Share, t) {
		problems = append(problems, model.Problem{Path: "max-am-share", Found: fmt.Sprintf("%g, under which no application master of %d MiB can ever start", f.Share, f.MasterMemory()),
			Allowed: fmt.Sprintf("a share of the cluster's %d MiB that holds one", t.Total()[0])})
	}
	return problems
}

// MasterMemory returns what a master takes whose job does not say it, in MiB.
func (f *Fair) MasterMemory() int64 {
	step := f.Settings().MinAlloc
	return queue.Memory{}.Up(f.Hadoop().Master.Most(step), 1, step).Memory
}

// HoldsOne reports whether a share holds such a master.
func (f *Fair) HoldsOne(share float64, t *model.Topology) bool {
	return f.MasterMemory() <= queue.FairMasterLimit(float32(share), queue.Resource{Memory: t.Total()[0]}).Memory
}
