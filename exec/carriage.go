// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/exec/machines"
)

// carriage adds up what carrying map output takes of links, circuits and disks.
type carriage struct {
	machines.Needs
	tasks  *costs.Tasks
	byRack bool // map output is added up by rack
	files  *costs.Files
	optics *optics // nil without circuits
}

// usePathFrom adds the links from a source to a host. It returns the share of the bytes that use them,
// and 1 if they cross racks: a rack's output is spread evenly over its hosts, so the receiving host has
// its part of its own rack's already. An elephant goes over a circuit.
func (c *carriage) usePathFrom(sh *shuffle, source, host int32, elephant bool) (linked, cross float64) {
	rack := c.Fabric.Rack(int(host))
	if elephant {
		c.useCircuit(sh, source, host)
		return 1, 1
	}
	if !c.byRack {
		source = sh.host(source)
		if source == host {
			return 0, 0
		}
		c.Uses = c.Fabric.Path(c.Uses, int(source), int(host))
		if c.Fabric.Rack(int(source)) != rack {
			cross = 1
		}
		return 1, cross
	}
	if int(source) != rack {
		c.Uses = c.Fabric.FromRack(c.Uses, int(source), int(host))
		return 1, 1
	}
	if c.InRack[rack] == 1 {
		return 0, 0
	}
	c.Uses = c.Fabric.FromRack(c.Uses, int(source), int(host))
	return 1 - 1/float64(c.InRack[rack]), 0
}

// host returns the host of a source that is not a rack.
func (sh *shuffle) host(source int32) int32 {
	if sh.hosts != nil {
		return sh.hosts[source]
	}
	return source
}

// useDisks adds the disks: where output was made, unless it is still in memory or made all over a rack, and where it goes,
// if the reduce's memory does not hold it. The links, added before, carry only the linked share of the bytes.
func (c *carriage) useDisks(sh *shuffle, source int32, g *group, linked float64) {
	for i := range c.Uses {
		c.Uses[i].Coefficient *= linked
	}
	if !c.byRack && (c.tasks.FileCache || !c.tasks.CachedOutput) {
		c.ReadTemporary(int(sh.host(source)), c.files.Rereads(int(sh.host(source))))
	}
	if j := g.job.spec; float64(j.Shuffle)/float64(j.Reduces) > c.ReduceBuffers[g.host] {
		c.WriteTemporary(int(g.host), 1)
	}
}

// useCircuit adds what an elephant uses: a circuit, and the links at its ends where they may hold it back.
func (c *carriage) useCircuit(sh *shuffle, source, host int32) {
	from, to := c.rackOf(sh, source), int(host)
	switch {
	case !c.byRack:
		c.Uses = c.Fabric.Ends(c.Uses, int(sh.host(source)), to)
	case c.optics.slow[from]:
		c.Uses = c.Fabric.EndsFromRack(c.Uses, from, to)
	default:
		c.Uses = c.Fabric.End(c.Uses, to)
	}
	c.Uses = c.optics.circuits.Use(c.Uses, from, c.Fabric.Rack(to))
}

// rackOf returns the rack of a source.
func (c *carriage) rackOf(sh *shuffle, source int32) int {
	if c.byRack {
		return int(source)
	}
	return c.Fabric.Rack(int(sh.host(source)))
}
