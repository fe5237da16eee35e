// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/sls"
)

// What a node has for which nothing says it: SLS's own defaults.
const (
	nodeMemory = 10 * model.GiB
	nodeVCores = 10
)

// ClusterFromNodes turns a nodes file of SLS, or the list of nodes of a resource manager, into the cluster section of a
// scenario, with the names, racks and labels of the nodes: nodes with the same memory and vcores form a class. Where the
// file does not say them, memory and vcores are those given; if these are 0 a default is taken, which the log notes. The log
// also has what was repaired.
func ClusterFromNodes(file string, mend bool, memory model.Bytes, vcores int32) (*cluster.Config, *workload.Log, error) {
	src, err := ReadInput(file)
	if err != nil {
		return nil, nil, err
	}
	log := &workload.Log{File: file, Mend: mend}
	racks, err := sls.ReadNodes(bytes.NewReader(src), log)
	if err == nil {
		err = log.Err()
	}
	if err != nil {
		return nil, nil, &strict.InputError{Err: err}
	}
	for _, r := range racks {
		for _, n := range r.Nodes {
			if n.Memory == 0 && memory == 0 || n.VCores == 0 && vcores == 0 {
				log.Note("node "+n.Name, "no memory or vcores", fmt.Sprintf("what is missing is taken to be %v and %d vcores", model.Bytes(nodeMemory), nodeVCores))
			}
		}
	}
	memory, vcores = cmp.Or(memory, nodeMemory), cmp.Or(vcores, nodeVCores)
	c := ClusterOfRacks(racks, memory, vcores)
	if problems := c.Validate(); len(problems) > 0 {
		p := problems[0]
		return nil, nil, &strict.InputError{Err: fmt.Errorf("%s: %s: found %s; allowed: %s", file, p.Path, p.Found, p.Allowed)}
	}
	return c, log, nil
}

// ClusterOfRacks turns racks of nodes into the cluster section of a scenario. Where a node does not say them, memory and
// vcores are those given.
func ClusterOfRacks(racks []sls.Rack, memory model.Bytes, vcores int32) *cluster.Config {
	c := cluster.DefaultConfig()
	c.Room = "yarn"
	for _, r := range racks {
		for _, n := range r.Nodes {
			n.Memory, n.VCores = cmp.Or(n.Memory, memory), cmp.Or(n.VCores, vcores)
			at := slices.IndexFunc(c.Classes, func(k cluster.ClassConfig) bool { return k.Memory == n.Memory && k.VCores == n.VCores })
			if at < 0 {
				at = len(c.Classes)
				c.Classes = append(c.Classes, cluster.ClassConfig{})
				c.Classes[at].SetDefaults()
				c.Classes[at].Name, c.Classes[at].Memory, c.Classes[at].VCores = fmt.Sprintf("class%d", at+1), n.Memory, n.VCores
			}
			c.Classes[at].Nodes++
			c.Nodes = append(c.Nodes, cluster.NodeConfig{Name: n.Name, Rack: strings.Trim(r.Name, "/"), Class: c.Classes[at].Name, Labels: labels(n.Labels)})
		}
	}
	c.Racks = distinctRacks(c.Nodes)
	return &c
}

func labels(text string) (list []string) {
	for l := range strings.SplitSeq(text, ",") {
		if l = strings.TrimSpace(l); l != "" {
			list = append(list, l)
		}
	}
	return list
}

func distinctRacks(nodes []cluster.NodeConfig) int {
	seen := map[string]bool{}
	for i := range nodes {
		seen[nodes[i].Rack] = true
	}
	return len(seen)
}

// hostWarnings says which hosts of the trace are none of the cluster's, and what of names has no effect.
func (s *Scenario) hostWarnings(t *model.Topology) (list []string) {
	if t.Labels != nil {
		list = append(list, "nodes have labels, which have no effect on scheduling")
	}
	if s.trace == nil {
		return list
	}
	hosts := workload.HostsOf(t)
	maps, first := hosts.Strangers(s.trace.records)
	switch {
	case maps == 0:
	case hosts == nil:
		list = append(list, fmt.Sprintf("%s says where the blocks of %d maps lie (%s first), but nodes have no names (cluster.nodes): HDFS's placement is drawn", s.trace.file, maps, first))
	default:
		list = append(list, fmt.Sprintf("%d maps of %s have their blocks on hosts that are no nodes of the cluster (%s first): HDFS's placement is drawn for them", maps, s.trace.file, first))
	}
	return list
}
