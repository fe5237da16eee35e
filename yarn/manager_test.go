// SPDX-License-Identifier: Apache-2.0

package yarn

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// site is a resource manager with one queue and nodes of 4 GB, and what it decided.
type site struct {
	*Manager
	nodes []*capacity.Node
	said  []string
}

func (s *site) Started(c *capacity.Container) {
	s.said = append(s.said, fmt.Sprintf("start %d.%d.%d on %s", c.Attempt.App, c.Attempt.Number, c.Number, c.Node.Name))
}

func (s *site) Ended(c *capacity.Container, exit int, silent bool) {
	s.said = append(s.said, fmt.Sprintf("end %d.%d.%d: %d, silent %t", c.Attempt.App, c.Attempt.Number, c.Number, exit, silent))
}

func (s *site) Refused(capacity.Proposal)          {}
func (s *site) Reserved(*capacity.Container, bool) {}

func newSite(t *testing.T, nodes int) *site {
	t.Helper()
	settings, err := settings.Read(conf.Properties{"yarn.scheduler.capacity.root.queues": "default",
		"yarn.scheduler.capacity.root.default.capacity": "100", "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5"})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{}
	s.Manager = NewManager(settings, s)
	for i := range nodes {
		n := &capacity.Node{Name: fmt.Sprint("n", i), Rack: "/r", Total: queue.Resource{Memory: 4096, VCores: 4}}
		s.nodes = append(s.nodes, n)
		s.AddNode(n)
	}
	return s
}

// submit submits an application with a master of 1 GB and lets a node give it a container.
func (s *site) submit(t *testing.T, number, attempts int) *App {
	t.Helper()
	if err := s.SubmitApp(Submission{App: number, Attempts: attempts, Queue: "default", User: "u", Master: queue.Resource{Memory: 1024, VCores: 1}}); err != nil {
		t.Fatal(err)
	}
	s.NodeHeartbeat(s.nodes[0], nil)
	return s.App(number)
}

// heard returns what was decided since the last call.
func (s *site) expect(t *testing.T, why string, want ...string) {
	t.Helper()
	if !slices.Equal(s.said, want) {
		t.Errorf("%s: decided %q, want %q", why, s.said, want)
	}
	s.said = nil
}

// The life of an application: its master's container is its first; what it asks for comes at heartbeats; when it
// ends, all its containers do.
func TestLifeOfAnApplication(t *testing.T) {
	s := newSite(t, 1)
	a := s.submit(t, 1, 0)
	s.expect(t, "submitted", "start 1.1.1 on n0")
	if !a.Allocated() || a.Running() {
		t.Error("a master with a container has not registered yet")
	}
	s.Register(a)
	one := queue.Resource{Memory: 1024, VCores: 1}
	if err := s.Allocate(a, []capacity.Request{{Priority: 1, At: capacity.Any, Size: one, Count: 2}}, nil); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "asks alone decide nothing")
	s.NodeHeartbeat(s.nodes[0], nil)
	s.NodeHeartbeat(s.nodes[0], nil)
	s.expect(t, "one container of no place in particular at each heartbeat", "start 1.1.2 on n0", "start 1.1.3 on n0")
	if err := s.Allocate(a, nil, []*capacity.Container{a.Attempt.Container(2)}); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "given back before it was taken over", "end 1.1.2: -100, silent true")
	s.EndApp(a)
	s.expect(t, "ended", "end 1.1.1: 0, silent false", "end 1.1.3: -100, silent false")
	if a.Running() {
		t.Error("it still runs")
	}
}

// An attempt whose master fails is followed by another, until there may be no more. A lost node counts as no failure.
func TestAttempts(t *testing.T) {
	s := newSite(t, 2)
	a := s.submit(t, 1, 2)
	s.Register(a)
	s.said = nil
	s.LoseNode(s.nodes[0])
	s.expect(t, "the node is lost", "end 1.1.1: -100, silent false")
	for attempt, ends := range []bool{false, true} {
		s.NodeHeartbeat(s.nodes[1], nil)
		s.expect(t, "another attempt", fmt.Sprintf("start 1.%d.1 on n1", attempt+2))
		s.Register(a)
		s.Complete(slices.Collect(a.Attempt.Live())[0], 1)
		s.said = nil
		if a.done != ends {
			t.Errorf("after failure %d it is over: %t", attempt+1, a.done)
		}
	}
	s.NodeHeartbeat(s.nodes[1], nil)
	s.expect(t, "no further attempt")
}

// What is larger than any container may be is refused, and so is a queue that is not there.
func TestRefusals(t *testing.T) {
	s := newSite(t, 1)
	huge := queue.Resource{Memory: 1 << 20, VCores: 1}
	if err := s.SubmitApp(Submission{App: 1, Queue: "default", User: "u", Master: huge}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a huge master: %v", err)
	}
	var rejection *capacity.Rejection
	if err := s.SubmitApp(Submission{App: 2, Queue: "none", User: "u", Master: queue.Resource{Memory: 1024, VCores: 1}}); !errors.As(err, &rejection) {
		t.Errorf("an unknown queue: %v", err)
	}
	a := s.submit(t, 3, 0)
	s.Register(a)
	if err := s.Allocate(a, []capacity.Request{{Priority: 1, At: capacity.Any, Size: huge, Count: 1}}, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a huge container: %v", err)
	}
}
