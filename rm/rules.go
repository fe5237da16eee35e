// SPDX-License-Identifier: Apache-2.0

package rm

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// Rules is the section yarn of a scenario: YARN with application masters. Each job has one: a container that is started before its
// tasks and ends some time after them. The AM share bounds how much of a queue's room all of them take,
// and so how many jobs run at a time. It needs room: yarn.
type Rules struct {
	MinMemory model.Bytes `yaml:"minimum-memory" min:"1MiB" doc:"Least memory of a container (yarn.scheduler.minimum-allocation-mb); masters are rounded up to multiples of it."`
	Increment model.Bytes `yaml:"memory-increment" min:"1MiB" doc:"Memory of a container is rounded up to multiples of it (yarn.scheduler.increment-allocation-mb)."`
	MinVCores int32       `yaml:"minimum-vcores" min:"0" doc:"Least vcores of a container."`

	AMMemory model.Bytes `yaml:"am-memory" min:"1MiB" doc:"Memory that an application master asks for (yarn.app.mapreduce.am.resource.mb)."`
	AMVCores int32       `yaml:"am-vcores" min:"0" doc:"Vcores that an application master asks for."`
	AMStart  model.Time  `yaml:"am-start-up" min:"0" doc:"Time from a master's container to its first request for a task: process start, registration, job set-up; what it computes meanwhile can be told apart as am-start-cpu."`
	AMCPU    model.Time  `yaml:"am-start-cpu" min:"0" doc:"Time of a core of the reference machine, one of speed 1, that launching a master takes before start-up: loading classes, compiling. Masters and tasks that start together slow each other down."`
	AMStay   model.Time  `yaml:"am-stay" min:"0" doc:"How long a master keeps its container after the job has ended."`

	Share   model.Fraction `yaml:"am-share" above:"0" max:"1" doc:"AM share: how much of a queue's memory masters may take together (maxAMShare, maximum-am-resource-percent). A tuner overrides it."`
	Formula string         `yaml:"am-share-formula" oneof:"fair-2.7.5,fair,capacity" doc:"Whose rule turns the share into a limit: the Fair Scheduler of Hadoop 2.7.5 (cut to whole MB, memory alone), that of today (rounded up, vcores too), or the Capacity Scheduler (rounded up to the least container, at least one master)."`

	tune.Reload `yaml:",inline"`
	Tuner       tune.Choice `yaml:"tuner,omitempty" doc:"Who changes the AM share while jobs run; nobody if left out."`

	SystemShare model.Fraction `yaml:"system-share" min:"0" max:"1" doc:"How much of the time that cores work is the kernel's: for the picture of the hosts alone."`
	IOThreads   float64        `yaml:"io-threads" min:"0" doc:"Threads of a host's kernel that wait for its disk while it is busy, beside the tasks."`
	Sample      model.Time     `yaml:"sample" min:"100ms" doc:"How often hosts are looked at for the results."`
}

// The formulas of the AM share.
const (
	Fair275  = "fair-2.7.5"
	FairNow  = "fair"
	Capacity = "capacity"
)

// SetDefaults fills what a scenario leaves out: Hadoop's defaults. A master needs seconds to start; Hadoop
// has no constant for that.
func (y *Rules) SetDefaults() {
	*y = Rules{MinMemory: model.GiB, Increment: model.GiB, MinVCores: 1,
		AMMemory: 1536 * model.MiB, AMVCores: 1, AMStart: 5 * model.Second, AMStay: 5 * model.Second,
		Share: 0.5, Formula: FairNow, Reload: tune.FairReload(),
		SystemShare: 0.1, IOThreads: 2, Sample: model.Second}
}

func roundUp(n, step int64) int64 { return (n + step - 1) / step * step }

// Round returns what a container gets that asks for the room.
func (y *Rules) Round(ask model.Room) model.Room {
	least, step := int64(y.MinMemory/model.MiB), int64(y.Increment/model.MiB)
	return model.Room{int32(roundUp(max(int64(ask[0]), least), step)), max(ask[1], y.MinVCores)}
}

// Master returns the room of an application master. Its request is rounded twice: to multiples of the
// least container when it is submitted, then like any other.
func (y *Rules) Master() model.Room {
	memory := roundUp(int64((y.AMMemory+model.MiB-1)/model.MiB), int64(y.MinMemory/model.MiB))
	return y.Round(model.Room{int32(memory), y.AMVCores})
}

// RoundJobs rounds what the tasks of all jobs ask for.
func (y *Rules) RoundJobs(jobs []model.Job) {
	for i := range jobs {
		for k := range jobs[i].Need {
			jobs[i].Need[k] = y.Round(jobs[i].Need[k])
		}
	}
}

// noLimit stands for a dimension that is not limited.
const noLimit = math.MaxInt64

// limit returns how much the masters of a queue may take together, by dimension, under a share. fair is
// the queue's fair share of the cluster, reach all that it could use now, free what nobody uses.
//
// Shares are 32-bit numbers in YARN. The Fair Scheduler takes -1 for no limit and more than 1 for 1.
func (y *Rules) limit(share float64, fair, reach, free [model.Dims]int64) [model.Dims]int64 {
	share = float64(float32(share))
	if y.Formula == Capacity {
		usable := max(fair[0], reach[0])
		limit := int64(math.Floor(float64(usable)*share + 0.5))
		return [model.Dims]int64{roundUp(max(limit, 0), int64(y.MinMemory/model.MiB)), noLimit}
	}
	if math.Abs(share+1) < 1e-4 {
		return [model.Dims]int64{noLimit, noLimit}
	}
	share = min(share, 1)
	if y.Formula == Fair275 {
		return [model.Dims]int64{int64(float64(fair[0]) * share), noLimit}
	}
	// Under the policy fair, shares of vcores are 0, for which the Fair Scheduler takes what is free.
	return [model.Dims]int64{int64(math.Ceil(float64(fair[0]) * share)), int64(math.Ceil(float64(free[1]) * share))}
}

// Validate returns the faults of the section on a cluster: no room for a single master above all.
func (y *Rules) Validate(t *model.Topology) (problems []model.Problem) {
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	am := y.Master()
	if !t.FitsSome(am) {
		bad("am-memory", "an application master that needs "+t.Model.Describe(am), "one that fits at least one node: "+t.DescribeClasses())
		return problems
	}
	if y.Tuner.Name == "" && !y.HoldsOne(float64(y.Share), t) {
		bad("am-share", fmt.Sprintf("%s, under which no application master of %s can ever start", y.Share, t.Model.Describe(am)),
			fmt.Sprintf("at least %.3f on this cluster of %d MiB", Least(func(share float64) bool { return y.HoldsOne(share, t) }), t.Total()[0]))
	}
	return problems
}

// HoldsOne reports whether one master fits under the share in a cluster with a single queue.
func (y *Rules) HoldsOne(share float64, t *model.Topology) bool {
	total, am := t.Total(), y.Master()
	limit := y.limit(share, total, total, total)
	return y.Formula == Capacity || int64(am[0]) <= limit[0] && int64(am[1]) <= limit[1]
}

// MasterMemory returns what a master takes, in MiB.
func (y *Rules) MasterMemory() int64 { return int64(y.Master()[0]) }

// Least returns the smallest share of three decimals that will do, 1 at most.
func Least(does func(share float64) bool) float64 {
	for n := 1; n < 1000; n++ {
		if share := float64(n) / 1000; does(share) {
			return share
		}
	}
	return 1
}
