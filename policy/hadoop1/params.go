// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// Params are the settings of the Capacity Scheduler of Hadoop 1 (release 0.20.203) under the
// names that capacity-scheduler.xml has for them, without the prefix mapred.capacity-scheduler.
type Params struct {
	QueueSet          `yaml:",inline"`
	Init              `yaml:",inline"`
	Beat              `yaml:",inline"`
	kit.ChancesParams `yaml:",inline"`
}

// QueueSet are the settings of the queues. A setting of a queue that is left out is the default-...
// of the same name.
type QueueSet struct {
	Rules  string  `yaml:"rules" oneof:"release,thesis" doc:"Whose rules decide: those of release 0.20.203, or those of the simulator of capacity-2013, where limits are read as 'less than', a queue's maximum does not hold reduces, the queue with the most tasks to start over its capacity comes first, and the poller initialises jobs itself."`
	Queues []Queue `yaml:"queues,omitempty" doc:"The queues in their first order. Without any, the queues that the jobs name share the cluster equally."`

	FreeReduces bool `yaml:"free-reduces,omitempty" doc:"With the rules of the thesis, whether the user limit leaves reduces free. Its text names no such exception (§3.3.2)."`

	LendEmpty bool `yaml:"lend-empty,omitempty" doc:"Whether the maximum-capacity of a queue grows by the capacity of every other queue while that has no jobs (capacity-2013 §7.3.2 proposes it)."`

	DefaultSupportsPriority         bool    `yaml:"default-supports-priority" doc:"supports-priority of queues that leave it out."`
	DefaultMinimumUserLimitPercent  int     `yaml:"default-minimum-user-limit-percent" min:"1" max:"100" doc:"minimum-user-limit-percent of queues that leave it out."`
	DefaultUserLimitFactor          float64 `yaml:"default-user-limit-factor" doc:"user-limit-factor of queues that leave it out."`
	DefaultMaximumActiveTasks       int     `yaml:"default-maximum-active-tasks-per-queue" doc:"maximum-initialized-active-tasks of queues that leave it out."`
	DefaultMaximumActiveTasksOfUser int     `yaml:"default-maximum-active-tasks-per-user" doc:"maximum-initialized-active-tasks-per-user of queues that leave it out."`
	DefaultInitAcceptJobsFactor     int     `yaml:"default-init-accept-jobs-factor" min:"1" doc:"init-accept-jobs-factor of queues that leave it out."`
}

// Init is how jobs are initialised.
type Init struct {
	MaximumSystemJobs int        `yaml:"maximum-system-jobs" min:"1" doc:"Jobs of all queues that may be initialised at a time; each queue has its capacity's share of them."`
	InitPollInterval  model.Time `yaml:"init-poll-interval" above:"0s" doc:"Time between two rounds of the poller that chooses jobs to initialise, and of the workers that initialise them."`
	InitWorkerThreads int        `yaml:"init-worker-threads" min:"1" doc:"Workers that initialise jobs; never more than there are queues."`
}

// Beat is what one heartbeat may be given.
type Beat struct {
	MaximumTasksPerHeartbeat   int `yaml:"maximum-tasks-per-heartbeat" doc:"Maps that one heartbeat may be given; at least one is."`
	MaximumTasksAfterOffswitch int `yaml:"maximum-tasks-after-offswitch" doc:"Maps that a heartbeat may be given after the first one that reads from another rack."`
}

// Queue is one queue. Settings that are nil have the default of QueueSet.
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

// DefaultParams returns the defaults of the release's code (the template file differs in
// maximum-system-jobs, 3000, and init-poll-interval, 5 s).
func DefaultParams() Params {
	return Params{
		QueueSet: QueueSet{Rules: "release", DefaultMinimumUserLimitPercent: 100, DefaultUserLimitFactor: 1,
			DefaultMaximumActiveTasks: 200000, DefaultMaximumActiveTasksOfUser: 100000, DefaultInitAcceptJobsFactor: 10},
		Init:          Init{MaximumSystemJobs: 5000, InitPollInterval: 3 * model.Second, InitWorkerThreads: 5},
		Beat:          Beat{MaximumTasksPerHeartbeat: math.MaxInt16},
		ChancesParams: kit.DefaultChancesParams(),
	}
}

// Validate returns what the release itself refuses when it starts, all at once.
func (p *QueueSet) Validate() (problems []model.Problem) {
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
func (p *QueueSet) ValidateQueues(named []string) (problems []model.Problem) {
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

func (q *Queue) validate(p *QueueSet, bad func(field, found, allowed string)) {
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

// Settings are the settings of one queue after the defaults have been filled in.
type Settings struct {
	SupportsPriority         bool
	MinimumUserLimitPercent  int
	UserLimitFactor          float64
	MaximumActiveTasks       int
	MaximumActiveTasksOfUser int
	InitAcceptJobsFactor     int
}

// Settings returns the settings of a queue.
func (p *QueueSet) Settings(q *Queue) Settings {
	return Settings{
		SupportsPriority:         or(q.SupportsPriority, p.DefaultSupportsPriority),
		MinimumUserLimitPercent:  or(q.MinimumUserLimitPercent, p.DefaultMinimumUserLimitPercent),
		UserLimitFactor:          or(q.UserLimitFactor, p.DefaultUserLimitFactor),
		MaximumActiveTasks:       or(q.MaximumInitializedActiveTasks, p.DefaultMaximumActiveTasks),
		MaximumActiveTasksOfUser: or(q.MaximumInitializedActiveTasksOf, p.DefaultMaximumActiveTasksOfUser),
		InitAcceptJobsFactor:     or(q.InitAcceptJobsFactor, p.DefaultInitAcceptJobsFactor),
	}
}

func or[T any](value *T, otherwise T) T {
	if value != nil {
		return *value
	}
	return otherwise
}

// Limits are the numbers that the release derives from the settings of a queue.
type Limits struct {
	Settings
	Capacity           [model.Kinds]int64 // guaranteed room, by pool
	Maximum            [model.Kinds]int64 // the most it may use, 0 for no limit
	JobsToInit         int                // jobs that may be initialised and not ended at a time
	JobsOfUserToInit   int
	JobsToAccept       int // jobs in the queue, waiting ones included
	JobsOfUserToAccept int
}

// Limits derives the limits of a queue on a cluster with the given room in each pool. Percentages of
// room are truncated; a maximum that truncates to nothing counts as none.
func (p *Params) Limits(q *Queue, room [model.Kinds]int64) Limits {
	l := Limits{Settings: p.Settings(q)}
	for pool, n := range room {
		l.Capacity[pool] = int64(float32(q.Capacity) * float32(n) / 100)
		if q.MaximumCapacity > 0 {
			l.Maximum[pool] = int64(float32(q.MaximumCapacity) * float32(n) / 100)
		}
	}
	jobs := float64(p.MaximumSystemJobs) * q.Capacity / 100
	l.JobsToInit = int(math.Ceil(jobs))
	l.JobsOfUserToInit = int(math.Ceil(jobs * float64(l.MinimumUserLimitPercent) / 100))
	l.JobsToAccept = l.JobsToInit * l.InitAcceptJobsFactor
	l.JobsOfUserToAccept = l.JobsOfUserToInit * l.InitAcceptJobsFactor
	return l
}

// UserLimit returns how much room of the pool one user may hold, if a task takes need, the queue
// holds occupied, and activeUsers have tasks to start.
func (l *Limits) UserLimit(pool int, need, occupied int64, activeUsers int) int64 {
	capacity := max(l.Capacity[pool], need)
	current := capacity
	if occupied >= capacity {
		current = occupied + need
	}
	users := int64(max(1, activeUsers))
	share := max((current+users-1)/users, (int64(l.MinimumUserLimitPercent)*current+99)/100)
	return min(share, int64(float64(capacity)*l.UserLimitFactor))
}
