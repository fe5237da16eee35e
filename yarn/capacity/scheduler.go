// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Listener hears what a scheduler decides.
type Listener interface {
	// Started is called when a container is given.
	Started(c *Container)
	// Reserved is called when a node is kept for a container that it has no room for, and, with kept false, when that is given
	// up. A container that is given where it was reserved has the number of the reservation.
	Reserved(c *Container, kept bool)
	// Refused is called when a proposal did not pass the last check.
	Refused(p Proposal)
}

// Scheduler is the Capacity Scheduler. Use New.
type Scheduler struct {
	Places
	giver
	bounds  bounds
	largest queue.Resource // of all nodes, each component
}

// New returns a scheduler of a cluster without nodes.
func New(settings *settings.Scheduler, listener Listener) *Scheduler {
	s := &Scheduler{giver: giver{listener: listener}}
	s.queues.build(settings)
	s.bounds = bounds{queues: &s.queues, running: map[string]int{}, below: map[string]int{}, held: map[string][]*Attempt{}}
	s.pass.queues = &s.queues
	s.queues.resize(queue.Resource{})
	return s
}

// OnActivate lets f hear when the limits on masters let an attempt in.
func (s *Scheduler) OnActivate(f func(*Attempt)) { s.queues.activated = f }

// Refresh takes over changed settings. The error says why the release keeps the old ones: a queue goes, or
// becomes a parent, and is not stopped or has applications, or capacities are more than the cluster's nodes bear.
func (s *Scheduler) Refresh(settings *settings.Scheduler) error {
	s.dry = false
	if fault := settings.Overbooked(s.queues.tree.Cluster); fault != nil {
		fault.Again = s.queues.settings.Overbooked(s.queues.tree.Cluster) != nil
		return fault
	}
	if err := s.queues.keeps(settings); err != nil {
		return err
	}
	s.queues.build(settings)
	s.queues.rehash()
	s.queues.resize(s.queues.tree.Cluster)
	s.bounds.refreshed()
	return nil
}

// AddNode adds a node. The release works limits out twice then: users whose first applications the first round has
// activated are counted otherwise in the second, which may activate more.
func (s *Scheduler) AddNode(n *Node) {
	s.queues.resize(s.add(n))
	s.queues.resize(s.queues.tree.Cluster)
}

// AddNodes adds nodes while there are no applications: limits are worked out once.
func (s *Scheduler) AddNodes(nodes []*Node) {
	for _, n := range nodes {
		s.queues.tree.Cluster = s.add(n)
	}
	s.queues.resize(s.queues.tree.Cluster)
}

// add takes a node in and returns the room of the cluster with it.
func (s *Scheduler) add(n *Node) queue.Resource {
	s.dry = false
	s.nodes = append(s.nodes, n)
	s.Locate(n)
	s.largest = s.largest.Most(n.Total)
	return s.queues.tree.Cluster.Add(n.Total)
}

// RemoveNode takes away a node, whose containers must have ended.
func (s *Scheduler) RemoveNode(n *Node) {
	s.dry = false
	s.nodes = slices.DeleteFunc(s.nodes, func(o *Node) bool { return o == n })
	s.largest = queue.Resource{}
	for _, o := range s.nodes {
		s.largest = s.largest.Most(o.Total)
	}
	s.queues.resize(s.queues.tree.Cluster.Sub(n.Total))
}

// MaxAlloc returns the largest container: as configured, and no larger than the largest node.
func (s *Scheduler) MaxAlloc() queue.Resource {
	if len(s.nodes) == 0 {
		return s.queues.settings.MaxAlloc
	}
	return s.largest.Least(s.queues.settings.MaxAlloc)
}

// Normalize rounds the size of a container as the release does. Where memory alone counts every container has one virtual core.
func (s *Scheduler) Normalize(r queue.Resource) queue.Resource {
	step := s.queues.settings.MinAlloc
	return s.queues.tree.Up(r.Most(step), 1, step).Least(s.MaxAlloc())
}

// Submit adds an attempt, at a time in milliseconds, to a leaf that has let its application in. Then the
// master is asked for.
func (s *Scheduler) Submit(a *Attempt, path string, now int64) {
	s.dry = false
	a.leaf = s.queues.leaves[s.queues.byPath[path]]
	a.start = now
	a.runnable = s.bounds.admits(a)
	s.bounds.track(a)
	a.leaf.submit(a)
}

// Ask takes over an application's asks, sizes as they are to be.
func (s *Scheduler) Ask(a *Attempt, requests []Request) {
	if len(requests) > 0 {
		s.dry = false
	}
	if a.ask(requests) && a.given && a.leaf.active.bySize {
		a.leaf.active.touch(a)
	}
}

// Take hands the containers that were given since the last call over to the master, and tells it how much
// more it may get.
func (s *Scheduler) Take(a *Attempt) (headroom queue.Resource) {
	for _, c := range a.fresh {
		if !c.Ended {
			c.Taken = true
		}
	}
	clear(a.fresh)
	a.fresh = a.fresh[:0]
	return a.leaf.headroom(a)
}

// Headroom returns how much more an attempt may get, as its master is told.
func (s *Scheduler) Headroom(a *Attempt) queue.Resource { return a.leaf.headroom(a) }

// Finish takes an attempt out whose containers have ended, with its reservations. Its user keeps counting as one who asks, if it did,
// until the application is gone too.
func (s *Scheduler) Finish(a *Attempt) {
	s.dry = false
	for _, c := range a.Reservations() {
		s.Unreserve(c)
	}
	a.await(a.Pending.Times(-1))
	a.leaf.leave(a)
	s.bounds.untrack(a)
	if a.runnable {
		s.bounds.freed(a)
	}
}

// Gone is told when an application has had its last attempt.
func (s *Scheduler) Gone(a *Attempt) {
	s.dry = false
	a.leaf.users.silent(a)
	a.keys, a.containers, a.fresh = nil, nil, nil
}
