// SPDX-License-Identifier: Apache-2.0

package network

import (
	"strconv"

	"github.com/yardmaster/yardmaster/fluid"
)

// Host is one machine and its links, in bytes per second.
type Host struct {
	Rack     int
	Up, Down float64
}

// Rack is the links of a rack to the core, in bytes per second.
type Rack struct{ Up, Down float64 }

// Fabric is an up and a down link of each host, an up and a down link of each rack, and a core that never
// blocks, as resources of a fluid solver. It knows which links a flow uses. A unit of progress is a byte.
type Fabric struct {
	racks                                    []int32 // by host
	hostUp, hostDown, rackUp, rackDown, pool fluid.Resource
}

// NewFabric adds the links to the solver: of hosts that stand in racks. Beside the real links each rack has
// a pool, its hosts' up links together, for flows that come from a rack as a whole.
func NewFabric(s *fluid.Solver, hosts []Host, racks []Rack) (*Fabric, error) {
	f := &Fabric{racks: make([]int32, len(hosts))}
	pools := make([]float64, len(racks))
	for i, h := range hosts {
		f.racks[i] = int32(h.Rack)
		pools[h.Rack] += h.Up
	}
	for _, kind := range []struct {
		first    *fluid.Resource
		name     string
		count    int
		capacity func(int) float64
	}{
		{&f.hostUp, "node up ", len(hosts), func(i int) float64 { return hosts[i].Up }},
		{&f.hostDown, "node down ", len(hosts), func(i int) float64 { return hosts[i].Down }},
		{&f.rackUp, "rack up ", len(racks), func(i int) float64 { return racks[i].Up }},
		{&f.rackDown, "rack down ", len(racks), func(i int) float64 { return racks[i].Down }},
		{&f.pool, "node up links of rack ", len(racks), func(i int) float64 { return max(pools[i], 1) }}, // a rack may be empty
	} {
		for i := range kind.count {
			r, err := s.AddResource(kind.name+strconv.Itoa(i), kind.capacity(i))
			if err != nil {
				return nil, err
			}
			if i == 0 {
				*kind.first = r
			}
		}
	}
	return f, nil
}

func use(uses []fluid.Use, first fluid.Resource, i int) []fluid.Use {
	return append(uses, fluid.Use{Resource: first + fluid.Resource(i), Coefficient: 1})
}

// Racks returns the number of racks.
func (f *Fabric) Racks() int { return int(f.rackDown - f.rackUp) }

// Rack returns the rack of a host.
func (f *Fabric) Rack(host int) int { return int(f.racks[host]) }

// Path appends the links from one host to another: none if they are the same, the two host links
// within a rack, and the two rack links as well across racks.
func (f *Fabric) Path(uses []fluid.Use, from, to int) []fluid.Use {
	if from == to {
		return uses
	}
	uses = f.Ends(uses, from, to)
	return f.across(uses, f.Rack(from), f.Rack(to))
}

// FromRack appends the links from the hosts of a rack together, each sending the same, to a host. The
// hosts' up links count as one: together they bound what stays in the rack, and what leaves it is
// bounded by the rack's own link.
func (f *Fabric) FromRack(uses []fluid.Use, rack, to int) []fluid.Use {
	if rack == f.Rack(to) {
		return f.EndsFromRack(uses, rack, to)
	}
	return f.across(use(uses, f.hostDown, to), rack, f.Rack(to))
}

// Pool returns the hosts' up links of a rack together.
func (f *Fabric) Pool(rack int) fluid.Resource { return f.pool + fluid.Resource(rack) }

// End appends the link to a host alone.
func (f *Fabric) End(uses []fluid.Use, to int) []fluid.Use { return use(uses, f.hostDown, to) }

// Ends appends the links of two hosts without those of their racks: for what goes another way between racks.
func (f *Fabric) Ends(uses []fluid.Use, from, to int) []fluid.Use {
	return use(use(uses, f.hostUp, from), f.hostDown, to)
}

// EndsFromRack appends the same from the hosts of a rack together, each sending the same, to a host.
func (f *Fabric) EndsFromRack(uses []fluid.Use, rack, to int) []fluid.Use {
	return use(use(uses, f.pool, rack), f.hostDown, to)
}

func (f *Fabric) across(uses []fluid.Use, from, to int) []fluid.Use {
	if from == to {
		return uses
	}
	return use(use(uses, f.rackUp, from), f.rackDown, to)
}

// RackLinks returns a rack's links to the core.
func (f *Fabric) RackLinks(rack int) (up, down fluid.Resource) {
	return f.rackUp + fluid.Resource(rack), f.rackDown + fluid.Resource(rack)
}
