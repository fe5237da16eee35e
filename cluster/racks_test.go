// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

func twoKinds() *Config {
	c := DefaultConfig()
	c.Room = "containers"
	for _, k := range []struct {
		name              string
		nodes, racks, has int32
	}{{"scale-up", 6, 1, 24}, {"scale-out", 12, 3, 8}} {
		class := ClassConfig{}
		class.SetDefaults()
		class.Name, class.Nodes, class.OwnRacks, class.Containers = k.name, int(k.nodes), int(k.racks), k.has
		c.Classes = append(c.Classes, class)
	}
	return &c
}

// Classes with racks of their own never share one, and have uplinks of their own if they say so.
func TestRacksOfAClass(t *testing.T) {
	c := twoKinds()
	c.Classes[0].Uplink = 5e9
	if p := c.Validate(); len(p) > 0 {
		t.Fatal(p)
	}
	top := c.Topology()
	var racks []model.RackID
	for _, n := range top.Nodes {
		racks = append(racks, n.Rack)
	}
	if want := []model.RackID{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}; !slices.Equal(racks, want) || top.Racks != 4 {
		t.Errorf("racks %v of %d, want %v", racks, top.Racks, want)
	}
	// Four links of 1 Gbps, 5:1 to the core.
	if want := []model.Rate{5e9, 1e8, 1e8, 1e8}; !slices.Equal(top.Uplinks, want) {
		t.Errorf("uplinks %v, want %v", top.Uplinks, want)
	}
	c.Classes[1].OwnRacks, c.Racks = 0, 2 // the shared racks come first
	top = c.Topology()
	if top.Racks != 3 || top.Nodes[0].Rack != 2 || top.Nodes[6].Rack != 0 || top.Nodes[17].Rack != 1 {
		t.Errorf("racks %v", top.Nodes)
	}
}

func TestRacksOfAClassAreRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"classes[1].racks: 13 racks for 12 hosts":                       func(c *Config) { c.Classes[1].OwnRacks = 13 },
		"classes[0].uplink: an uplink of a class that shares its racks": func(c *Config) { c.Classes[0].OwnRacks, c.Classes[0].Uplink = 0, 1 },
		"racks: 7 racks for 6 hosts":                                    func(c *Config) { c.Classes[0].OwnRacks, c.Racks = 0, 7 },
	} {
		c := twoKinds()
		change(c)
		p := c.Validate()
		if len(p) != 1 || !strings.Contains(p[0].Path+": "+p[0].Found, want) {
			t.Errorf("%v, want %s", p, want)
		}
	}
}
