// SPDX-License-Identifier: Apache-2.0

package sls

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/tracetest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// Hadoop's nodes.json names racks 1 to 5 and nodes 1 to 19; its last node has no name.
func TestReadNodesHadoopSample(t *testing.T) {
	text := tracetest.Sample(t, "nodes.json")
	log := &workload.Log{File: "nodes.json"}
	racks, err := ReadNodes(strings.NewReader(text), log)
	const fault = "nodes.json: rack 5, nodes[3]: node: found nothing; allowed: the name of a node (--repair: the node is left out)"
	if err != nil || len(racks) != 4 || log.Err() == nil || log.Err().Error() != fault {
		t.Errorf("%d racks, %v, %v", len(racks), err, log.Err())
	}
	log = &workload.Log{Mend: true}
	racks, err = ReadNodes(strings.NewReader(text), log)
	if err != nil || log.Err() != nil || len(racks) != 5 || len(log.Repaired) != 1 {
		t.Fatalf("%d racks, %v, %v", len(racks), err, log.Err())
	}
	n := 0
	for i, r := range racks {
		if want := fmt.Sprint("rack", i+1); r.Name != want {
			t.Errorf("rack %q, want %q", r.Name, want)
		}
		for _, node := range r.Nodes {
			n++
			if want := (Node{Name: fmt.Sprint("node", n)}); node != want || (n-1)/4 != i {
				t.Errorf("%+v in rack %d, want %+v", node, i, want)
			}
		}
	}
	if n != 19 {
		t.Errorf("%d nodes, want 19", n)
	}
}

// Hadoop's nodes-with-resources.json sizes the first and the last of four nodes.
func TestReadNodesWithResources(t *testing.T) {
	const labels = "label1, label2(exclusive=false)"
	log := &workload.Log{}
	racks, err := ReadNodes(strings.NewReader(tracetest.Sample(t, "nodes-with-resources.json")), log)
	want := []Rack{{"rack1", []Node{{"node1", 2 * model.GiB, 6, ""}, {Name: "node2"}, {Name: "node3", Labels: labels}, {"node4", 6 * model.GiB, 12, labels}}}}
	if err != nil || log.Err() != nil || !reflect.DeepEqual(racks, want) {
		t.Errorf("%+v, %v, %v", racks, err, log.Err())
	}
}

func TestReadNodesFaults(t *testing.T) {
	const good = `{"rack":"r","nodes":[{"node":"n"}]}`
	for _, c := range []struct{ name, text, want string }{
		{"truncated", good + `{"rack":"s"`, `x: rack 2, line 1: JSON: found the end of the file inside the rack; allowed: a whole JSON object`},
		{"no rack", good + `{"nodes":[{"node":"n"}]}`, `x: rack 2: rack: found nothing; allowed: the name of a rack`},
		{"rack is a number", good + `{"rack":1,"nodes":[{"node":"n"}]}`, `x: rack 2: rack: found 1; allowed: a string`},
		{"no nodes", good + `{"rack":"s"}`, `x: rack 2: nodes: found nothing; allowed: at least one node`},
		{"nodes are a string", good + `{"rack":"s","nodes":"n"}`, `x: rack 2: nodes: found a JSON string; allowed: a list`},
		{"node is a number", good + `{"rack":"s","nodes":[{"node":"n"},{"node":1}]}`, `x: rack 2, nodes[1]: node: found 1; allowed: a string`},
		{"twice", good + `{"rack":"r","nodes":[{"node":"n"}]}`, `x: rack 2, nodes[0]: node: found "n" twice; allowed: a name of its own for each node of a rack`},
		{"memory", good + `{"rack":"s","nodes":[{"node":"n","memory-mb":-1}]}`, `x: rack 2, nodes[0]: memory-mb: found -1; allowed: a whole number from 1 to 8796093022207`},
		{"memory overflow", good + `{"rack":"s","nodes":[{"node":"n","memory-mb":8796093022208}]}`, `x: rack 2, nodes[0]: memory-mb: found 8796093022208; allowed: a whole number from 1 to 8796093022207`},
		{"cores", good + `{"rack":"s","nodes":[{"node":"n","vcores":"many"}]}`, `x: rack 2, nodes[0]: vcores: found "many"; allowed: a whole number from 1 to 2147483647`},
	} {
		log := &workload.Log{File: "x", Mend: true}
		racks, err := ReadNodes(strings.NewReader(c.text), log)
		if err != nil || len(racks) != 1 || log.Err() == nil || log.Err().Error() != c.want {
			t.Errorf("%s: %d racks, %v\n%v\nwant\n%s", c.name, len(racks), err, log.Err(), c.want)
		}
	}
}

// The answer of a resource manager: sizes are totals, or the sum of their parts; a lost node is left out.
func TestReadNodesOfResourceManager(t *testing.T) {
	const text = `{"nodes":{"node":[
 {"rack":"/r2","state":"RUNNING","id":"b:8041","nodeHostName":"b","usedMemoryMB":1024,"availMemoryMB":1024,"usedVirtualCores":2,"availableVirtualCores":6},
 {"rack":"/r1","state":"LOST","nodeHostName":"gone","usedMemoryMB":0,"availMemoryMB":0,"usedVirtualCores":0,"availableVirtualCores":0},
 {"rack":"/r1","state":"RUNNING","nodeHostName":"a","nodeLabels":["gpu"],"totalResource":{"memory":4096,"vCores":4}},
 {"rack":"/r2","state":"RUNNING","nodeHostName":"c","totalResource":{"memory":4096,"vCores":4}}]}}`
	log := &workload.Log{File: "x"}
	racks, err := ReadNodes(strings.NewReader(text), log)
	want := []Rack{{"/r2", []Node{{"b", 2 * model.GiB, 8, ""}, {"c", 4 * model.GiB, 4, ""}}}, {"/r1", []Node{{"a", 4 * model.GiB, 4, "gpu"}}}}
	if err != nil || log.Err() != nil || !reflect.DeepEqual(racks, want) {
		t.Errorf("%+v, %v, %v", racks, err, log.Err())
	}
	if notes := log.Notes(); len(notes) != 1 || notes[0] != "x: nodes.node[1]: state: left out: the node is LOST" {
		t.Errorf("%q", notes)
	}
	for text, want := range map[string]string{
		`{"nodes":{"node":[{"rack":"/r"}]}}`: "x: nodes.node[0]: nodeHostName: found nothing; allowed: the name of a host",
		`{"nodes":{"node":[]}}`:              "x: nodes: node: found no node that gives containers; allowed: at least one",
		`{"nodes":{"node":[{"nodeHostName":"a","totalResource":{"memory":1}}]}}`: "x: nodes.node[0]: usedVirtualCores and availableVirtualCores: found nothing",
	} {
		log := &workload.Log{File: "x"}
		if racks, err := ReadNodes(strings.NewReader(text), log); err != nil || len(racks) > 0 || log.Err() == nil || !strings.HasPrefix(log.Err().Error(), want) {
			t.Errorf("%s: %v, %v, %v", text, racks, err, log.Err())
		}
	}
}
