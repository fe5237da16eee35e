// SPDX-License-Identifier: Apache-2.0

package yarnqueues

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Explanation is what the queues of a configuration mean on a cluster.
type Explanation struct {
	Cluster string  `json:"cluster"`
	Memory  int64   `json:"memory"` // MiB
	VCores  int64   `json:"vcores"`
	Master  int64   `json:"master"` // memory of a job's master, MiB
	Queues  []Queue `json:"queues"` // parents before children
	Users   []User  `json:"users,omitempty"`
}

// Queue is one queue of the tree. Amounts are memory in MiB.
type Queue struct {
	Path      string `json:"path"`
	Depth     int    `json:"depth"`
	Leaf      bool   `json:"leaf"`
	Capacity  string `json:"capacity"` // as configured
	Guarantee int64  `json:"guarantee"`
	Maximum   int64  `json:"maximum"`

	UserPercent Number  `json:"minimum-user-limit-percent,omitempty"`
	UserFactor  Number  `json:"user-limit-factor,omitempty"`
	MasterShare Number  `json:"maximum-am-resource-percent,omitempty"`
	Reach       []int64 `json:"reach,omitempty"`          // what one of 1, 2, 3 … users holds who want everything, while other queues are idle
	Masters     [2]int  `json:"jobs_at_a_time,omitempty"` // jobs that run at a time on the idle cluster: of one user, of many
}

// Number is a setting as the release reads it. JSON has null where that is NaN or infinite.
type Number float32

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float32(n))
}

// User is a user of the workload.
type User struct {
	Queue   string `json:"queue"`
	User    string `json:"user"`
	Jobs    int    `json:"jobs"`
	Largest int64  `json:"largest"` // what all tasks of their largest job would take
	Alone   int64  `json:"alone"`
	Beside  int64  `json:"beside"` // with all users of the queue
}

// UserCounts are the numbers of users for which Reach is worked out.
var UserCounts = []int{1, 2, 3, 5, 10}

// Explain asks the scheduler what the queues mean; with users, also what the users of the workload can reach.
func (s *Site) Explain(users bool) *Explanation {
	t := s.trial()
	tree := t.Tree()
	e := &Explanation{Cluster: s.Scenario.Facts()[0][1], Memory: tree.Cluster.Memory, VCores: tree.Cluster.VCores, Master: t.Normalize(s.master).Memory}
	size := s.container()
	for i := range tree.Queues {
		q, set := &tree.Queues[i], &s.Settings.Queues[i]
		x := Queue{Path: q.Path, Depth: strings.Count(q.Path, "."), Leaf: set.Leaf, Guarantee: q.Min.Memory, Maximum: q.Max.Memory,
			Capacity: s.of(q.Path, "capacity", "100")}
		if set.Leaf {
			x.UserPercent, x.UserFactor, x.MasterShare = Number(set.Users.Percent), Number(set.Users.Factor), Number(set.MasterShare)
			for _, n := range UserCounts {
				x.Reach = append(x.Reach, s.reach(q.Path, n, size).Memory)
			}
			x.Masters = [2]int{s.masters(q.Path, true, s.master), s.masters(q.Path, false, s.master)}
		}
		e.Queues = append(e.Queues, x)
	}
	if users {
		e.users(s, size)
	}
	return e
}

// container returns the size of a container to ask for: that of maps.
func (s *Site) container() queue.Resource {
	if need := handover.Resource(s.Scenario.Workload.Needs.Room(model.Yarn)[model.Map]); need.Memory > 0 {
		return need
	}
	return s.Settings.MinAlloc
}

func (e *Explanation) users(s *Site, size queue.Resource) {
	jobs := s.Scenario.Jobs(s.Scenario.Seed)
	at := map[[2]string]int{}
	count := map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		path := s.leafOf(j).Path
		k, ok := at[[2]string{path, j.User}]
		if !ok {
			k = len(e.Users)
			at[[2]string{path, j.User}] = k
			count[path]++
			e.Users = append(e.Users, User{Queue: path, User: j.User})
		}
		u := &e.Users[k]
		u.Jobs++
		whole := s.masterOf(j).Memory
		for kind, need := range j.Need {
			whole += int64(need[0]) * int64(j.Tasks(model.Kind(kind)))
		}
		u.Largest = max(u.Largest, whole)
	}
	reach := map[string][2]int64{}
	for i := range e.Users {
		u := &e.Users[i]
		r, ok := reach[u.Queue]
		if !ok {
			r = [2]int64{s.reach(u.Queue, 1, size).Memory, s.reach(u.Queue, count[u.Queue], size).Memory}
			reach[u.Queue] = r
		}
		u.Alone, u.Beside = r[0], r[1]
	}
}

// share writes an amount with its share of the cluster.
func (e *Explanation) share(memory int64) string {
	return fmt.Sprintf("%d (%.4g %%)", memory, 100*float64(memory)/float64(max(e.Memory, 1)))
}

// name writes a queue's name, set in by its depth.
func (q *Queue) name() string {
	return strings.Repeat("  ", q.Depth) + q.Path[strings.LastIndexByte(q.Path, '.')+1:]
}

// QueueTable is the tree with guarantees and maxima, in MiB.
func (e *Explanation) QueueTable() [][]string {
	rows := [][]string{{"queue", "capacity", "guarantee", "maximum", "user limit", "user factor", "masters"}}
	for i := range e.Queues {
		q := &e.Queues[i]
		row := []string{q.name(), q.Capacity, e.share(q.Guarantee), e.share(q.Maximum), "", "", ""}
		if q.Leaf {
			row[4], row[5], row[6] = fmt.Sprintf("%g %%", q.UserPercent), fmt.Sprintf("%g", q.UserFactor), fmt.Sprintf("%.4g %%", 100*q.MasterShare)
		}
		rows = append(rows, row)
	}
	return rows
}

// UserTable is what one user holds, by number of users who want everything.
func (e *Explanation) UserTable() [][]string {
	head := []string{"queue"}
	for _, n := range UserCounts {
		if n == 1 {
			head = append(head, "a lone user")
			continue
		}
		head = append(head, fmt.Sprintf("one of %d", n))
	}
	rows := [][]string{append(head, "jobs of one user at a time", "jobs of many users")}
	for i := range e.Queues {
		q := &e.Queues[i]
		if !q.Leaf {
			continue
		}
		row := []string{q.Path}
		for _, r := range q.Reach {
			row = append(row, e.share(r))
		}
		rows = append(rows, append(row, fmt.Sprint(q.Masters[0]), fmt.Sprint(q.Masters[1])))
	}
	return rows
}

// NamedTable is the users of the workload.
func (e *Explanation) NamedTable() [][]string {
	rows := [][]string{{"queue", "user", "jobs", "largest job", "alone", "beside all others"}}
	for _, u := range e.Users {
		rows = append(rows, []string{u.Queue, u.User, fmt.Sprint(u.Jobs), fmt.Sprint(u.Largest), e.share(u.Alone), e.share(u.Beside)})
	}
	return rows
}
