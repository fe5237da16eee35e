// SPDX-License-Identifier: Apache-2.0

package sls

import (
	"bufio"
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// Rack is a rack of a nodes file.
type Rack struct {
	Name  string
	Nodes []Node
}

// Node is one machine. Memory and VCores are 0 if the file does not give them.
type Node struct {
	Name   string
	Memory model.Bytes
	VCores int32
	Labels string // with commas between them, such as "gpu, spot(exclusive=false)"
}

type rack struct {
	Rack  hadoop.Text `json:"rack"`
	Nodes []node      `json:"nodes"`
}

type node struct {
	Node   hadoop.Text `json:"node"`
	Memory hadoop.Num  `json:"memory-mb"`
	VCores hadoop.Num  `json:"vcores"`
	Labels hadoop.Text `json:"labels"`
}

// ReadNodes reads a nodes file, or the answer of a resource manager about its nodes (see readRest): racks in the order of the file, each with its nodes in order. Racks
// with a fault are left out; a node without a name (Hadoop's own sample has one) can be repaired by
// leaving out the node. The error is that of reading r; the caller must look at log.
func ReadNodes(r io.Reader, log *workload.Log) ([]Rack, error) {
	in := bufio.NewReaderSize(r, headSize)
	if head, _ := in.Peek(headSize); isRest(head) {
		return readRest(in, log)
	}
	rows := hadoop.NewRows[rack](in, log, "rack")
	var racks []Rack
	seen := map[string]bool{}
	for {
		in, ok := rows.Next()
		if !ok {
			return racks, rows.Err()
		}
		where := rows.Where()
		c := &hadoop.Check{Log: log, At: func() string { return where }}
		out := Rack{Name: c.Str(in.Rack, "rack")}
		if out.Name == "" && !c.Bad {
			c.Refuse("rack", "nothing", "the name of a rack")
		}
		if len(in.Nodes) == 0 {
			c.Refuse("nodes", "nothing", "at least one node")
		}
		for i := range in.Nodes {
			nc := &hadoop.Check{Log: log, At: func() string { return fmt.Sprintf("%s, nodes[%d]", where, i) }}
			if n, ok := in.Nodes[i].node(nc, out.Name, seen); ok {
				out.Nodes = append(out.Nodes, n)
			}
			c.Bad = c.Bad || nc.Bad
		}
		if !c.Bad {
			racks = append(racks, out)
		}
	}
}

// node returns the checked node, and whether it has a name.
func (n *node) node(c *hadoop.Check, rack string, seen map[string]bool) (Node, bool) {
	name := c.Str(n.Node, "node")
	memory, _ := c.Int(n.Memory, "memory-mb", 1, hadoop.MaxMiB)
	vcores, _ := c.Int(n.VCores, "vcores", 1, 1<<31-1)
	if name == "" {
		if !c.Bad {
			c.Mend("node", "nothing", "the name of a node", "the node is left out")
		}
		return Node{}, false
	}
	path := hadoop.Path(rack, name)
	if seen[path] {
		c.Refuse("node", hadoop.Quote(name)+" twice", "a name of its own for each node of a rack")
	}
	seen[path] = true
	return Node{Name: name, Memory: model.Bytes(memory) * model.MiB, VCores: int32(vcores), Labels: c.Str(n.Labels, "labels")}, true
}
