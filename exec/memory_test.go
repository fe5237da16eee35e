// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// A RAM disk of 100 bytes takes what tasks put aside until it is full; then the disk does. Of 250 bytes that were put
// aside, 100 are read from it: a share of 0.4.
func TestRAMDiskUntilItIsFull(t *testing.T) {
	top := &model.Topology{Racks: 1, Hosts: 2, Uplinks: []model.Rate{1}, Nodes: []model.Node{{Class: 0, Host: 0}, {Class: 1, Host: 1}},
		Classes: []model.NodeClass{
			{Speed: 1, Hardware: model.Hardware{Link: 1, Disk: 1, Cores: 1, Clock: 1, RAMDisk: 100, RAMDiskRate: 7, SortBuffer: 9}},
			{Speed: 1, Hardware: model.Hardware{Link: 1, Disk: 1, Cores: 1, Clock: 1}},
		}}
	solver := fluid.New()
	h, err := newHardware(solver, top, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	ram, err := h.furnish(solver, top, &costs.Tasks{SortBuffer: 4, ReduceBuffer: 5}, true)
	if err != nil || !ram {
		t.Fatal(ram, err)
	}
	if h.sortBuffers[0] != 9 || h.sortBuffers[1] != 4 || h.reduceBuffers[0] != 5 {
		t.Errorf("buffers %v and %v", h.sortBuffers, h.reduceBuffers)
	}
	h.memory.files = costs.NewFiles(top, false)
	n := needs{hardware: h}
	check := func(what string, ask func(), ram, disk float64) {
		t.Helper()
		n.reset()
		ask()
		got := map[fluid.Resource]float64{}
		for _, u := range n.uses {
			got[u.Resource] += u.Coefficient
		}
		if math.Abs(got[h.ramDisks[0].rate]-ram) > 1e-12 || math.Abs(got[h.disk(0)]+got[h.disk(1)]-disk) > 1e-12 {
			t.Errorf("%s: %v, want %g of the RAM disk and %g of a disk", what, n.uses, ram, disk)
		}
	}
	h.memory.files.Write(3, 0, 1000, true) // output of the job is no temporary file
	check("write into an empty one", func() { n.writeTemporary(0, 2) }, 2, 0)
	h.memory.files.Write(3, 0, 250, false)
	check("write into a full one", func() { n.writeTemporary(0, 2) }, 0, 2)
	check("read", func() { n.readTemporary(0, 2) }, 0.8, 1.2)
	check("a host without one", func() { n.writeTemporary(1, 2); n.readTemporary(1, 1) }, 0, 3)
	h.memory.files.Drop(3)
	check("after the job has ended", func() { n.writeTemporary(0, 1); n.readTemporary(0, 1) }, 2, 0)
}
