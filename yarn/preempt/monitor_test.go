// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// stage is a scheduler with one node, and a monitor.
type stage struct {
	t *testing.T
	*capacity.Scheduler
	monitor *Monitor
	node    *capacity.Node
	apps    int
}

// Started, Reserved and Refused implement capacity.Listener.
func (*stage) Started(*capacity.Container)        {}
func (*stage) Reserved(*capacity.Container, bool) {}
func (*stage) Refused(capacity.Proposal)          {}

// newStage returns a stage of those settings, NAME=VALUE without the scheduler's prefix and M.NAME without the monitor's, and a
// node of some units of 1 GB.
func newStage(t *testing.T, text string, units int64) *stage {
	t.Helper()
	p := conf.Properties{"yarn.resourcemanager.scheduler.monitor.enable": "true", "yarn.cluster.max-application-priority": "10",
		"yarn.scheduler.maximum-allocation-mb":          "1000000",
		settings.Prefix + "maximum-am-resource-percent": "1", settings.Prefix + "user-limit-factor": "100",
		settings.Prefix + "per-node-heartbeat.maximum-offswitch-assignments": "10000", settings.Prefix + "per-node-heartbeat.maximum-container-assignments": "-1"}
	for _, line := range strings.Fields(text) {
		name, value, _ := strings.Cut(line, "=")
		if own, is := strings.CutPrefix(name, "M."); is {
			p["yarn.resourcemanager.monitor.capacity.preemption."+own] = value
		} else {
			p[settings.Prefix+name] = value
		}
	}
	set, err := settings.Read(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, node: &capacity.Node{Name: "n", Rack: "/r", Total: unit.Times(units)}}
	s.Scheduler = capacity.New(set, s)
	s.monitor = New(s.Scheduler)
	s.AddNode(s.node)
	return s
}

var unit = queue.Resource{Memory: 1024, VCores: 1}

// submit lets a user run an application of a queue, with a master of one unit and some containers of a priority; it
// asks for more.
func (s *stage) submit(path, user string, priority, containers, more int) *capacity.Attempt {
	s.apps++
	a := &capacity.Attempt{App: s.apps, Number: 1, User: user, Priority: priority, Master: unit}
	s.Submit(a, path, 0)
	s.Ask(a, []capacity.Request{{At: capacity.Any, Size: unit, Count: 1}})
	s.Heartbeat(s.node)
	s.Take(a)
	s.ask(a, containers)
	s.Heartbeat(s.node)
	s.Take(a)
	if got := int(a.Used.Memory / 1024); got != containers+1 && containers > 0 {
		s.t.Fatalf("app %d has %d units, want %d", a.App, got, containers+1)
	}
	s.ask(a, more)
	return a
}

func (s *stage) ask(a *capacity.Attempt, count int) {
	s.Ask(a, []capacity.Request{{Priority: 1, At: capacity.Any, Size: unit, Count: count}})
}

// told says how many containers of which applications a round notes and ends.
func told(out Outcome) string {
	count := func(list []*capacity.Container) string {
		var apps [10]int
		for _, c := range list {
			apps[c.Attempt.App]++
		}
		var text []string
		for app, n := range apps {
			if n > 0 {
				text = append(text, fmt.Sprintf("app %d: %d", app, n))
			}
		}
		return strings.Join(text, ", ")
	}
	return fmt.Sprintf("noted %s; ended %s", count(out.Noted), count(out.Ended))
}

const halves = "root.queues=a,b root.a.capacity=50 root.b.capacity=50 M.total_preemption_per_round=1 M.natural_termination_factor=1 "

// a has all of 100 units in four applications of 25, and b asks for its half, its master included. The last applications
// give theirs first; their masters stay.
func TestLastApplicationsFirst(t *testing.T) {
	s := newStage(t, halves, 100)
	for range 4 {
		s.submit("root.a", "u", 0, 24, 0)
	}
	s.submit("root.b", "v", 0, 0, 49)
	if got, want := told(s.monitor.Round(0)), "noted app 2: 2, app 3: 24, app 4: 24; ended "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A container that is noted ends in the first round after the wait, if it is chosen again; before that nothing happens to it.
// Half a minute after its note it is forgotten.
func TestWait(t *testing.T) {
	s := newStage(t, halves+"M.max_wait_before_kill=15000", 10)
	s.submit("root.a", "u", 0, 9, 0)
	b := s.submit("root.b", "v", 0, 0, 4)
	for _, r := range []struct {
		at   int64
		want string
	}{
		{0, "noted app 1: 5; ended "}, // b asks for its master and four containers
		{14_999, "noted ; ended "},
		{15_000, "noted ; ended app 1: 5"},
		{15_001, "noted app 1: 5; ended "}, // nobody has carried it out: it begins anew
	} {
		if got := told(s.monitor.Round(r.at)); got != r.want {
			t.Errorf("at %d: %s, want %s", r.at, got, r.want)
		}
	}
	s.ask(b, 0)
	s.Ask(b, []capacity.Request{{At: capacity.Any, Size: unit}})
	s.monitor.Round(45_001)
	if !s.monitor.Waits() {
		t.Error("a note is forgotten after twice the wait")
	}
	if s.monitor.Round(45_002); s.monitor.Waits() {
		t.Error("a note is kept for more than twice the wait")
	}
}

// The order in which containers of an application are chosen: the largest number of priority first, of those the youngest.
func TestVictims(t *testing.T) {
	s := newStage(t, halves, 10)
	a := s.submit("root.a", "u", 0, 0, 0)
	for _, priority := range []int{2, 2, 3, 1, 3} { // containers 2 to 6
		s.Ask(a, []capacity.Request{{Priority: priority, At: capacity.Any, Size: unit, Count: 1}})
		s.Heartbeat(s.node)
		s.Take(a)
	}
	var order []string
	for _, c := range victims(a) {
		order = append(order, fmt.Sprintf("%d/%d", c.Number, c.Priority))
	}
	if got := strings.Join(order, " "); got != "6/3 4/3 3/2 2/2 5/1 1/0" {
		t.Error(got)
	}
}

// The round of the release's test of priorities within a queue: b has 38 of its 40 units, in applications of 34, 2, 1 and 1, and the
// two last ones have higher priorities. A fifth of the guarantee may be taken: eight units, the last one beside its master
// from the second application, and seven from the first.
func TestPriorityWithin(t *testing.T) {
	s := newStage(t, `root.queues=a,b root.a.capacity=60 root.b.capacity=40 M.intra-queue-preemption.enabled=true
		M.intra-queue-preemption.preemption-order-policy=priority_first M.total_preemption_per_round=1 M.natural_termination_factor=1`, 100)
	s.submit("root.a", "u", 0, 61, 0)
	var list []*capacity.Attempt
	for _, app := range []struct{ priority, tasks int }{{4, 33}, {4, 1}, {5, 0}, {6, 0}} {
		list = append(list, s.submit("root.b", "v", app.priority, app.tasks, 0))
	}
	for i, more := range []int{20, 10, 10, 10} {
		s.ask(list[i], more)
	}
	if s.node.Free() != (queue.Resource{}) {
		t.Fatalf("%v is free", s.node.Free())
	}
	if got, want := told(s.monitor.Round(0)), "noted app 2: 7, app 3: 1; ended "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Nothing happens without a monitor, in queues that are closed, and to those who only watch.
func TestNothing(t *testing.T) {
	for name, text := range map[string]string{"closed": halves + "root.a.disable_preemption=true", "closed above": halves + "root.disable_preemption=true", "only watched": halves + "M.observe_only=true"} {
		s := newStage(t, text, 10)
		s.submit("root.a", "u", 0, 9, 0)
		s.submit("root.b", "v", 0, 0, 4)
		if got := told(s.monitor.Round(0)); got != "noted ; ended " {
			t.Errorf("%s: %s", name, got)
		}
	}
}
