// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// Kind is which scheduler a ResourceManager has.
type Kind string

// The kinds.
const (
	Capacity Kind = "capacityScheduler"
	Fair     Kind = "fairScheduler"
	FIFO     Kind = "fifoScheduler"
)

// Scheduler is the state of the scheduler.
type Scheduler struct {
	Kind Kind
	Root *Queue // nil with FIFO
}

// Queue is a queue of the Capacity or the Fair Scheduler. A field that the other one has alone is zero.
type Queue struct {
	Path     string // full, as root.prod
	Children []*Queue

	Capacity, MaxCapacity   float64 // percent of the parent
	Absolute, MaxAbsolute   float64 // percent of the cluster
	State                   string
	Order                   string // of its applications: fifo, fair, …
	Label                   []string
	Used, Guaranteed, Limit Resource
	Containers              int
	PendingContainers       int
	ActiveApps              int // their masters are launched or about to be
	PendingApps             int // accepted and not activated
	UserLimit               float64
	UserLimitFactor         float64
	Users                   []User

	AMShare     float64 // the share that masters may take, as the scheduler applies it
	AMLimit     Resource
	AMUsed      Resource
	UserAMLimit Resource
}

// User is what one user has in a leaf queue.
type User struct {
	Name        string   `json:"username"`
	Used        Resource `json:"resourcesUsed"`
	AMUsed      Resource `json:"AMResourceUsed"`
	Limit       Resource `json:"userResourceLimit"`
	ActiveApps  int      `json:"numActiveApplications"`
	PendingApps int      `json:"numPendingApplications"`
	Active      bool     `json:"isActive"`
}

// Leaf reports whether applications can be in the queue itself.
func (q *Queue) Leaf() bool { return len(q.Children) == 0 }

// All yields the queue and all below it, parents first, siblings by path.
func (q *Queue) All() iter.Seq[*Queue] {
	return func(yield func(*Queue) bool) { q.walk(yield) }
}

func (q *Queue) walk(yield func(*Queue) bool) bool {
	if q == nil {
		return true
	}
	if !yield(q) {
		return false
	}
	for _, c := range q.Children {
		if !c.walk(yield) {
			return false
		}
	}
	return true
}

// Find returns the queue of a full path, nil if there is none.
func (q *Queue) Find(path string) *Queue {
	for x := range q.All() {
		if x.Path == path {
			return x
		}
	}
	return nil
}

// Scheduler returns the scheduler's state.
func (c *Client) Scheduler(ctx context.Context) (*Scheduler, error) {
	var out struct {
		Scheduler *struct{ SchedulerInfo json.RawMessage }
	}
	err := c.t.get(ctx, "/scheduler", &out)
	s, err := found(out.Scheduler, err, "scheduler")
	if err != nil {
		return nil, err
	}
	return readScheduler(s.SchedulerInfo)
}

func readScheduler(b []byte) (*Scheduler, error) {
	var head struct {
		Type      Kind
		RootQueue *fairQueue
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("the scheduler's state: %w", err)
	}
	s := &Scheduler{Kind: head.Type}
	switch head.Type {
	case Capacity:
		var root capacityQueue
		if err := json.Unmarshal(b, &root); err != nil {
			return nil, fmt.Errorf("the scheduler's state: %w", err)
		}
		s.Root = root.queue()
	case Fair:
		if head.RootQueue != nil {
			s.Root = head.RootQueue.queue()
		}
	case FIFO:
	default:
		return nil, fmt.Errorf("scheduler of type %q; allowed: %s, %s, %s", head.Type, Capacity, Fair, FIFO)
	}
	if s.Root == nil && s.Kind != FIFO {
		return nil, fmt.Errorf("a %s without a root queue", s.Kind)
	}
	return s, nil
}

// capacityQueue is a queue as the Capacity Scheduler shows it.
type capacityQueue struct {
	QueuePath, QueueName            string
	Capacity, MaxCapacity           float64
	AbsoluteCapacity                float64
	AbsoluteMaxCapacity             float64
	State                           string
	OrderingPolicyInfo              string
	NodeLabels                      list[string]
	ResourcesUsed                   Resource
	MinEffectiveCapacity            Resource
	MaxEffectiveCapacity            Resource
	AllocatedContainers             int
	PendingContainers               int
	NumActiveApplications           int
	NumPendingApplications          int
	UserLimit, UserLimitFactor      float64
	Users                           *struct{ User list[User] }
	ConfiguredMaxAMResourceLimit    float64
	AMResourceLimit, UsedAMResource Resource
	UserAMResourceLimit             Resource
	Queues                          *struct{ Queue list[*capacityQueue] }
}

func (w *capacityQueue) queue() *Queue {
	q := &Queue{
		Path: cmp.Or(w.QueuePath, w.QueueName), State: w.State, Order: w.OrderingPolicyInfo, Label: w.NodeLabels,
		Capacity: w.Capacity, MaxCapacity: w.MaxCapacity, Absolute: w.AbsoluteCapacity, MaxAbsolute: w.AbsoluteMaxCapacity,
		Used: w.ResourcesUsed, Guaranteed: w.MinEffectiveCapacity, Limit: w.MaxEffectiveCapacity,
		Containers: w.AllocatedContainers, PendingContainers: w.PendingContainers,
		ActiveApps: w.NumActiveApplications, PendingApps: w.NumPendingApplications,
		UserLimit: w.UserLimit, UserLimitFactor: w.UserLimitFactor,
		AMShare: w.ConfiguredMaxAMResourceLimit, AMLimit: w.AMResourceLimit, AMUsed: w.UsedAMResource, UserAMLimit: w.UserAMResourceLimit,
	}
	if w.Users != nil {
		q.Users = w.Users.User
		slices.SortFunc(q.Users, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	}
	if w.Queues != nil {
		for _, c := range w.Queues.Queue {
			q.Children = append(q.Children, c.queue())
		}
		sortQueues(q.Children)
	}
	return q
}

// fairQueue is a queue as the Fair Scheduler shows it.
type fairQueue struct {
	QueueName                         string
	SchedulingPolicy                  string
	UsedResources, FairResources      Resource
	SteadyFairResources, MaxResources Resource
	AMUsedResources, AMMaxResources   Resource
	AllocatedContainers               int
	PendingContainers                 int
	NumActiveApps, NumPendingApps     int
	ChildQueues                       *struct{ Queue list[*fairQueue] }
}

func (w *fairQueue) queue() *Queue {
	q := &Queue{
		Path: w.QueueName, State: "RUNNING", Order: w.SchedulingPolicy,
		Used: w.UsedResources, Guaranteed: w.SteadyFairResources, Limit: w.MaxResources,
		Containers: w.AllocatedContainers, PendingContainers: w.PendingContainers,
		ActiveApps: w.NumActiveApps, PendingApps: w.NumPendingApps,
		AMLimit: w.AMMaxResources, AMUsed: w.AMUsedResources,
	}
	if f := w.FairResources.Memory; f > 0 {
		q.AMShare = share(w.AMMaxResources.Memory, f)
	}
	if w.ChildQueues != nil {
		for _, c := range w.ChildQueues.Queue {
			q.Children = append(q.Children, c.queue())
		}
		sortQueues(q.Children)
	}
	return q
}

func share(part, whole model.Bytes) float64 { return float64(part) / float64(whole) }

func sortQueues(queues []*Queue) {
	slices.SortFunc(queues, func(a, b *Queue) int { return strings.Compare(a.Path, b.Path) })
}

func sortApps(apps []App) {
	slices.SortFunc(apps, func(a, b App) int { return cmp.Or(cmp.Compare(a.Started, b.Started), strings.Compare(a.ID, b.ID)) })
}
