// SPDX-License-Identifier: Apache-2.0

package machines

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
	h, err := New(solver, top, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	ram, err := h.Furnish(solver, top, &costs.Tasks{SortBuffer: 4, ReduceBuffer: 5}, true)
	if err != nil || !ram {
		t.Fatal(ram, err)
	}
	if h.SortBuffers[0] != 9 || h.SortBuffers[1] != 4 || h.ReduceBuffers[0] != 5 {
		t.Errorf("buffers %v and %v", h.SortBuffers, h.ReduceBuffers)
	}
	h.Kept = costs.NewFiles(top, false)
	n := Needs{Hardware: h}
	check := func(what string, ask func(), ram, disk float64) {
		t.Helper()
		n.Reset()
		ask()
		got := map[fluid.Resource]float64{}
		for _, u := range n.Uses {
			got[u.Resource] += u.Coefficient
		}
		if math.Abs(got[h.ramDisks[0].rate]-ram) > 1e-12 || math.Abs(got[h.Disk(0)]+got[h.Disk(1)]-disk) > 1e-12 {
			t.Errorf("%s: %v, want %g of the RAM disk and %g of a disk", what, n.Uses, ram, disk)
		}
	}
	h.Kept.Write(3, 0, 1000, true) // output of the job is no temporary file
	check("write into an empty one", func() { n.WriteTemporary(0, 2) }, 2, 0)
	h.Kept.Write(3, 0, 250, false)
	check("write into a full one", func() { n.WriteTemporary(0, 2) }, 0, 2)
	check("read", func() { n.ReadTemporary(0, 2) }, 0.8, 1.2)
	check("a host without one", func() { n.WriteTemporary(1, 2); n.ReadTemporary(1, 1) }, 0, 3)
	h.Kept.Drop(3)
	check("after the job has ended", func() { n.WriteTemporary(0, 1); n.ReadTemporary(0, 1) }, 2, 0)
}
