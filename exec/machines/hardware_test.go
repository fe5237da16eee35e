// SPDX-License-Identifier: Apache-2.0

package machines

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/internal/topotest"
	"github.com/yardmaster/yardmaster/model"
)

// newNeeds returns the needs of activities on a topology, and its solver.
func newNeeds(t *testing.T, topology *model.Topology) (*Needs, *fluid.Solver) {
	t.Helper()
	solver := fluid.New()
	h, err := New(solver, topology, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &Needs{Hardware: h}, solver
}

var expect, racks, names = topotest.Expect, topotest.Racks, topotest.Names

// Hosts 0 and 1 stand in rack 0, host 2 in rack 1. A unit of work sends 3 bytes.
func TestUsePath(t *testing.T) {
	for _, c := range []struct {
		name         string
		from, to     int
		links, cross float64
		want         []string
	}{
		{"on one host", 1, 1, 0, 0, nil},
		{"within a rack", 0, 1, 3, 0, []string{"node down 1: 3", "node up 0: 3"}},
		{"across racks", 1, 2, 3, 3, []string{"node down 2: 3", "node up 1: 3", "rack down 1: 3", "rack up 0: 3"}},
	} {
		n, solver := newNeeds(t, racks(2, 1))
		n.UsePath(c.from, c.to, 3)
		expect(t, c.name, names(solver, n.Uses), c.want...)
		if n.Links != c.links || n.Cross != c.cross {
			t.Errorf("%s: %g bytes over links, %g across racks; want %g and %g", c.name, n.Links, n.Cross, c.links, c.cross)
		}
	}
}

// What several parts of an activity take of one resource adds up; the solver takes each resource once.
func TestNeedsAddUp(t *testing.T) {
	n, solver := newNeeds(t, racks(2, 1))
	n.UseDisk(0, 1)
	n.UsePath(0, 1, 2)
	n.UseDisk(0, 0.5)
	n.UseDisk(1, 0) // nothing
	n.UsePath(0, 2, 4)
	expect(t, "uses", names(solver, n.Uses), "disk of host 0: 1.5", "node down 1: 2", "node down 2: 4", "node up 0: 6", "rack down 1: 4", "rack up 0: 4")
	if n.Links != 6 || n.Cross != 4 {
		t.Errorf("%g bytes over links, %g across racks; want 2 + 4 and 4", n.Links, n.Cross)
	}
	if _, err := solver.Start(0, n.Activity(10, 0)); err != nil {
		t.Error(err)
	}
	n.Reset()
	if len(n.Uses) != 0 || n.Links != 0 || n.Cross != 0 {
		t.Errorf("after a reset %v are left", n)
	}
}

// 20 cycles per byte on a core of 1,000 are 0.02 s per byte: one core alone makes 50 bytes per second.
func TestUseCore(t *testing.T) {
	n, solver := newNeeds(t, racks(1))
	if rate := n.UseCore(0, 20); rate != 50 {
		t.Errorf("one core makes %g bytes per second, want 50", rate)
	}
	expect(t, "uses", names(solver, n.Uses), "cores of host 0: 0.02")
	if spec := n.Activity(100, 50); spec.Work != 100 || spec.Cap != 50 || spec.Streams != 1 {
		t.Errorf("activity %+v", spec)
	}
	n.Reset()
	if rate := n.UseCore(0, 0); rate != 0 || len(n.Uses) != 0 {
		t.Errorf("no cycles: rate %g, uses %v", rate, n.Uses)
	}
	if spec := n.Activity(100, 0); spec.Work != 0 {
		t.Errorf("an activity that nothing holds back has work %g", spec.Work)
	}
	if spec := n.CoreTime(0, 7); spec.Work != 7 || spec.Cap != 1 || names(solver, spec.Uses)[0] != "cores of host 0: 1" {
		t.Errorf("seven seconds of a core are %+v", spec)
	}
}

// Two nodes share host 0, so rack 0 has two hosts with three nodes. The clock is that of the class times
// its speed.
func TestHostsShared(t *testing.T) {
	topology := racks(3)
	topology.Nodes[1].Host, topology.Nodes[2].Host, topology.Hosts = 0, 1, 2
	topology.Classes = append(topology.Classes, topology.Classes[0])
	topology.Classes[1].Speed = 1.5
	topology.Nodes[2].Class = 1
	n, _ := newNeeds(t, topology)
	if n.InRack[0] != 2 || n.Host(1) != 0 || n.Host(2) != 1 || !slices.Equal(n.Clock, []float64{1000, 1500}) {
		t.Errorf("%d hosts in rack 0, node 1 on host %d, node 2 on host %d, clocks %v", n.InRack[0], n.Host(1), n.Host(2), n.Clock)
	}
}

// A disk of 100 bytes per second keeps 90 % with one stream, 60 % with two and more; write-back alone has all.
func TestDiskStreams(t *testing.T) {
	topology := racks(1)
	topology.Classes[0].Hardware.DiskStreams = []model.Fraction{0.9, 0.6}
	n, solver := newNeeds(t, topology)
	for streams, want := range []float64{100, 90, 60, 60} {
		n.Reset()
		n.UseDisk(0, 1)
		spec := n.Activity(1000, 0)
		if streams == 0 {
			spec.Streams = 0
		}
		h, err := solver.Start(0, spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, capacity := solver.Load(n.Disk(0)); capacity != want {
			t.Errorf("%d streams: the disk gives %g, want %g", streams, capacity, want)
		}
		if streams == 0 {
			if _, _, err := solver.Cancel(0, h); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Rates of 2,000 disks scatter around 100 with a coefficient of variation of 0.2: their mean has a standard
// deviation of 100 * 0.2 / sqrt(2000) = 0.45, four are allowed. They depend on the seed and the host alone.
func TestDiskRatesScatter(t *testing.T) {
	topology := racks(2000)
	topology.Classes[0].Hardware.DiskCV = 0.2
	n, solver := newNeeds(t, topology)
	_, again := newNeeds(t, topology)
	var sum, squares float64
	for i := range 2000 {
		_, c := solver.Load(n.Disk(i))
		if _, same := again.Load(n.Disk(i)); same != c {
			t.Fatalf("disk %d gives %g and %g under one seed", i, c, same)
		}
		sum, squares = sum+c, squares+c*c
	}
	mean := sum / 2000
	if cv := math.Sqrt(squares/2000-mean*mean) / mean; math.Abs(mean-100) > 1.8 || math.Abs(cv-0.2) > 0.02 {
		t.Errorf("mean %g, coefficient of variation %g", mean, cv)
	}
}

// Under the network model hosts have links alone.
func TestNoMachinesUnderNetwork(t *testing.T) {
	links, all := fluid.New(), fluid.New()
	for solver, full := range map[*fluid.Solver]bool{links: false, all: true} {
		if _, err := New(solver, racks(2, 1), full, 1); err != nil {
			t.Fatal(err)
		}
	}
	if links.Resources() != 2*3+3*2 || all.Resources() != 2*3+3*2+2*3 { // links of hosts, links and pool of racks; disks and cores
		t.Errorf("%d and %d resources", links.Resources(), all.Resources())
	}
}
