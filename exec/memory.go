// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"strconv"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// memory is what hosts have of it: the buffers of their tasks, and RAM disks.
type memory struct {
	sortBuffers, reduceBuffers []float64    // by host
	ramDisks                   []ramDisk    // by host; nil if no class has one
	files                      *costs.Files // how full they are
}

// ramDisk is memory that holds what tasks keep between them.
type ramDisk struct {
	size float64 // 0 for a host without one
	rate fluid.Resource
}

// furnish gives the hosts their memory, and reports whether some have RAM disks.
func (h *hardware) furnish(solver *fluid.Solver, t *model.Topology, c *costs.Tasks, full bool) (ram bool, err error) {
	m := &h.memory
	m.sortBuffers, m.reduceBuffers = make([]float64, t.Hosts), make([]float64, t.Hosts)
	for _, n := range t.Nodes {
		hw := &t.Classes[n.Class].Hardware
		m.sortBuffers[n.Host], m.reduceBuffers[n.Host] = float64(c.SortBuffer), float64(c.ReduceBuffer)
		if c.Rules == costs.MRPERF {
			m.reduceBuffers[n.Host] = 0 // all that a reduce fetches is written
		}
		if hw.SortBuffer > 0 {
			m.sortBuffers[n.Host] = float64(hw.SortBuffer)
		}
		if hw.ReduceBuffer > 0 {
			m.reduceBuffers[n.Host] = float64(hw.ReduceBuffer)
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

// writeTemporary makes progress cost the store that a host puts map output and fetched data on: its RAM disk until
// that is full, then its disk.
func (n *needs) writeTemporary(host int, coefficient float64) {
	if n.ramDisks != nil && n.files.Temporary(host) < n.ramDisks[host].size {
		n.use(n.ramDisks[host].rate, coefficient)
		return
	}
	n.useDisk(host, coefficient)
}

// readTemporary is for what was put there before: the part that the RAM disk could hold is read from it.
func (n *needs) readTemporary(host int, coefficient float64) {
	if n.ramDisks == nil || n.ramDisks[host].size == 0 {
		n.useDisk(host, coefficient)
		return
	}
	share := 1.0
	if stored := n.files.Temporary(host); stored > n.ramDisks[host].size {
		share = n.ramDisks[host].size / stored
	}
	n.use(n.ramDisks[host].rate, coefficient*share)
	n.useDisk(host, coefficient*(1-share))
}
