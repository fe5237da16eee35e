// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

func class(name string, nodes int, change func(*ClassConfig)) ClassConfig {
	var c ClassConfig
	c.SetDefaults()
	c.Name, c.Nodes = name, nodes
	change(&c)
	return c
}

func slots(maps, reduces int32) func(*ClassConfig) {
	return func(c *ClassConfig) { c.MapSlots, c.ReduceSlots = maps, reduces }
}

// paths returns where the problems are, sorted: Validate promises no order.
func paths(problems []model.Problem) string {
	var list []string
	for _, p := range problems {
		if p.Found == "" || p.Allowed == "" {
			list = append(list, "(silent)")
		}
		list = append(list, p.Path)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestConfigValidate(t *testing.T) {
	many := make([]ClassConfig, 201)
	for i := range many {
		many[i] = class(fmt.Sprint("c", i), 1, slots(1, 1))
	}
	for _, c := range []struct {
		name, want string
		config     Config
	}{
		{"sound slots", "", Config{Room: "slots", Racks: 2, Classes: []ClassConfig{class("a", 2, slots(6, 2))}}},
		{"map slots alone", "", Config{Room: "slots", Racks: 1, Classes: []ClassConfig{class("a", 1, slots(1, 0))}}},
		{"sound containers", "", Config{Room: "containers", Racks: 1, Classes: []ClassConfig{class("a", 1, func(c *ClassConfig) { c.Containers = 4 })}}},
		{"sound yarn", "", Config{Room: "yarn", Racks: 1, Classes: []ClassConfig{class("a", 1, func(c *ClassConfig) { c.Memory, c.VCores = 8*model.GiB, 8 })}}},
		{"no classes", "classes", Config{Room: "slots", Racks: 1, Classes: nil}},
		{"too many classes", "classes", Config{Room: "slots", Racks: 1, Classes: many}},
		{"200 classes", "", Config{Room: "slots", Racks: 1, Classes: many[:200]}},
		{"no room", "classes[0]", Config{Room: "slots", Racks: 1, Classes: []ClassConfig{class("a", 1, slots(0, 0))}}},
		{"less than a MiB", "classes[0]", Config{Room: "yarn", Racks: 1, Classes: []ClassConfig{class("a", 1, func(c *ClassConfig) { c.Memory = model.MiB - 1 })}}},
		{"a name twice", "classes[1].name", Config{Room: "slots", Racks: 1, Classes: []ClassConfig{class("a", 1, slots(1, 1)), class("a", 1, slots(1, 1))}}},
		{"more racks than nodes", "racks", Config{Room: "slots", Racks: 4, Classes: []ClassConfig{class("a", 3, slots(1, 1))}}},
		{"slots under containers", "classes[0].map-slots classes[0].reduce-slots", Config{Room: "containers", Racks: 1, Classes: []ClassConfig{
			class("a", 1, func(c *ClassConfig) { c.Containers, c.MapSlots, c.ReduceSlots = 1, 1, 1 })}}},
		{"yarn under slots", "classes[0].memory classes[0].vcores", Config{Room: "slots", Racks: 1, Classes: []ClassConfig{
			class("a", 1, func(c *ClassConfig) { c.MapSlots, c.Memory, c.VCores = 1, model.GiB, 1 })}}},
		{"containers under yarn, no memory, two racks", "classes[0] classes[0].containers racks", Config{Room: "yarn", Racks: 2, Classes: []ClassConfig{
			class("a", 1, func(c *ClassConfig) { c.Containers = 3 })}}},
	} {
		if got := paths(c.config.Validate()); got != c.want {
			t.Errorf("%s: problems at [%s], want [%s]", c.name, got, c.want)
		}
	}
}

func TestRoomOfAClass(t *testing.T) {
	c := ClassConfig{MapSlots: 6, ReduceSlots: 2, Containers: 5, Memory: 8*model.GiB + 3, VCores: 12}
	for m, want := range map[model.RoomModel]model.Room{model.Slots: {6, 2}, model.Containers: {5, 0}, model.Yarn: {8192, 12}} {
		if got := c.room(m); got != want {
			t.Errorf("model %d: room %v, want %v", m, got, want)
		}
	}
	for name, want := range map[string]model.RoomModel{"slots": model.Slots, "containers": model.Containers, "yarn": model.Yarn} {
		if got := (&Config{Room: name}).RoomModel(); got != want {
			t.Errorf("%s: model %d, want %d", name, got, want)
		}
	}
}

// The hosts of each class are spread over the racks in blocks whose sizes differ by one at most, in
// order; its hosts, which no other class shares, hold nodes-per-host nodes each but the last.
func TestTopologySpreadsRacksAndHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Room: "slots", Racks: rapid.IntRange(1, 7).Draw(t, "racks")}
		for i := range rapid.IntRange(1, 3).Draw(t, "classes") {
			c.Classes = append(c.Classes, class(fmt.Sprint("c", i), 0, func(k *ClassConfig) {
				k.MapSlots = int32(i + 1)
				k.NodesPerHost = rapid.IntRange(1, 5).Draw(t, "per host")
				k.Nodes = rapid.IntRange(c.Racks*k.NodesPerHost, 60).Draw(t, "nodes")
				k.Speed = float64(1 + i)
			}))
		}
		top := c.Topology()
		at, firstHost := 0, 0
		for i, k := range c.Classes {
			perRack, perHost := make([]int, c.Racks), map[model.HostID]int{}
			for n := range k.Nodes {
				node := top.Nodes[at+n]
				if int(node.Class) != i || n > 0 && node.Rack < top.Nodes[at+n-1].Rack {
					t.Fatalf("class %d, node %d: %+v after %+v", i, n, node, top.Nodes[max(at+n-1, 0)])
				}
				if n%k.NodesPerHost == 0 {
					perRack[node.Rack]++
				}
				perHost[node.Host-model.HostID(firstHost)]++
			}
			at += k.Nodes
			if slices.Max(perRack)-slices.Min(perRack) > 1 {
				t.Fatalf("class %d: hosts by rack %v", i, perRack)
			}
			hosts := (k.Nodes + k.NodesPerHost - 1) / k.NodesPerHost
			for h := range hosts {
				want := min(k.NodesPerHost, k.Nodes-h*k.NodesPerHost)
				if perHost[model.HostID(h)] != want {
					t.Fatalf("class %d: host %d has %d nodes, want %d", i, h, perHost[model.HostID(h)], want)
				}
			}
			firstHost += hosts
			if cl := top.Classes[i]; cl.Room != (model.Room{int32(i + 1), 0}) || cl.Speed != k.Speed || cl.Name != k.Name {
				t.Fatalf("class %d: %+v", i, cl)
			}
		}
		if top.Hosts != firstHost || len(top.Nodes) != at || top.Racks != c.Racks {
			t.Fatalf("%d hosts, %d nodes, %d racks", top.Hosts, len(top.Nodes), top.Racks)
		}
	})
}

// Validate allows as many racks as there are nodes, so no valid section may leave a rack empty.
func TestNoRackIsEmpty(t *testing.T) {
	c := Config{Room: "slots", Racks: 2, Classes: []ClassConfig{class("a", 1, slots(1, 1)), class("b", 1, slots(1, 1))}}
	if p := c.Validate(); p != nil {
		t.Fatal(p)
	}
	top := c.Topology()
	if top.Nodes[0].Rack == top.Nodes[1].Rack {
		t.Errorf("both nodes are in rack %d of 2", top.Nodes[0].Rack)
	}
}

// A physical host stands in one rack.
func TestHostStandsInOneRack(t *testing.T) {
	c := Config{Room: "slots", Racks: 2, Classes: []ClassConfig{class("a", 2, func(k *ClassConfig) { k.MapSlots, k.NodesPerHost = 1, 2 })}}
	if c.Validate() != nil {
		return // refusing it would do as well
	}
	if n := c.Topology().Nodes; n[0].Host == n[1].Host && n[0].Rack != n[1].Rack {
		t.Errorf("host %d stands in racks %d and %d", n[0].Host, n[0].Rack, n[1].Rack)
	}
}

// Named nodes keep the order of their list; racks are numbered as they come.
func TestNamedNodes(t *testing.T) {
	yarn := func(c *ClassConfig) { c.Memory, c.VCores = 8*model.GiB, 8 }
	c := Config{Room: "yarn", Racks: 2, Oversubscription: 1, Classes: []ClassConfig{class("a", 2, yarn), class("b", 1, yarn)}, Nodes: []NodeConfig{
		{Name: "n3", Rack: "/r2", Class: "b"}, {Name: "n1", Rack: "r1", Class: "a", Labels: []string{"gpu", "x(exclusive=false)"}}, {Name: "n2", Rack: "r2", Class: "a"}}}
	if got := c.Validate(); len(got) > 0 {
		t.Fatal(got)
	}
	top := c.Topology()
	want := []model.Node{{Class: 1, Rack: 0, Host: 0}, {Class: 0, Rack: 1, Host: 1}, {Class: 0, Rack: 0, Host: 2}}
	if !slices.Equal(top.Nodes, want) || !slices.Equal(top.Names, []string{"n3", "n1", "n2"}) || !slices.Equal(top.RackNames, []string{"/r2", "/r1"}) || top.Hosts != 3 {
		t.Errorf("%+v", top)
	}
	if l := top.Labels; len(l) != 3 || len(l[0]) > 0 || !slices.Equal(l[1], []model.Label{{Name: "gpu"}, {Name: "x", Shared: true}}) {
		t.Errorf("labels %+v", l)
	}
	bad := c
	bad.Racks, bad.Nodes = 3, []NodeConfig{{Name: "n/1", Rack: "r1", Class: "a"}, {Name: "n", Rack: "r1", Class: "a", Labels: []string{"a b"}}, {Name: "n", Rack: "/r1", Class: "c"}}
	if got := paths(bad.Validate()); got != "classes[1].nodes nodes[0].name nodes[1].labels[0] nodes[2].class nodes[2].name racks" {
		t.Error(got)
	}
	if single := (Config{Room: "yarn", Racks: 1, Classes: []ClassConfig{class("a", 1, yarn)}, Nodes: []NodeConfig{{Name: "n", Rack: "r"}}}); len(single.Validate()) > 0 || single.Topology().Nodes[0].Class != 0 {
		t.Error("the only class need not be named")
	}
}
