// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/network"
	"github.com/yardmaster/yardmaster/rng"
)

// hardware is the machines as resources of a solver: links, and under the resources model disks and cores.
type hardware struct {
	fabric *network.Fabric
	nodes  []model.Node
	disks  fluid.Resource // of host 0, the others follow
	cores  fluid.Resource // of host 0
	clock  []float64      // cycles per second of a core, by host
	speed  []float64      // of a core, by host: 1 is the reference machine's
	inRack []int32        // hosts by rack
	sent   []float64      // bytes over links so far, numbered as in record.Traffic
	memory
}

// newHardware adds the topology to a solver, with disks and cores if full is set.
func newHardware(solver *fluid.Solver, t *model.Topology, full bool, seed uint64) (*hardware, error) {
	h := &hardware{nodes: t.Nodes, clock: make([]float64, t.Hosts), speed: make([]float64, t.Hosts), inRack: make([]int32, t.Racks)}
	hosts, racks := make([]network.Host, t.Hosts), make([]network.Rack, t.Racks)
	machines := make([]*model.Hardware, t.Hosts)
	for _, n := range t.Nodes {
		class := &t.Classes[n.Class]
		link := float64(class.Hardware.Link)
		if machines[n.Host] == nil {
			h.inRack[n.Rack]++
		}
		hosts[n.Host] = network.Host{Rack: int(n.Rack), Up: link, Down: link}
		machines[n.Host] = &class.Hardware
		h.clock[n.Host], h.speed[n.Host] = float64(class.Hardware.Clock)*class.Speed, class.Speed
	}
	for r := range racks {
		racks[r] = network.Rack{Up: float64(t.Uplinks[r]), Down: float64(t.Uplinks[r])}
	}
	h.sent = make([]float64, t.Racks*t.Racks)
	var err error
	if h.fabric, err = network.NewFabric(solver, hosts, racks); err != nil || !full {
		return h, err
	}
	return h, h.addMachines(solver, machines, seed)
}

// addMachines adds the disks and cores of the hosts.
func (h *hardware) addMachines(solver *fluid.Solver, machines []*model.Hardware, seed uint64) error {
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

// host returns the host of a node.
func (h *hardware) host(n model.NodeID) int { return int(h.nodes[n].Host) }

func (h *hardware) disk(host int) fluid.Resource { return h.disks + fluid.Resource(host) }
func (h *hardware) core(host int) fluid.Resource { return h.cores + fluid.Resource(host) }

// needs adds up what a unit of work takes of resources, and what of it travels over links. It is used
// for one activity after the other.
type needs struct {
	*hardware
	uses  []fluid.Use
	links float64 // bytes over links for a unit of work
	cross float64 // of these, across racks
}

func (n *needs) reset() { n.uses, n.links, n.cross = n.uses[:0], 0, 0 }

// use adds to what a unit of work takes of a resource.
func (n *needs) use(r fluid.Resource, coefficient float64) {
	if coefficient == 0 {
		return
	}
	for i := range n.uses {
		if n.uses[i].Resource == r {
			n.uses[i].Coefficient += coefficient
			return
		}
	}
	n.uses = append(n.uses, fluid.Use{Resource: r, Coefficient: coefficient})
}

func (n *needs) useDisk(host int, coefficient float64) { n.use(n.disk(host), coefficient) }

// useCore makes a byte of progress cost cycles of a core, and returns the rate of one core alone, 0 if
// it costs none.
func (n *needs) useCore(host int, cycles float64) float64 {
	perByte := cycles / n.clock[host]
	if perByte == 0 {
		return 0
	}
	n.use(n.core(host), perByte)
	return 1 / perByte
}

// usePath adds the links between two hosts, and what travels on them for a unit of work.
func (n *needs) usePath(from, to int, bytes float64) {
	if from == to {
		return
	}
	n.links += bytes
	if n.fabric.Rack(from) != n.fabric.Rack(to) {
		n.cross += bytes
	}
	had := len(n.uses)
	n.uses = n.fabric.Path(n.uses, from, to)
	added := n.uses[had:]
	n.uses = n.uses[:had]
	for _, u := range added {
		n.use(u.Resource, u.Coefficient*bytes)
	}
}

// activity returns the activity of the given work. It uses what was added up and is held to a rate if
// limit is above 0. One that nothing holds back takes no time: its work is 0.
func (n *needs) activity(work, limit float64) fluid.Spec {
	if len(n.uses) == 0 && limit == 0 {
		return fluid.Spec{}
	}
	return fluid.Spec{Work: work, Cap: limit, Streams: 1, Uses: n.uses}
}

// core time is an activity of one core: its work is seconds.
func (n *needs) coreTime(host int, seconds float64) fluid.Spec {
	n.use(n.core(host), 1)
	return fluid.Spec{Work: seconds, Cap: 1, Uses: n.uses}
}
