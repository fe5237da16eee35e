// SPDX-License-Identifier: Apache-2.0

// Package machines has the hosts of a cluster as resources of a fluid solver: links, disks, cores and memory, and what a unit
// of work takes of each.
package machines

import (
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/rng"
)

// Hardware is the machines as resources of a solver: links, and under the resources model disks and cores.
type Hardware struct {
	Fabric *network.Fabric
	nodes  []model.Node
	disks  fluid.Resource // of host 0, the others follow
	cores  fluid.Resource // of host 0
	Clock  []float64      // cycles per second of a core, by host
	Speed  []float64      // of a core, by host: 1 is the reference machine's
	InRack []int32        // hosts by rack
	Sent   []float64      // bytes over links so far, numbered as in record.Traffic
	Memory
}

// New adds the topology to a solver, with disks and cores if full is set.
func New(solver *fluid.Solver, t *model.Topology, full bool, seed uint64) (*Hardware, error) {
	h := &Hardware{nodes: t.Nodes, Clock: make([]float64, t.Hosts), Speed: make([]float64, t.Hosts), InRack: make([]int32, t.Racks)}
	hosts, racks := make([]network.Host, t.Hosts), make([]network.Rack, t.Racks)
	machines := make([]*model.Hardware, t.Hosts)
	for _, n := range t.Nodes {
		class := &t.Classes[n.Class]
		link := float64(class.Hardware.Link)
		if machines[n.Host] == nil {
			h.InRack[n.Rack]++
		}
		hosts[n.Host] = network.Host{Rack: int(n.Rack), Up: link, Down: link}
		machines[n.Host] = &class.Hardware
		h.Clock[n.Host], h.Speed[n.Host] = float64(class.Hardware.Clock)*class.Speed, class.Speed
	}
	for r := range racks {
		racks[r] = network.Rack{Up: float64(t.Uplinks[r]), Down: float64(t.Uplinks[r])}
	}
	h.Sent = make([]float64, t.Racks*t.Racks)
	var err error
	if h.Fabric, err = network.NewFabric(solver, hosts, racks); err != nil || !full {
		return h, err
	}
	return h, h.addMachines(solver, machines, seed)
}

// addMachines adds the disks and cores of the hosts.
func (h *Hardware) addMachines(solver *fluid.Solver, machines []*model.Hardware, seed uint64) error {
	luck := rng.New(seed, rng.DiskRate)
	for i, m := range machines {
		rate := float64(m.Disk)
		if m.DiskCV > 0 {
			v := math.Log1p(m.DiskCV * m.DiskCV)
			rate *= math.Exp(math.Sqrt(v)*luck.At(uint64(i), 0, 0).NormFloat64() - v/2)
		}
		table := []float64{rate} // nothing interleaves with write-back alone
		for _, share := range m.DiskStreams {
			table = append(table, rate*float64(share))
		}
		r, err := solver.AddTable("disk of host "+strconv.Itoa(i), table)
		if err != nil {
			return err
		}
		if i == 0 {
			h.disks = r
		}
	}
	for i, m := range machines {
		r, err := solver.AddResource("cores of host "+strconv.Itoa(i), m.Cores)
		if err != nil {
			return err
		}
		if i == 0 {
			h.cores = r
		}
	}
	return nil
}

// Host returns the host of a node.
func (h *Hardware) Host(n model.NodeID) int { return int(h.nodes[n].Host) }

// Disk returns the disk of a host.
func (h *Hardware) Disk(host int) fluid.Resource { return h.disks + fluid.Resource(host) }

// Core returns the cores of a host.
func (h *Hardware) Core(host int) fluid.Resource { return h.cores + fluid.Resource(host) }

// Send adds to the traffic from one rack to another, or its own; what was taken back is negative.
func (h *Hardware) Send(from, to int, bytes float64) { h.Sent[from*len(h.InRack)+to] += bytes }

// Route adds to the traffic between the racks of two hosts.
func (h *Hardware) Route(from, to int, bytes float64) {
	h.Send(h.Fabric.Rack(from), h.Fabric.Rack(to), bytes)
}

// Needs adds up what a unit of work takes of resources, and what of it travels over links. It is used
// for one activity after the other.
type Needs struct {
	*Hardware
	Uses  []fluid.Use
	Links float64 // bytes over links for a unit of work
	Cross float64 // of these, across racks
}

// Reset forgets what was added up.
func (n *Needs) Reset() { n.Uses, n.Links, n.Cross = n.Uses[:0], 0, 0 }

// Use adds to what a unit of work takes of a resource.
func (n *Needs) Use(r fluid.Resource, coefficient float64) {
	if coefficient == 0 {
		return
	}
	for i := range n.Uses {
		if n.Uses[i].Resource == r {
			n.Uses[i].Coefficient += coefficient
			return
		}
	}
	n.Uses = append(n.Uses, fluid.Use{Resource: r, Coefficient: coefficient})
}

// UseDisk adds to what a unit of work takes of a host's disk.
func (n *Needs) UseDisk(host int, coefficient float64) { n.Use(n.Disk(host), coefficient) }

// UseCore makes a byte of progress cost cycles of a core, and returns the rate of one core alone, 0 if
// it costs none.
func (n *Needs) UseCore(host int, cycles float64) float64 {
	perByte := cycles / n.Clock[host]
	if perByte == 0 {
		return 0
	}
	n.Use(n.Core(host), perByte)
	return 1 / perByte
}

// UsePath adds the links between two hosts, and what travels on them for a unit of work.
func (n *Needs) UsePath(from, to int, bytes float64) {
	if from == to {
		return
	}
	n.Links += bytes
	if n.Fabric.Rack(from) != n.Fabric.Rack(to) {
		n.Cross += bytes
	}
	had := len(n.Uses)
	n.Uses = n.Fabric.Path(n.Uses, from, to)
	added := n.Uses[had:]
	n.Uses = n.Uses[:had]
	for _, u := range added {
		n.Use(u.Resource, u.Coefficient*bytes)
	}
}

// Activity returns the activity of the given work. It uses what was added up and is held to a rate if
// limit is above 0. One that nothing holds back takes no time: its work is 0.
func (n *Needs) Activity(work, limit float64) fluid.Spec {
	if len(n.Uses) == 0 && limit == 0 {
		return fluid.Spec{}
	}
	return fluid.Spec{Work: work, Cap: limit, Streams: 1, Uses: n.Uses}
}

// CoreTime is an activity of one core: its work is seconds.
func (n *Needs) CoreTime(host int, seconds float64) fluid.Spec {
	n.Use(n.Core(host), 1)
	return fluid.Spec{Work: seconds, Cap: 1, Uses: n.Uses}
}
