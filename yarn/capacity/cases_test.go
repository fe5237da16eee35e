// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// The numbers of these cases are those of the release's own tests; a case that begins where another ends says so.

const gb = 1024

// stage is a scheduler with a cluster, for tests.
type stage struct {
	t       *testing.T
	s       *Scheduler
	conf    conf.Properties
	nodes   []*Node
	apps    int
	started []*Container
	kept    []*Container // reserved
	refused int
}

func (g *stage) Refused(Proposal) { g.refused++ }

func (g *stage) Started(c *Container) {
	g.started = append(g.started, c)
	g.kept = dropContainer(g.kept, c)
}

func (g *stage) Reserved(c *Container, kept bool) {
	if g.kept = dropContainer(g.kept, c); kept {
		g.kept = append(g.kept, c)
	}
}

// newStage returns a scheduler with those settings, NAME=VALUE without their settings.Prefix, and nodes of those GB.
func newStage(t *testing.T, lines string, nodes ...int64) *stage {
	t.Helper()
	g := &stage{t: t, conf: conf.Properties{}}
	g.s = New(g.read(lines), g)
	for i, size := range nodes {
		n := &Node{Name: fmt.Sprintf("n%d", i), Rack: "/r", Total: queue.Resource{Memory: size * gb, VCores: size}}
		g.nodes = append(g.nodes, n)
		g.s.AddNode(n)
	}
	return g
}

func (g *stage) read(lines string) *settings.Scheduler {
	g.t.Helper()
	for _, line := range strings.Fields(lines) {
		name, value, _ := strings.Cut(line, "=")
		g.conf[settings.Prefix+name] = value
	}
	s, err := settings.Read(g.conf)
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

// refresh changes settings.
func (g *stage) refresh(lines string) {
	g.t.Helper()
	if err := g.s.Refresh(g.read(lines)); err != nil {
		g.t.Fatal(err)
	}
}

// submit lets an application in whose master has that many GB, and asks for the master if ask.
func (g *stage) submit(path, user string, master int64, ask bool) *Attempt {
	g.t.Helper()
	g.apps++
	path, err := g.s.Admit(g.apps, path, user)
	if err != nil {
		g.t.Fatal(err)
	}
	a := &Attempt{App: g.apps, Number: 1, User: user, Master: queue.Resource{Memory: master * gb, VCores: 1}}
	g.s.Submit(a, path, 0)
	if ask {
		g.s.Ask(a, []Request{{At: Any, Size: a.Master, Count: 1}})
	}
	return a
}

// ask asks for containers anywhere.
func (g *stage) ask(a *Attempt, size int64, count int) {
	g.s.Ask(a, []Request{{Priority: 1, At: Any, Size: queue.Resource{Memory: size * gb, VCores: 1}, Count: count}})
}

// beat lets nodes ask once each; without any, the first.
func (g *stage) beat(nodes ...int) {
	if len(nodes) == 0 {
		nodes = []int{0}
	}
	for _, n := range nodes {
		g.s.Heartbeat(g.nodes[n])
	}
}

func (g *stage) report(path string) *LeafReport { return g.s.Report(g.s.queues.byPath[path]) }

func (g *stage) used(path string) int64 {
	return g.s.queues.tree.Queues[g.s.queues.byPath[path]].Used.Memory / gb
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

const limitsConf = `root.queues=a,b root.a.capacity=10 root.b.capacity=90
	root.a.minimum-user-limit-percent=50 root.a.user-limit-factor=5`

// TestMasterLimitCases are 24, 25, 28 and 29.
func TestMasterLimitCases(t *testing.T) {
	g := newStage(t, limitsConf, 80)
	r := g.report("root.a")
	expect(t, "24: limit of masters", r.MasterLimit.Memory, 8*gb)
	expect(t, "24: of one user", r.UserMasterLimit.Memory, 4*gb)
	var apps []*Attempt
	for i, user := range []string{"u0", "u0", "u1", "u1"} {
		apps = append(apps, g.submit("root.a", user, 2, true))
		expect(t, fmt.Sprintf("25: active after %d", i+1), g.report("root.a").Active, min(i+1, 3))
	}
	expect(t, "24: of one user of two", g.report("root.a").UserMasterLimit.Memory, 2*gb)
	expect(t, "25: waiting", g.report("root.a").Waiting, 1)
	g.s.Finish(apps[2])
	g.s.Gone(apps[2])
	expect(t, "25: activated at an end", apps[3].Activated(), true)

	g = newStage(t, limitsConf+" root.a.maximum-am-resource-percent=0.5", 1600)
	r = g.report("root.a")
	expect(t, "28: limit of masters", r.MasterLimit.Memory, 800*gb)
	expect(t, "28: of one user", r.UserMasterLimit.Memory, 400*gb)
	expect(t, "29: applications", r.MaxApps, 1000)
	expect(t, "29: of one user", r.MaxUserApps, 1000)
	g.refresh("root.a.maximum-applications=9999")
	r = g.report("root.a")
	expect(t, "29: applications", r.MaxApps, 9999)
	expect(t, "29: of one user", r.MaxUserApps, 9999)
}

const leafConf = `root.queues=a,b,c,d,e root.a.capacity=8.5 root.a.maximum-capacity=20 root.b.capacity=80 root.b.maximum-capacity=99
	root.c.capacity=1.5 root.c.maximum-capacity=10 root.d.capacity=9 root.d.maximum-capacity=11 root.e.capacity=1 root.e.maximum-capacity=1 `

// TestMasterLimitOfTree is 32 and 35.
func TestMasterLimitOfTree(t *testing.T) {
	g := newStage(t, leafConf, 50)
	expect(t, "32: limit of masters of a", g.report("root.a").MasterLimit.Memory, gb)
	expect(t, "32: of b", g.report("root.b").MasterLimit.Memory, 5*gb)
	for i, want := range [][2]float32{{0.085, 0.2}, {0.8, 0.99}, {0.015, 0.1}} {
		q := &g.s.Tree().Queues[i+1]
		expect(t, "32: share of "+q.Path, q.AbsCapacity, want[0])
		expect(t, "32: maximum of "+q.Path, q.AbsMaximum, want[1])
	}

	g = newStage(t, leafConf, 1600)
	for range 3 {
		g.submit("root.e", "u", 1, true)
	}
	r := g.report("root.e")
	expect(t, "35: limit of masters", r.MasterLimit.Memory, 2*gb)
	expect(t, "35: active", r.Active, 2)
	expect(t, "35: waiting", r.Waiting, 1)
	g.refresh("maximum-am-resource-percent=0.2")
	r = g.report("root.e")
	expect(t, "35: limit after the refresh", r.MasterLimit.Memory, 4*gb)
	expect(t, "35: active after the refresh", r.Active, 3)
}

// TestMaxAppsCase37: bounds on applications of a queue, a user and the system.
func TestMaxAppsCase37(t *testing.T) {
	g := newStage(t, `root.queues=a,d root.a.capacity=100 root.d.capacity=0 root.a.queues=a1,a2 root.a.a1.capacity=50 root.a.a2.capacity=50
		root.a.a1.maximum-applications=1 root.d.user-limit-factor=0.1 maximum-applications=4 global-queue-max-application=4`, 80)
	refused := func(path string, reason Reason, text string) {
		t.Helper()
		_, err := g.s.Admit(99, path, "u")
		var no *Rejection
		if !errors.As(err, &no) || no.Reason != reason || !strings.Contains(no.Text, text) {
			t.Errorf("%s: %v", path, err)
		}
	}
	g.submit("root.a.a1", "u", 1, true)
	refused("root.a.a1", TooManyInQueue, "already has 1 applications")
	refused("root.d", TooManyOfUser, "already has 0 applications from user")
	for range 3 {
		g.submit("root.a.a2", "u", 1, true)
	}
	refused("root.a.a2", TooManyInSystem, "Maximum system application limit reached")
}

// TestUserLimitCases are 40 and 41. The applications have no masters, as in the release's tests.
func TestUserLimitCases(t *testing.T) {
	g := newStage(t, leafConf+"root.a.maximum-capacity=100", 8)
	a := g.submit("root.a", "u", 0, false)
	g.ask(a, 1, 10)
	for range 4 {
		g.beat()
	}
	expect(t, "40: used, one past the limit", g.used("root.a"), 2)
	g.refresh("root.a.user-limit-factor=10")
	g.beat()
	g.beat()
	expect(t, "40: used with a factor of 10", g.used("root.a"), 4)
	g.refresh("root.a.maximum-capacity=50")
	g.beat()
	g.beat()
	expect(t, "40: used with a maximum of 50 %", g.used("root.a"), 4)

	g = newStage(t, leafConf+"root.a.maximum-capacity=100 root.a.minimum-user-limit-percent=50 root.a.user-limit-factor=2", 8, 8)
	first, second := g.submit("root.a", "u0", 0, false), g.submit("root.a", "u1", 0, false)
	g.ask(first, 3, 2)
	g.ask(second, 1, 2)
	for i, want := range [][2]int64{{3, 0}, {3, 1}, {6, 1}} {
		g.beat(0)
		expect(t, fmt.Sprintf("41: u0 after %d", i+1), first.Used.Memory/gb, want[0])
		expect(t, fmt.Sprintf("41: u1 after %d", i+1), second.Used.Memory/gb, want[1])
	}
	expect(t, "41: used", g.used("root.a"), 7)
	expect(t, "41: active users", g.s.queues.leaves[1].users.activeCount, 1)
}

// TestHeadroomCases are 43, 45 and 47.
func TestHeadroomCases(t *testing.T) {
	g := newStage(t, leafConf+"root.b.maximum-capacity=100", 16)
	a := g.submit("root.b", "u0", 0, false)
	g.ask(a, 4, 2)
	g.beat()
	expect(t, "43: limit", g.report("root.b").Users[0].Limit.Memory, 13*gb)
	expect(t, "43: headroom", g.s.Headroom(a).Memory, 9*gb)

	g = newStage(t, leafConf+"root.b.maximum-capacity=100 root.b.minimum-user-limit-percent=50", 16)
	a, b := g.submit("root.b", "u0", 0, false), g.submit("root.b", "u1", 0, false)
	g.ask(a, 2, 1)
	g.beat()
	g.ask(b, 2, 1)
	g.beat()
	g.ask(a, 2, 1)
	g.ask(b, 2, 1)
	expect(t, "45: limit", g.report("root.b").Users[0].Limit.Memory, 7*gb)
	expect(t, "45: headroom of u0", g.s.Headroom(a).Memory, 5*gb)
	expect(t, "45: headroom of u1", g.s.Headroom(b).Memory, 5*gb)

	g = newStage(t, leafConf+"root.a.maximum-capacity=100 root.a.minimum-user-limit-percent=50 root.a.user-limit-factor=2", 16)
	a = g.submit("root.a", "u0", 0, false)
	g.ask(a, 1, 5)
	g.beat()
	g.beat()
	expect(t, "47: headroom after 2 GB", g.s.Headroom(a).Memory, gb)
	g.beat()
	expect(t, "47: headroom after 3 GB", g.s.Headroom(a).Memory, 0)
}

// TestFairOrderCase81: what is used counts in proportion to the logarithm of the demand.
func TestFairOrderCase81(t *testing.T) {
	o := order{fair: true, bySize: true}
	first := &Attempt{App: 1, Used: queue.Resource{Memory: 4 * gb}, Pending: queue.Resource{Memory: 4 * gb}}
	second := &Attempt{App: 2, Used: queue.Resource{Memory: 5 * gb}, Pending: queue.Resource{Memory: 5 * gb}}
	o.add(second)
	o.add(first)
	o.touch(first)
	o.touch(second)
	o.settle()
	expect(t, "first", o.list[0].App, 1)
	second.Pending.Memory = 100 * gb
	o.touch(second)
	o.settle()
	expect(t, "first after more was asked for", o.list[0].App, 2)
}

// TestNoNumbers: a queue whose capacities are no numbers has nothing.
func TestNoNumbers(t *testing.T) {
	g := newStage(t, "root.queues=a,b root.a.capacity=NaN root.a.maximum-capacity=NaN root.b.capacity=40", 4)
	a := g.s.Tree().Queues[1]
	if a.Path != "root.a" || a.Min != (queue.Resource{}) || a.Max != (queue.Resource{}) {
		t.Errorf("%s has %v and may use %v", a.Path, a.Min, a.Max)
	}
}

// TestOverbookedWithNodes: children that name more of one component than their parent and less of the other are taken while there are no
// nodes, and refused by a refresh once shares of a cluster can be compared. The settings in force have the same fault.
func TestOverbookedWithNodes(t *testing.T) {
	g := newStage(t, "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator root.queues=a root.a.queues=x,y "+
		"root.a.capacity=[memory=1638,vcores=1] root.a.x.capacity=[memory=600,vcores=1] root.a.y.capacity=[memory=950,vcores=2]")
	g.s.AddNode(&Node{Total: queue.Resource{Memory: 112400, VCores: 203}})
	fault, _ := g.s.Refresh(g.read("")).(*settings.Fault)
	if fault == nil || !fault.Again {
		t.Errorf("refresh: %v, want a fault that the old settings have too", fault)
	}
}

// TestFairTies: of two that came at once and used nothing, one of which nothing is known yet comes behind one that asked for something.
func TestFairTies(t *testing.T) {
	o := order{fair: true}
	known := &Attempt{App: 2, Pending: queue.Resource{Memory: gb}}
	o.add(known)
	o.touch(known)
	o.settle()
	o.add(&Attempt{App: 1, Pending: queue.Resource{Memory: gb}})
	expect(t, "first", o.list[0].App, 2)
}
