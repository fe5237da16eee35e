// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"strconv"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// Memory is what hosts have of it: the buffers of their tasks, and RAM disks.
type Memory struct {
	SortBuffers, ReduceBuffers []float64    // by host
	ramDisks                   []ramDisk    // by host; nil if no class has one
	Kept                       *costs.Files // how full they are
}

// ramDisk is memory that holds what tasks keep between them.
type ramDisk struct {
	size float64 // 0 for a host without one
	rate fluid.Resource
}

// Furnish gives the hosts their memory, and reports whether some have RAM disks.
func (h *Hardware) Furnish(solver *fluid.Solver, t *model.Topology, c *costs.Tasks, full bool) (ram bool, err error) {
	m := &h.Memory
	m.SortBuffers, m.ReduceBuffers = make([]float64, t.Hosts), make([]float64, t.Hosts)
	for _, n := range t.Nodes {
		hw := &t.Classes[n.Class].Hardware
		m.SortBuffers[n.Host], m.ReduceBuffers[n.Host] = float64(c.SortBuffer), float64(c.ReduceBuffer)
		if c.Rules == costs.MRPERF {
			m.ReduceBuffers[n.Host] = 0 // all that a reduce fetches is written
		}
		if hw.SortBuffer > 0 {
			m.SortBuffers[n.Host] = float64(hw.SortBuffer)
		}
		if hw.ReduceBuffer > 0 {
			m.ReduceBuffers[n.Host] = float64(hw.ReduceBuffer)
		}
		if !full || hw.RAMDisk == 0 {
			continue
		}
		if m.ramDisks == nil {
			m.ramDisks = make([]ramDisk, t.Hosts)
		}
		if d := &m.ramDisks[n.Host]; d.size == 0 {
			d.size = float64(hw.RAMDisk)
			if d.rate, err = solver.AddResource("RAM disk of host "+strconv.Itoa(int(n.Host)), float64(hw.RAMDiskRate)); err != nil {
				return false, err
			}
		}
	}
	return m.ramDisks != nil, nil
}

// WriteTemporary makes progress cost the store that a host puts map output and fetched data on: its RAM disk until
// that is full, then its disk.
func (n *Needs) WriteTemporary(host int, coefficient float64) {
	if n.ramDisks != nil && n.Kept.Temporary(host) < n.ramDisks[host].size {
		n.Use(n.ramDisks[host].rate, coefficient)
		return
	}
	n.UseDisk(host, coefficient)
}

// ReadTemporary is for what was put there before: the part that the RAM disk could hold is read from it.
func (n *Needs) ReadTemporary(host int, coefficient float64) {
	if n.ramDisks == nil || n.ramDisks[host].size == 0 {
		n.UseDisk(host, coefficient)
		return
	}
	share := 1.0
	if stored := n.Kept.Temporary(host); stored > n.ramDisks[host].size {
		share = n.ramDisks[host].size / stored
	}
	n.Use(n.ramDisks[host].rate, coefficient*share)
	n.UseDisk(host, coefficient*(1-share))
}
