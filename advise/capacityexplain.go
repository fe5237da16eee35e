// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/scenario"
)

// CapacityExplanation is what settings mean on a cluster.
type CapacityExplanation struct {
	Cluster string           `json:"cluster"`
	Pools   []string         `json:"pools"`
	Queues  []ExplainedQueue `json:"queues"`
	Users   []ExplainedUser  `json:"users,omitempty"`
	Start   string           `json:"start"` // how long a job waits before it may run
}

// ExplainedQueue is a queue with its effective limits. Lists have one entry per pool of room.
type ExplainedQueue struct {
	Name         string    `json:"name"`
	Percent      float64   `json:"capacity"`
	MaxPercent   float64   `json:"maximum-capacity"`
	Capacity     []int64   `json:"room"`
	Maximum      []int64   `json:"maximum"` // what the queue can reach: all room without a maximum
	Priorities   bool      `json:"supports-priority"`
	UserPercent  int       `json:"minimum-user-limit-percent"`
	UserFactor   float64   `json:"user-limit-factor"`
	UserLimits   [][]int64 `json:"user-limits"`   // with 1, 2, … users: one entry per pool
	JobsAccepted [2]int    `json:"jobs-accepted"` // of the queue, of a user
	JobsStarted  [2]int    `json:"jobs-initialised"`
	Tasks        [2]int    `json:"tasks-initialised"`
}

// ExplainedUser is a user of the workload.
type ExplainedUser struct {
	Queue   string  `json:"queue"`
	User    string  `json:"user"`
	Jobs    int     `json:"jobs"`
	Largest []int64 `json:"largest"` // room that all tasks of their largest job would take, by pool
	Alone   []int64 `json:"alone"`   // what they may hold if nobody else of the queue wants room
	Beside  []int64 `json:"beside"`  // and if all users of the queue do
}

// userCounts are the numbers of users for which limits are shown.
var userCounts = []int{1, 2, 3, 4, 5, 10, 20}

// ExplainCapacity works out the effective limits of a file on the scenario's cluster; with users, also
// those of the users of its workload.
func ExplainCapacity(s *scenario.Scenario, f *CapacityFile, users bool) (*CapacityExplanation, error) {
	if users {
		if _, err := CapacityChoices(s, []*CapacityFile{f}); err != nil {
			return nil, err
		}
	}
	e := &CapacityExplanation{Cluster: s.Facts()[0][1]}
	room := poolRoom(&s.Cluster)
	for pool := range pools(&s.Cluster) {
		e.Pools = append(e.Pools, unit(&s.Cluster, pool))
	}
	for i := range f.Config.Queues {
		q := &f.Config.Queues[i]
		l := limitsOf(&f.Config, q.Name, room)
		x := ExplainedQueue{Name: q.Name, Percent: q.Capacity, MaxPercent: q.MaximumCapacity, Priorities: q.SupportsPriority,
			UserPercent: q.MinimumUserLimitPercent, UserFactor: q.UserLimitFactor,
			JobsAccepted: [2]int{l.JobsToAccept, l.JobsOfUserToAccept}, JobsStarted: [2]int{l.JobsToInit, l.JobsOfUserToInit},
			Tasks: [2]int{l.MaximumActiveTasks, l.MaximumActiveTasksOfUser}}
		for pool := range e.Pools {
			x.Capacity = append(x.Capacity, l.Capacity[pool])
			x.Maximum = append(x.Maximum, reach(&l, pool, room[pool]))
		}
		for _, n := range userCounts {
			x.UserLimits = append(x.UserLimits, userLimits(&l, len(e.Pools), n, room))
		}
		e.Queues = append(e.Queues, x)
	}
	if users {
		e.users(s, f)
	}
	if f.Dialect == capacityxml.YARN {
		e.Start = "a job that no limit holds may run at once: YARN has no poller"
		return e, nil
	}
	interval := model.Time(f.Config.InitPollInterval) * model.Millisecond
	e.Start = fmt.Sprintf("a job that no limit holds may run 0 to %s after its submission: a poller and %s look every %s",
		2*interval, digits.Count(min(f.Config.InitWorkerThreads, len(f.Config.Queues)), "worker"), interval)
	return e, nil
}

func reach(l *hadoop1.Limits, pool int, room int64) int64 {
	if l.Maximum[pool] > 0 {
		return l.Maximum[pool]
	}
	return room
}

// userLimits returns what one of n users may hold of each pool while the queue is at its capacity.
func userLimits(l *hadoop1.Limits, pools, n int, room [model.Kinds]int64) (out []int64) {
	for pool := range pools {
		limit := l.UserLimit(pool, 1, l.Capacity[pool]-1, n) // the last slot of the capacity is to be given
		out = append(out, min(limit, reach(l, pool, room[pool])))
	}
	return out
}

func (e *CapacityExplanation) users(s *scenario.Scenario, f *CapacityFile) {
	jobs := s.Jobs(s.Seed)
	m, room := s.Cluster.RoomModel(), poolRoom(&s.Cluster)
	at := map[[2]string]int{}
	count := map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		key := [2]string{j.Queue, j.User}
		k, ok := at[key]
		if !ok {
			k = len(e.Users)
			at[key] = k
			count[j.Queue]++
			e.Users = append(e.Users, ExplainedUser{Queue: j.Queue, User: j.User, Largest: make([]int64, len(e.Pools))})
		}
		u := &e.Users[k]
		u.Jobs++
		for kind := range model.Kind(model.Kinds) {
			pool := m.Pool(kind)
			u.Largest[pool] = max(u.Largest[pool], int64(j.Tasks(kind))*int64(j.Need[kind][pool]))
		}
	}
	for i := range e.Users {
		u := &e.Users[i]
		l := limitsOf(&f.Config, u.Queue, room)
		u.Alone, u.Beside = userLimits(&l, len(e.Pools), 1, room), userLimits(&l, len(e.Pools), count[u.Queue], room)
	}
	slices.SortStableFunc(e.Users, func(a, b ExplainedUser) int {
		order := func(u *ExplainedUser) int {
			return slices.IndexFunc(e.Queues, func(q ExplainedQueue) bool { return q.Name == u.Queue })
		}
		return cmp.Or(cmp.Compare(order(&a), order(&b)), cmp.Compare(a.User, b.User))
	})
}

// QueueTable is capacity and maximum of every queue in slots.
func (e *CapacityExplanation) QueueTable() [][]string {
	head := []string{"queue", "capacity"}
	head = append(append(head, e.Pools...), "maximum")
	for _, p := range e.Pools {
		head = append(head, "most "+p)
	}
	rows := [][]string{append(head, "priorities", "user limit", "user factor")}
	for _, q := range e.Queues {
		row := []string{q.Name, fmt.Sprintf("%.4g %%", q.Percent)}
		for _, n := range q.Capacity {
			row = append(row, fmt.Sprint(n))
		}
		maximum := "none"
		if q.MaxPercent > 0 {
			maximum = fmt.Sprintf("%.4g %%", q.MaxPercent)
		}
		row = append(row, maximum)
		for _, n := range q.Maximum {
			row = append(row, fmt.Sprint(n))
		}
		priorities := "no"
		if q.Priorities {
			priorities = "yes"
		}
		rows = append(rows, append(row, priorities, fmt.Sprintf("%d %%", q.UserPercent), fmt.Sprintf("%.4g", q.UserFactor)))
	}
	return rows
}

// UserTable is the limit of a user by number of users.
func (e *CapacityExplanation) UserTable() [][]string {
	head := []string{"queue", "room"}
	for _, n := range userCounts {
		if n == 1 {
			head = append(head, "1 user")
			continue
		}
		head = append(head, fmt.Sprintf("%d users", n))
	}
	rows := [][]string{head}
	for _, q := range e.Queues {
		for pool, name := range e.Pools {
			row := []string{q.Name, name}
			if pool > 0 {
				row[0] = ""
			}
			for n := range userCounts {
				row = append(row, fmt.Sprint(q.UserLimits[n][pool]))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// JobTable is the limits on jobs.
func (e *CapacityExplanation) JobTable() [][]string {
	rows := [][]string{{"queue", "accepted", "of a user", "initialised at a time", "of a user", "tasks of these", "of a user"}}
	for _, q := range e.Queues {
		rows = append(rows, []string{q.Name, fmt.Sprint(q.JobsAccepted[0]), fmt.Sprint(q.JobsAccepted[1]), fmt.Sprint(q.JobsStarted[0]),
			fmt.Sprint(q.JobsStarted[1]), fmt.Sprint(q.Tasks[0]), fmt.Sprint(q.Tasks[1])})
	}
	return rows
}

// NamedTable is the limits of the users of the workload.
func (e *CapacityExplanation) NamedTable() [][]string {
	head := []string{"queue", "user", "jobs"}
	for _, p := range e.Pools {
		head = append(head, p+": largest job", "alone", "beside all others")
	}
	rows := [][]string{head}
	for _, u := range e.Users {
		row := []string{u.Queue, u.User, fmt.Sprint(u.Jobs)}
		for pool := range e.Pools {
			row = append(row, fmt.Sprint(u.Largest[pool]), fmt.Sprint(u.Alone[pool]), fmt.Sprint(u.Beside[pool]))
		}
		rows = append(rows, row)
	}
	return rows
}
