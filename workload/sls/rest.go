// SPDX-License-Identifier: Apache-2.0

package sls

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// headSize is how much of a file tells what it is.
const headSize = 4 << 10

var restHead = regexp.MustCompile(`^\s*\{\s*"nodes"\s*:\s*\{\s*"node"\s*:`)

// isRest reports whether a file begins as the answer of a resource manager does.
func isRest(head []byte) bool { return restHead.Match(head) }

// answer is what GET /ws/v1/cluster/nodes returns.
type answer struct {
	Nodes struct {
		Node []restNode `json:"node"`
	} `json:"nodes"`
}

type restNode struct {
	Rack   hadoop.Text   `json:"rack"`
	Host   hadoop.Text   `json:"nodeHostName"`
	State  hadoop.Text   `json:"state"`
	Labels []hadoop.Text `json:"nodeLabels"`
	Total  struct {
		Memory hadoop.Num `json:"memory"`
		VCores hadoop.Num `json:"vCores"`
	} `json:"totalResource"`
	UsedMB     hadoop.Num `json:"usedMemoryMB"`
	AvailMB    hadoop.Num `json:"availMemoryMB"`
	UsedCores  hadoop.Num `json:"usedVirtualCores"`
	AvailCores hadoop.Num `json:"availableVirtualCores"`
}

// gone are the states of nodes that give no containers.
var gone = map[string]bool{"LOST": true, "DECOMMISSIONED": true, "SHUTDOWN": true, "REBOOTED": true, "UNHEALTHY": true}

// readRest reads the list of nodes that a resource manager gives. A node is as large as its totalResource, or, where an
// older release does not say it, what is used and what is available of it together. Nodes in a state that gives no containers
// are noted and left out. Racks come in the order of their first node.
func readRest(r io.Reader, log *workload.Log) ([]Rack, error) {
	rows := hadoop.NewRows[answer](r, log, "answer")
	in, ok := rows.Next()
	if !ok {
		return nil, rows.Err()
	}
	var racks []Rack
	seen := map[string]bool{}
	for i := range in.Nodes.Node {
		n := &in.Nodes.Node[i]
		c := &hadoop.Check{Log: log, At: func() string { return fmt.Sprintf("nodes.node[%d]", i) }}
		if state := c.Str(n.State, "state"); gone[state] {
			log.Note(c.At(), "state", "left out: the node is "+state)
			continue
		}
		node, rack := n.node(c, seen)
		if c.Bad {
			continue
		}
		at := len(racks)
		for k := range racks {
			if racks[k].Name == rack {
				at = k
			}
		}
		if at == len(racks) {
			racks = append(racks, Rack{Name: rack})
		}
		racks[at].Nodes = append(racks[at].Nodes, node)
	}
	if len(racks) == 0 && len(log.Faults) == 0 {
		log.Refuse("nodes", "node", "no node that gives containers", "at least one")
	}
	return racks, nil
}

// node returns the checked node and its rack.
func (n *restNode) node(c *hadoop.Check, seen map[string]bool) (Node, string) {
	host, rack := c.Str(n.Host, "nodeHostName"), c.Str(n.Rack, "rack")
	if host == "" {
		c.Refuse("nodeHostName", "nothing", "the name of a host")
	}
	if rack == "" {
		rack = "/default-rack"
	}
	if path := hadoop.Path(rack, host); host != "" && seen[path] {
		c.Refuse("nodeHostName", hadoop.Quote(host)+" twice", "a name of its own for each node of a rack")
	} else {
		seen[path] = true
	}
	total := func(total, used, avail hadoop.Num, field, parts string) int64 {
		if v, given := c.Int(total, field, 1, hadoop.MaxMiB); given || c.Bad {
			return v
		}
		return c.Need(used, parts, 0, hadoop.MaxMiB/2) + c.Need(avail, parts, 0, hadoop.MaxMiB/2)
	}
	memory := total(n.Total.Memory, n.UsedMB, n.AvailMB, "totalResource.memory", "usedMemoryMB and availMemoryMB")
	vcores := total(n.Total.VCores, n.UsedCores, n.AvailCores, "totalResource.vCores", "usedVirtualCores and availableVirtualCores")
	var labels []string
	for _, l := range n.Labels {
		if text := c.Str(l, "nodeLabels"); text != "" {
			labels = append(labels, text)
		}
	}
	return Node{Name: host, Memory: model.Bytes(memory) * model.MiB, VCores: int32(min(vcores, 1<<31-1)), Labels: strings.Join(labels, ",")}, rack
}
