// SPDX-License-Identifier: Apache-2.0

package exec

import "github.com/yardmaster/yardmaster/model"

// Hosts is a look at the hardware of all hosts, as vmstat and iostat would show it.
type Hosts struct{ *shared }

// Hosts returns the look, nil where hosts have no disks and cores that are shared.
func (e *Executor) Hosts() *Hosts {
	if e.shared == nil || !e.shared.steps.full {
		return nil
	}
	return &Hosts{e.shared}
}

// Stored returns what jobs have on the disks of all hosts, if the site asked for files.
func (h *Hosts) Stored() model.Bytes { return model.Bytes(h.files.Stored()) }

// CPU returns what the hardware threads of all hosts do now, as shares of them: work, and wait for a disk.
// A thread waits if it is idle and a task, or one of the kernel's own threads that write pages back
// (ioThreads for each busy disk), stands before a disk. The rest is idle, as vmstat counts it.
func (h *Hosts) CPU(now model.Time, ioThreads float64) (work, wait float64) {
	h.sync(now)
	busy, all, waiting := 0.0, 0.0, 0.0
	for i := range h.hardware.Clock {
		used, capacity := h.solver.Load(h.hardware.Core(i))
		busy, all = busy+used, all+capacity
		if written, _ := h.solver.Load(h.hardware.Disk(i)); written > 0 {
			waiting += ioThreads
		}
	}
	for i := range h.steps.list {
		w := &h.steps.list[i]
		fetches := w.step == stepFetch && w.group != none && h.shuffles.group(w.group).busy()
		if (fetches || w.handle != 0) && w.step != stepFlush {
			waiting += 1 - h.steps.coreUse(w)
		}
	}
	return busy / all, max(0, min(waiting, all-busy)/all)
}

// coreUse returns how much of a core a work uses now.
func (s *steps) coreUse(w *work) float64 {
	rate, ok := s.solver.Rate(w.handle)
	if !ok {
		return 0
	}
	c, clock := &s.Config.Tasks, s.Clock[s.Host(w.node)]
	switch w.step {
	case stepBoot, stepCompute, stepMaster:
		return min(rate, 1)
	case stepMerge:
		return min(rate*c.MergeCycles/clock/2, 1) // MRPERF's are not told apart from Hadoop's
	case stepRead, stepFinal:
		if c.Overlap {
			return min(rate*s.cycles(w)/clock, 1)
		}
	}
	return 0
}

// Disk returns how much of its throughput the busiest disk gives now. CPU has brought the solver to now.
func (h *Hosts) Disk() (load float64) {
	for i := range h.hardware.Clock {
		if used, capacity := h.solver.Load(h.hardware.Disk(i)); capacity > 0 {
			load = max(load, min(used/capacity, 1))
		}
	}
	return load
}
