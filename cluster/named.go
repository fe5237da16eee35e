// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// NodeConfig names one node.
type NodeConfig struct {
	Name   string   `yaml:"name" required:"true" doc:"Name of the host; it may occur in several racks, but once in each."`
	Rack   string   `yaml:"rack" doc:"Name of its rack, with or without a slash before it."`
	Class  string   `yaml:"class" doc:"Name of its class; may be left out where there is only one."`
	Labels []string `yaml:"labels,omitempty" doc:"Node labels of YARN, such as gpu, or gpu(exclusive=false) for one whose idle nodes others may use."`
}

// SetDefaults fills what a scenario leaves out.
func (n *NodeConfig) SetDefaults() { n.Rack = "default-rack" }

// RackName returns the name of a rack as YARN writes it: with one slash before it.
func RackName(rack string) string { return "/" + strings.Trim(rack, "/") }

// class returns the position of the node's class, model.None if there is none of its name.
func (c *Config) class(n *NodeConfig) int {
	if n.Class == "" && len(c.Classes) == 1 {
		return 0
	}
	for i := range c.Classes {
		if c.Classes[i].Name == n.Class {
			return i
		}
	}
	return model.None
}

// validateNodes returns the faults of the list of nodes, which must say the same as the numbers beside it.
func (c *Config) validateNodes() (problems []model.Problem) {
	if len(c.Nodes) == 0 {
		return nil
	}
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	count := make([]int, len(c.Classes))
	racks, seen := map[string]bool{}, map[string]bool{}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		at := fmt.Sprintf("nodes[%d].", i)
		rack := RackName(n.Rack)
		racks[rack] = true
		if n.Name == "" || strings.ContainsAny(n.Name, "/, ") {
			bad(at+"name", fmt.Sprintf("%q", n.Name), "the name of a host, without slash, comma and blank")
		}
		if path := rack + "/" + n.Name; seen[path] {
			bad(at+"name", fmt.Sprintf("%q twice in %s", n.Name, rack), "a name of its own for each node of a rack")
		} else {
			seen[path] = true
		}
		if k := c.class(n); k >= 0 {
			count[k]++
		} else {
			bad(at+"class", fmt.Sprintf("%q", n.Class), "the name of a class")
		}
		for k, text := range n.Labels {
			if _, ok := parseLabel(text); !ok {
				bad(fmt.Sprintf("%slabels[%d]", at, k), fmt.Sprintf("%q", text), "letters, digits, - and _, with (exclusive=false) or (exclusive=true) behind them or nothing")
			}
		}
	}
	for i := range c.Classes {
		if k := &c.Classes[i]; count[i] != k.Nodes {
			bad(fmt.Sprintf("classes[%d].nodes", i), fmt.Sprintf("%d for %d named nodes", k.Nodes, count[i]), "as many as nodes names of this class")
		}
		if c.Classes[i].OwnRacks > 0 {
			bad(fmt.Sprintf("classes[%d].racks", i), fmt.Sprint(c.Classes[i].OwnRacks), "nothing where nodes have names: each says its rack")
		}
		if c.Classes[i].NodesPerHost > 1 {
			bad(fmt.Sprintf("classes[%d].nodes-per-host", i), fmt.Sprint(c.Classes[i].NodesPerHost), "1 where nodes have names")
		}
	}
	if len(racks) != c.Racks {
		bad("racks", fmt.Sprintf("%d for %d named racks", c.Racks, len(racks)), "as many as nodes names")
	}
	return problems
}

// Resized returns the list of nodes for a class of another size, and how many racks it names: the last nodes of the class
// leave, or nodes like its first, second, … come behind all others.
func (c *Config) Resized(class, nodes int) (list []NodeConfig, racks int) {
	var alike []NodeConfig
	named := map[string]bool{}
	for i := range c.Nodes {
		if c.class(&c.Nodes[i]) == class {
			alike = append(alike, c.Nodes[i])
			if len(alike) > nodes {
				continue
			}
		}
		list = append(list, c.Nodes[i])
		named[RackName(c.Nodes[i].Rack)] = true
	}
	for i := len(alike); i < nodes && len(alike) > 0; i++ {
		n := alike[i%len(alike)]
		n.Name = fmt.Sprintf("added%d", len(list)+1)
		list = append(list, n)
		named[RackName(n.Rack)] = true
	}
	return list, len(named)
}

// parseLabel reads a label as YARN writes it.
func parseLabel(text string) (model.Label, bool) {
	name, rest, marked := strings.Cut(strings.TrimSpace(text), "(")
	label := model.Label{Name: strings.TrimSpace(name)}
	if marked {
		switch strings.ReplaceAll(rest, " ", "") {
		case "exclusive=false)":
			label.Shared = true
		case "exclusive=true)":
		default:
			return label, false
		}
	}
	for i, r := range label.Name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || r != '-' && r != '_') {
			return label, false
		}
	}
	return label, label.Name != ""
}

// named builds the nodes of a cluster with names, in the order of the list. Racks are numbered as they come.
func (c *Config) named(t *model.Topology) {
	racks := map[string]model.RackID{}
	t.Names = make([]string, len(c.Nodes))
	labels := make([][]model.Label, len(c.Nodes))
	for i := range c.Nodes {
		n := &c.Nodes[i]
		rack, known := racks[RackName(n.Rack)]
		if !known {
			rack = model.RackID(len(racks))
			racks[RackName(n.Rack)] = rack
			t.RackNames = append(t.RackNames, RackName(n.Rack))
		}
		t.Names[i] = n.Name
		t.Nodes = append(t.Nodes, model.Node{Class: uint8(c.class(n)), Rack: rack, Host: model.HostID(i)})
		for _, text := range n.Labels {
			label, _ := parseLabel(text)
			labels[i] = append(labels[i], label)
			t.Labels = labels
		}
	}
	t.Hosts = len(c.Nodes)
}
