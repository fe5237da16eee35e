// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// Hosts finds nodes by what traces call them: "/rack/host", and "host" where the name occurs once.
type Hosts map[string]model.NodeID

// HostsOf returns the hosts of a cluster, nil if its nodes have no names.
func HostsOf(t *model.Topology) Hosts {
	if t.Names == nil {
		return nil
	}
	h := make(Hosts, 2*len(t.Names))
	for i, name := range t.Names {
		h[t.RackNames[t.Nodes[i].Rack]+"/"+name] = model.NodeID(i)
		if _, twice := h[name]; twice {
			h[name] = model.None
		} else {
			h[name] = model.NodeID(i)
		}
	}
	return h
}

// Find returns the node of a host, model.None if there is none. A host whose rack has another name here, as in a
// history without racks, is found by its own name.
func (h Hosts) Find(path string) model.NodeID {
	if n, ok := h[path]; ok {
		return n
	}
	if n, ok := h[path[strings.LastIndexByte(path, '/')+1:]]; ok {
		return n
	}
	return model.None
}

// blocks returns the nodes that hold the blocks of a job, nil if none of its hosts is a node.
func (h Hosts) blocks(r *Record) [][]model.NodeID {
	if h == nil || len(r.MapHosts) == 0 {
		return nil
	}
	blocks, some := make([][]model.NodeID, len(r.MapHosts)), false
	known := map[string][]model.NodeID{} // lists are shared: there are far fewer than maps
	for i, host := range r.MapHosts {
		list := host
		if i < len(r.OtherHosts) && r.OtherHosts[i] != "" {
			list += "," + r.OtherHosts[i]
		}
		nodes, seen := known[list]
		if !seen {
			nodes = h.all(list)
			known[list] = nodes
		}
		blocks[i], some = nodes, some || len(nodes) > 0
	}
	if !some {
		return nil
	}
	return blocks
}

// all returns the nodes of a list of hosts with commas between them, without those that are no node.
func (h Hosts) all(list string) (nodes []model.NodeID) {
	for host := range strings.SplitSeq(list, ",") {
		if host == "" {
			continue
		}
		if n := h.Find(host); n != model.None {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Strangers counts the maps of a trace whose blocks lie on hosts none of which is a node, and returns the first such
// host.
func (h Hosts) Strangers(records []Record) (maps int, first string) {
	for i := range records {
		blocks := h.blocks(&records[i])
		for m, host := range records[i].MapHosts {
			if host != "" && (blocks == nil || len(blocks[m]) == 0) {
				if maps++; first == "" {
					first = host
				}
			}
		}
	}
	return maps, first
}
