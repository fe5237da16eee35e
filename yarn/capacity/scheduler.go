// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
)

// Listener hears what a scheduler decides.
type Listener interface {
	// Started is called when a container is given.
	Started(c *Container)
	// Refused is called when a proposal did not pass the last check.
	Refused(p Proposal)
}

// Scheduler is the Capacity Scheduler. Use New.
type Scheduler struct {
	Places
	stock
	queues   queues
	bounds   bounds
	pass     pass
	nodes    []*Node
	largest  queue.Resource // of all nodes, each component
	listener Listener

	// dry says that the last pass found nothing, whatever the node, and that nothing has changed since. Another would
	// find nothing either, and would leave everything as it is.
	dry bool
}

// New returns a scheduler of a cluster without nodes.
func New(settings *Settings, listener Listener) *Scheduler {
	s := &Scheduler{listener: listener}
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
func (s *Scheduler) Refresh(settings *Settings) error {
	s.dry = false
	if fault := settings.overbooked(s.queues.tree.Cluster); fault != nil {
		fault.Again = s.queues.settings.overbooked(s.queues.tree.Cluster) != nil
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

// Normalize rounds the size of a container as the release does.
func (s *Scheduler) Normalize(r queue.Resource) queue.Resource {
	step := s.queues.settings.MinAlloc
	up := s.queues.tree.Up(r.Most(step), 1, step).Least(s.MaxAlloc())
	if _, memory := s.queues.settings.Calculator.(queue.Memory); memory {
		up.VCores = r.VCores
	}
	return up
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
	master := len(a.containers) == 0
	if a.ask(requests) && !master && a.leaf.active.bySize {
		a.leaf.active.touch(a)
	}
}

// Take hands the containers that were given since the last call over to the master, and tells it how much
// more it may get.
func (s *Scheduler) Take(a *Attempt) (headroom queue.Resource) {
	for _, c := range a.containers[a.heard:] {
		if c != nil {
			c.Taken = true
		}
	}
	a.heard = len(a.containers)
	return a.leaf.headroom(a)
}

// Headroom returns how much more an attempt may get, as its master is told.
func (s *Scheduler) Headroom(a *Attempt) queue.Resource { return a.leaf.headroom(a) }

// Heartbeat gives containers on a node, until nothing fits or the heartbeat's bounds are reached.
func (s *Scheduler) Heartbeat(n *Node) {
	if s.dry {
		return
	}
	set := s.queues.settings
	assigned, offSwitch := 0, 0
	for s.pass.run(n, len(s.nodes)) {
		s.commit(&s.pass.found)
		assigned++
		if s.pass.found.Locality == OffSwitch {
			offSwitch++
		}
		if offSwitch >= set.OffSwitch || !set.Multiple || set.MaxAssign != -1 && assigned >= set.MaxAssign {
			return
		}
	}
	s.dry = s.pass.general
}

// Dry reports whether no heartbeat gives anything before something changes.
func (s *Scheduler) Dry() bool { return s.dry }

// commit checks a proposal once more and makes it a container. Its user is within the limit, since nothing has changed.
func (s *Scheduler) commit(p *Proposal) {
	a := p.Attempt
	l := a.leaf
	tree := &s.queues.tree
	u := l.owner(a)
	if !s.queues.within(l.at, p.Size) {
		s.listener.Refused(*p)
		return
	}
	k := p.asks
	c := s.stock.next()
	*c = Container{Attempt: a, Node: p.Node, Size: p.Size, Priority: int32(p.Priority), Locality: p.Locality, Task: model.Task{Job: model.None}}
	a.add(c)
	c.remember(k)
	a.Used = a.Used.Add(p.Size)
	a.serve(k, p.Node, p.Locality)
	p.Node.Used = p.Node.Used.Add(p.Size)
	p.Node.Containers = append(p.Node.Containers, c)
	tree.Charge(l.at, p.Size)
	l.users.charge(u, p.Size, &tree.Scale)
	l.active.touch(a)
	s.queues.hold(a, NotHeld)
	s.listener.Started(c)
}

// End frees the room of a container. If its master has not heard of it, it is asked for again.
func (s *Scheduler) End(c *Container) {
	s.dry = false
	a := c.Attempt
	c.Ended = true
	a.containers[c.Number-1] = nil
	a.Used = a.Used.Sub(c.Size)
	c.Node.Used = c.Node.Used.Sub(c.Size)
	c.Node.Containers = dropContainer(c.Node.Containers, c)
	l := a.leaf
	s.queues.tree.Charge(l.at, c.Size.Times(-1))
	l.users.charge(l.known(a), c.Size.Times(-1), &s.queues.tree.Scale)
	l.active.touch(a)
	if !c.Taken {
		c.again()
	}
}

// Finish takes an attempt out whose containers have ended. Its user keeps counting as one who asks, if it did,
// until the application is gone too.
func (s *Scheduler) Finish(a *Attempt) {
	s.dry = false
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
	a.keys, a.containers, a.heard = nil, nil, 0
}
