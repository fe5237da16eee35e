// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// desk writes down what a master does.
type desk struct {
	did    []string
	number int32
}

func (d *desk) Launch(c *capacity.Container, t model.Task) {
	d.did = append(d.did, fmt.Sprintf("%s %d in %d", t.Kind, t.Index, c.Number))
}
func (d *desk) Kill(t model.Task) { d.did = append(d.did, fmt.Sprintf("kill %s %d", t.Kind, t.Index)) }
func (d *desk) Finish()           { d.did = append(d.did, "finish") }

// give returns a new container.
func (d *desk) give(priority int, n *capacity.Node) *capacity.Container {
	d.number++
	return &capacity.Container{Number: d.number + 1, Priority: int32(priority), Node: n}
}

// said returns what the master did since the last call.
func (d *desk) said() string {
	defer func() { d.did = nil }()
	return strings.Join(d.did, ", ")
}

// told writes down requests: count x priority @ place.
func told(requests []capacity.Request) string {
	var list []string
	for _, r := range requests {
		list = append(list, fmt.Sprintf("%dx%d@%s", r.Count, r.Priority, names[r.At]))
	}
	return strings.Join(list, " ")
}

func mb(n int64) queue.Resource { return queue.Resource{Memory: n, VCores: 1} }

func work(maps, reduces int32) Work {
	return Work{Total: [model.Kinds]int32{maps, reduces}, Size: [model.Kinds]queue.Resource{mb(1024), mb(2048)}}
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func ask(m Master, now model.Time) string {
	r, release := m.Ask(now)
	s := told(r)
	if len(release) > 0 {
		var numbers []int32
		for _, c := range release {
			numbers = append(numbers, c.Number)
		}
		s += fmt.Sprint(" release ", numbers)
	}
	return s
}

var (
	places     capacity.Places
	n1, n2, n3 = located("n1", "/a"), located("n2", "/a"), located("n3", "/b")
	names      = map[capacity.Place]string{capacity.Any: "*"}
)

func located(name, rack string) *capacity.Node {
	n := &capacity.Node{Name: name, Rack: rack}
	places.Locate(n)
	names[n.At(capacity.NodeLocal)], names[n.At(capacity.RackLocal)] = name, rack
	return n
}

// A container goes to the map whose block is on its node, else in its rack, else to the one that has waited
// longest, whatever map it was asked for.
func TestNearestMap(t *testing.T) {
	d := &desk{}
	w := work(4, 0)
	homes := [][]*capacity.Node{{n3}, {n1, n2}, {n2, n3}, {n1}}
	w.Near = func(i int32) []*capacity.Node { return homes[i] }
	rules := DefaultAskRules()
	m := NewAppMaster(w, &rules, d)
	expect(t, "first asks", ask(m, 0), "4x20@* 2x20@n3 2x20@/b 2x20@n1 3x20@/a 2x20@n2")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n2), d.give(20, n1)}})
	expect(t, "on their nodes", d.said(), "map 1 in 2, map 3 in 3")
	expect(t, "what is left", ask(m, 1), "2x20@* 0x20@n1 1x20@/a 1x20@n2")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n1), d.give(20, n1), d.give(20, n1)}})
	expect(t, "in the rack, anywhere, for nobody", d.said(), "map 2 in 4, map 0 in 5")
	expect(t, "given back", ask(m, 2), "0x20@* 0x20@n2 0x20@/a 0x20@n3 0x20@/b release [6]")
}

// 20 maps, slow start 5 %: one map must have ended. Then, while maps wait, reduces may have min(ended/all, 0.5) of
// what the job could get.
func TestRampUp(t *testing.T) {
	d := &desk{}
	rules := DefaultAskRules()
	m := NewAppMaster(work(20, 10), &rules, d)
	expect(t, "maps alone", ask(m, 0), "20x20@*")
	var given []*capacity.Container
	for range 10 {
		given = append(given, d.give(20, n1))
	}
	if again := m.Answer(&Answer{Given: given, Headroom: mb(10240)}); !again {
		t.Error("the asks have changed")
	}
	expect(t, "ten run", ask(m, 1), "10x20@*")
	m.Answer(&Answer{Headroom: mb(10240)})
	for i := range int32(5) {
		m.Ended(model.Task{Index: i}, Done)
	}
	expect(t, "asked at heartbeats", ask(m, 2), "")
	var ended []Ended
	for i := range int32(5) {
		ended = append(ended, Ended{Task: model.Task{Index: i}})
	}
	// 10,240 + 5 maps of 1,024 = 15,360; a quarter of the maps has ended: 3,840 for reduces, 11,520 for maps, which
	// hold 11 of 15. One reduce of 2,048.
	m.Answer(&Answer{Ended: ended, Headroom: mb(10240)})
	expect(t, "a quarter", ask(m, 3), "1x10@*")
	// Nothing is left: 5 maps hold 5,120, a quarter is 1,280. The asked reduce has 2,048: a deficit of less than one is 0.
	m.Answer(&Answer{})
	expect(t, "none withdrawn", ask(m, 4), "")
	for i := range int32(5) {
		m.Ended(model.Task{Index: 5 + i}, Done)
	}
	if m.Answer(&Answer{Headroom: mb(40960)}); ask(m, 5) != "10x10@*" { // 46,080: maps need 15,360 of it, 30,720 are left
		t.Error("all reduces")
	}
}

// Maps wait and none runs, nothing is left: asked reduces are withdrawn and the youngest ones killed.
func TestReducesMakeWay(t *testing.T) {
	d := &desk{}
	rules := DefaultAskRules()
	m := NewAppMaster(work(2, 4), &rules, d)
	ask(m, 0)
	first, second := d.give(20, n1), d.give(20, n1)
	m.Answer(&Answer{Given: []*capacity.Container{first, second}})
	m.Ended(model.Task{Index: 0}, Done)
	m.Ended(model.Task{Index: 1}, Done)
	m.Answer(&Answer{Ended: []Ended{{Task: model.Task{Index: 0}}, {Task: model.Task{Index: 1}}}})
	expect(t, "reduces", ask(m, 1), "4x10@* 0x20@*")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(10, n1), d.give(10, n2), d.give(10, n3)}})
	d.said()
	ask(m, 2)
	m.Ended(model.Task{Index: 1}, Undone)
	// Total 6,144, half of it is 2 reduces; one hanging map needs one.
	m.Answer(&Answer{})
	expect(t, "killed", d.said(), "kill reduce 2")
	expect(t, "withdrawn", ask(m, 3), "1x5@* 0x10@*")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(5, n1)}})
	expect(t, "the lost map", d.said(), "map 1 in 7")
	expect(t, "reduces again", ask(m, 4), "0x5@* 2x10@*")
}

// Maps that have waited for 300 s, none having a container, keep reduces from being asked for until one has got one, though
// there seems to be room and no reduce is left to kill.
func TestHangingMapsHoldReduces(t *testing.T) {
	d := &desk{}
	rules := DefaultAskRules()
	m := NewAppMaster(work(2, 2), &rules, d)
	ask(m, 0)
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n1)}})
	m.Ended(model.Task{Index: 0}, Done)
	ask(m, 1)
	m.Answer(&Answer{Ended: []Ended{{Task: model.Task{Index: 0}}}, Headroom: mb(8192)})
	expect(t, "reduces", ask(m, 2), "2x10@*")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(10, n1)}, Headroom: mb(8192)})
	d.said()
	ask(m, 301*model.Second)
	m.Answer(&Answer{Headroom: mb(8192)})
	expect(t, "killed", d.said(), "kill reduce 0")
	expect(t, "withdrawn", ask(m, 302*model.Second), "0x10@*")
	for range 3 {
		m.Answer(&Answer{Headroom: mb(8192)})
		expect(t, "not asked for", ask(m, 303*model.Second), "")
	}
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n1)}, Headroom: mb(8192)})
	expect(t, "the map has room", ask(m, 304*model.Second), "2x10@* 0x20@*")
}

// The master of the load simulator looks at an answer one heartbeat late, and asks for reduces when all maps have ended.
func TestSLSMaster(t *testing.T) {
	d := &desk{}
	m := NewSLS(work(2, 1), d)
	expect(t, "maps", ask(m, 0), "2x20@*")
	a, b := d.give(20, n1), d.give(20, n2)
	if again := m.Answer(&Answer{Given: []*capacity.Container{a, b}}); !again || d.said() != "" {
		t.Error("nothing is launched yet")
	}
	expect(t, "no new ask", ask(m, 1), "")
	expect(t, "launched", d.said(), "map 0 in 2, map 1 in 3")
	if m.Answer(&Answer{}) {
		t.Error("there is nothing to wait for but ends")
	}
	m.Answer(&Answer{Ended: []Ended{{Task: model.Task{Index: 0}}, {Task: model.Task{Index: 1}, Exit: -100}, {Task: model.Task{Job: model.None}}}})
	expect(t, "a killed map is asked for again", ask(m, 2), "1x20@*")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n1)}})
	ask(m, 3)
	m.Answer(&Answer{Ended: []Ended{{Task: model.Task{Index: 1}}}})
	expect(t, "the reduce", ask(m, 4), "1x10@*")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(10, n1)}})
	ask(m, 5)
	m.Answer(&Answer{Ended: []Ended{{Task: model.Task{Kind: model.Reduce}}}})
	d.said()
	expect(t, "over", ask(m, 6)+d.said(), "finish")
}
