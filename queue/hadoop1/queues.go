// SPDX-License-Identifier: Apache-2.0

// Package hadoop1 has the queues of the Capacity Scheduler of Hadoop 1 as settings, and the limits that the release
// derives from them as arithmetic.
package hadoop1

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// Queues are the settings of the queues. A setting of a queue that is left out is the default-...
// of the same name.
type Queues struct {
	Rules  string  `yaml:"rules" oneof:"release,thesis" doc:"Whose rules decide: those of release 0.20.203, or those of the simulator of capacity-2013, where limits are read as 'less than', reduces are bound by no limit, and the queue with the most tasks to start over its capacity comes first."`
	Queues []Queue `yaml:"queues,omitempty" doc:"The queues in their first order. Without any, the queues that the jobs name share the cluster equally."`

	BindReduces bool `yaml:"bind-reduces,omitempty" doc:"With the rules of the thesis, whether the user limit binds reduces as well: its text names no exception (§3.3.2), its tables suggest one."`

	LendEmpty bool `yaml:"lend-empty,omitempty" doc:"Whether the maximum-capacity of a queue grows by the capacity of every other queue while that has no jobs (capacity-2013 §7.3.2 proposes it)."`

	DefaultSupportsPriority         bool    `yaml:"default-supports-priority" doc:"supports-priority of queues that leave it out."`
	DefaultMinimumUserLimitPercent  int     `yaml:"default-minimum-user-limit-percent" min:"1" max:"100" doc:"minimum-user-limit-percent of queues that leave it out."`
	DefaultUserLimitFactor          float64 `yaml:"default-user-limit-factor" doc:"user-limit-factor of queues that leave it out."`
	DefaultMaximumActiveTasks       int     `yaml:"default-maximum-active-tasks-per-queue" doc:"maximum-initialized-active-tasks of queues that leave it out."`
	DefaultMaximumActiveTasksOfUser int     `yaml:"default-maximum-active-tasks-per-user" doc:"maximum-initialized-active-tasks-per-user of queues that leave it out."`
	DefaultInitAcceptJobsFactor     int     `yaml:"default-init-accept-jobs-factor" min:"1" doc:"init-accept-jobs-factor of queues that leave it out."`
}

// Queue is one queue. Settings that are nil have the default of Queues.
type Queue struct {
	Name                            string   `yaml:"name" required:"true" doc:"Name of the queue; jobs say which one they belong to."`
	Capacity                        float64  `yaml:"capacity" required:"true" doc:"Share of the cluster that the queue is guaranteed, in percent."`
	MaximumCapacity                 float64  `yaml:"maximum-capacity" doc:"The most that it may use, in percent; 0 or less means no limit."`
	SupportsPriority                *bool    `yaml:"supports-priority,omitempty" doc:"Whether jobs are ordered by priority before time of submission."`
	MinimumUserLimitPercent         *int     `yaml:"minimum-user-limit-percent,omitempty" doc:"Share of the queue that each user gets at least, if that many want it, in percent."`
	UserLimitFactor                 *float64 `yaml:"user-limit-factor,omitempty" doc:"Multiple of the queue's capacity that one user may use."`
	MaximumInitializedActiveTasks   *int     `yaml:"maximum-initialized-active-tasks,omitempty" doc:"Tasks that the initialised jobs of the queue may have."`
	MaximumInitializedActiveTasksOf *int     `yaml:"maximum-initialized-active-tasks-per-user,omitempty" doc:"Tasks that the initialised jobs of one user in the queue may have."`
	InitAcceptJobsFactor            *int     `yaml:"init-accept-jobs-factor,omitempty" doc:"How many times as many jobs are accepted as may be initialised."`
}

// SetDefaults sets what a new queue starts from: no maximum.
func (q *Queue) SetDefaults() { *q = Queue{MaximumCapacity: -1} }

// Validate returns what the release itself refuses when it starts, all at once.
func (p *Queues) Validate() (problems []model.Problem) {
	seen := map[string]bool{}
	sum := float32(0)
	for i := range p.Queues {
		q := &p.Queues[i]
		bad := func(field, found, allowed string) {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("queues[%d].%s", i, field), Found: found, Allowed: allowed})
		}
		if q.Name == "" || seen[q.Name] {
			bad("name", fmt.Sprintf("%q again", q.Name), "a name of its own for every queue")
		}
		seen[q.Name] = true
		q.validate(p, bad)
		sum += float32(q.Capacity)
	}
	if len(p.Queues) > 0 && math.Floor(float64(sum)) != 100 {
		problems = append(problems, model.Problem{Path: "queues", Found: fmt.Sprintf("capacities of %g %% in all", sum),
			Allowed: "capacities whose sum is 100, rounded down"})
	}
	return problems
}

// ValidateQueues returns the queues that jobs name and that are not configured.
func (p *Queues) ValidateQueues(named []string) (problems []model.Problem) {
	names := make([]string, len(p.Queues))
	for i := range p.Queues {
		names[i] = p.Queues[i].Name
	}
	for _, queue := range named {
		if len(names) > 0 && !slices.Contains(names, queue) {
			problems = append(problems, model.Problem{Path: "queues", Found: fmt.Sprintf("a job in the queue %q", queue),
				Allowed: "jobs in the queues that are configured: " + strings.Join(names, ", ")})
		}
	}
	return problems
}

func (q *Queue) validate(p *Queues, bad func(field, found, allowed string)) {
	if !(q.Capacity >= 0 && q.Capacity <= 100) {
		bad("capacity", fmt.Sprint(q.Capacity), "0 to 100")
	}
	if m := q.MaximumCapacity; !(m <= 100) {
		bad("maximum-capacity", fmt.Sprint(m), "at most 100, or -1 for no limit")
	} else if m > 0 && m < q.Capacity {
		bad("maximum-capacity", fmt.Sprint(m), fmt.Sprintf("at least the capacity, %g, or -1 for no limit", q.Capacity))
	}
	s := p.Settings(q)
	if u := s.MinimumUserLimitPercent; u <= 0 || u > 100 {
		bad("minimum-user-limit-percent", fmt.Sprint(u), "1 to 100")
	}
	if s.InitAcceptJobsFactor <= 0 {
		bad("init-accept-jobs-factor", fmt.Sprint(s.InitAcceptJobsFactor), "at least 1")
	}
	if f := s.UserLimitFactor; math.IsNaN(f) || math.IsInf(f, 0) {
		bad("user-limit-factor", fmt.Sprint(f), "a number")
	}
	if s.MaximumActiveTasksOfUser > s.MaximumActiveTasks {
		bad("maximum-initialized-active-tasks-per-user", fmt.Sprint(s.MaximumActiveTasksOfUser),
			fmt.Sprintf("at most maximum-initialized-active-tasks, %d", s.MaximumActiveTasks))
	}
}
