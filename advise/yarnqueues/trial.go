// SPDX-License-Identifier: Apache-2.0

package yarnqueues

import (
	"fmt"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// trial is the scheduler on the cluster with nobody else on it.
type trial struct {
	*capacity.Scheduler
	nodes []*capacity.Node
	apps  int
	given int // containers
}

func (s *Site) trial() *trial {
	t := &trial{}
	t.Scheduler = capacity.New(s.Settings, t)
	top := s.Scenario.Cluster.Topology()
	for i := range top.Nodes {
		n := &capacity.Node{Name: fmt.Sprintf("node%d", i), Rack: fmt.Sprintf("/rack%d", top.Nodes[i].Rack), Total: handover.Resource(top.Classes[top.Nodes[i].Class].Room)}
		t.nodes = append(t.nodes, n)
		t.AddNode(n)
	}
	return t
}

// Started implements capacity.Listener.
func (t *trial) Started(c *capacity.Container) {
	t.given++
	c.Taken = true
}

// Refused implements capacity.Listener.
func (t *trial) Refused(capacity.Proposal) {}

// Reserved implements capacity.Listener.
func (t *trial) Reserved(*capacity.Container, bool) {}

// submit submits an application of a user; nil if the queue takes no more.
func (t *trial) submit(path, user string, master queue.Resource) *capacity.Attempt {
	t.apps++
	if _, err := t.Admit(t.apps, path, user); err != nil {
		return nil
	}
	a := &capacity.Attempt{App: t.apps, Number: 1, User: user, Master: t.Normalize(master)}
	t.Submit(a, path, int64(t.apps))
	t.Ask(a, []capacity.Request{{At: capacity.Any, Size: a.Master, Count: 1}})
	return a
}

// settle lets nodes send heartbeats until nothing more is given.
func (t *trial) settle() {
	for before := -1; before != t.given; {
		before = t.given
		for _, n := range t.nodes {
			t.Heartbeat(n)
		}
	}
}

// Endless is as many containers as anybody may want.
const endless = 1 << 30

// reach returns what the first of several users of a leaf holds if all of them want everything and the rest of the
// cluster is idle.
func (s *Site) reach(path string, users int, size queue.Resource) queue.Resource {
	t := s.trial()
	var apps []*capacity.Attempt
	for u := range users {
		if a := t.submit(path, fmt.Sprint("user", u), s.master); a != nil {
			apps = append(apps, a)
		}
	}
	t.settle()
	for _, a := range apps {
		if a.Used.Memory > 0 { // its master runs
			t.Take(a)
			t.Ask(a, []capacity.Request{{Priority: 20, At: capacity.Any, Size: t.Normalize(size), Count: endless}})
		}
	}
	t.settle()
	if len(apps) == 0 {
		return queue.Resource{}
	}
	return apps[0].Used
}

// masters returns how many applications of a leaf run at a time on the idle cluster: of one user, or each of another.
func (s *Site) masters(path string, one bool, master queue.Resource) int {
	const most = 1000
	t := s.trial()
	n := 0
	for i := range most {
		user := "user"
		if !one {
			user = fmt.Sprint("user", i)
		}
		a := t.submit(path, user, master)
		if a == nil || !a.Activated() {
			break
		}
		n++
	}
	return n
}
