// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

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
func (p *Queues) Settings(q *Queue) Settings {
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

// Limits derives the limits of a queue on a cluster with the given room in each pool, on which that many jobs may be
// initialised at a time. Percentages of room are truncated; a maximum that truncates to nothing counts as none.
func (p *Queues) Limits(q *Queue, room [model.Kinds]int64, systemJobs int) Limits {
	l := Limits{Settings: p.Settings(q)}
	for pool, n := range room {
		l.Capacity[pool] = int64(float32(q.Capacity) * float32(n) / 100)
		if q.MaximumCapacity > 0 {
			l.Maximum[pool] = int64(float32(q.MaximumCapacity) * float32(n) / 100)
		}
	}
	jobs := float64(systemJobs) * q.Capacity / 100
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
