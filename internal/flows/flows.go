// SPDX-License-Identifier: Apache-2.0

// Package flows is the library behind `yardmaster flows`: it works out when flows over a network of
// racks end, with rates that are max-min fair at every moment.
//
// The input is text, one statement per line, # begins a comment:
//
//	topology RACKS NODES_PER_RACK NODE_UP NODE_DOWN RACK_UP RACK_DOWN
//	flow ID SRC DST BYTES START
//
// Capacities are bytes per second, nodes are numbered from 0 with NODES_PER_RACK in each rack, START is
// in seconds. A flow within a rack uses its source's up link and its destination's down link; a flow
// across racks uses also the up link of the one rack and the down link of the other; a flow from a
// node to itself ends when it starts. The core is non-blocking.
package flows

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/network"
)

// Options of Run. The zero value is the default.
type Options struct {
	Digits int // significant digits of the times printed, 1 to 17; 0 means 6
}

// Stats says what solving took, reading and printing left out.
type Stats struct {
	RunSeconds    float64 // by the wall clock
	RunCPUSeconds float64 // of this process, user and system
	Flows         int
	Events        int // starts and ends, simultaneous ones counted each
}

// Run reads flows from r and writes `ID COMPLETION_TIME` for each to out, in the order of the input.
// Bad input is reported whole: the error joins one Fault for each mistake, and nothing is written.
func Run(r io.Reader, out io.Writer, opt Options) (Stats, error) {
	if opt.Digits == 0 {
		opt.Digits = 6
	}
	if opt.Digits < 1 || opt.Digits > 17 {
		return Stats{}, fmt.Errorf("digits: found %d, allowed: 1 to 17", opt.Digits)
	}
	topo, list, err := read(r)
	if err != nil {
		return Stats{}, err
	}
	wall, cpu := time.Now(), cpuSeconds()
	ends, _, err := solve(topo, list)
	stats := Stats{time.Since(wall).Seconds(), cpuSeconds() - cpu, len(list), 2 * len(list)}
	if err != nil {
		return stats, err
	}
	w := bufio.NewWriter(out)
	var line []byte
	for i := range list {
		line = append(append(line[:0], list[i].id...), ' ')
		line = append(strconv.AppendFloat(line, ends[i], 'g', opt.Digits, 64), '\n')
		if _, err := w.Write(line); err != nil {
			return stats, err
		}
	}
	return stats, w.Flush()
}

// cpuSeconds returns the processor time that this process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// newFabric returns the links of a topology.
func newFabric(solver *fluid.Solver, topo topology) (*network.Fabric, error) {
	hosts := make([]network.Host, topo.racks*topo.nodes)
	for i := range hosts {
		hosts[i] = network.Host{Rack: i / topo.nodes, Up: topo.nodeUp, Down: topo.nodeDown}
	}
	racks := make([]network.Rack, topo.racks)
	for i := range racks {
		racks[i] = network.Rack{Up: topo.rackUp, Down: topo.rackDown}
	}
	return network.NewFabric(solver, hosts, racks)
}

// solve returns the completion time of each flow and how often the level of a link moved.
func solve(topo topology, list []flow) (ends []float64, moved int64, err error) {
	solver := fluid.New()
	net, err := newFabric(solver, topo)
	if err != nil {
		return nil, 0, err
	}
	order := make([]int32, len(list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(list[a].start, list[b].start) })
	ends = make([]float64, len(list))
	var uses []fluid.Use
	done := func(d fluid.Done) { ends[d.Tag] = d.Time }
	for _, i := range order {
		f := &list[i]
		if f.src == f.dst || f.bytes == 0 {
			ends[i] = f.start
			continue
		}
		if err := solver.Advance(f.start, done); err != nil {
			return nil, 0, err
		}
		uses = net.Path(uses[:0], f.src, f.dst)
		spec := fluid.Spec{Tag: uint64(i), Work: f.bytes, Uses: uses}
		if _, err := solver.Start(f.start, spec); err != nil {
			return nil, 0, fmt.Errorf("flow %s: %w", f.id, err)
		}
	}
	for {
		t, ok := solver.Next()
		if !ok {
			break
		}
		if err := solver.Advance(t, done); err != nil {
			return nil, 0, err
		}
	}
	if solver.Running() > 0 {
		return nil, 0, solver.Stalled()
	}
	return ends, solver.Moved(), nil
}
