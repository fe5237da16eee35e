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
	log := &workload.Log{}
	racks, err := ReadNodes(strings.NewReader(tracetest.Sample(t, "nodes-with-resources.json")), log)
	want := []Rack{{"rack1", []Node{{"node1", 2 * model.GiB, 6}, {Name: "node2"}, {Name: "node3"}, {"node4", 6 * model.GiB, 12}}}}
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
