// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// hostLoad returns what the hardware threads of all hosts do now: work for users, work in the kernel, wait
// for a disk. A thread waits if it is idle and a task, or one of the kernel's own threads that write pages
// back, stands before a disk. The rest is idle, as vmstat counts it.
func (s *sim) hostLoad(now model.Time) record.Host {
	p, y := s.phys, s.yarn
	s.syncFlows(now)
	busy, all := 0.0, 0.0
	waiting := 0.0
	for h := range p.clock {
		used, capacity := p.solver.Load(p.cores + fluid.Resource(h))
		busy, all = busy+used, all+capacity
		if written, _ := p.solver.Load(p.disk + fluid.Resource(h)); written > 0 {
			waiting += y.rules.IOThreads
		}
	}
	for i := range p.attempts {
		a := &p.attempts[i]
		if fetches := a.step == stepFetch && a.group != model.None && p.groups[a.group].open > 0; (fetches || a.handle != 0) && a.step != stepFlush {
			waiting += 1 - s.coreUse(a)
		}
	}
	wait := max(0, min(waiting, all-busy)/all)
	work := busy / all
	system := work * float64(y.rules.SystemShare)
	return record.Host{User: work - system, System: system, Wait: wait, Share: y.share, Stored: model.Bytes(p.files.stored)}
}

// coreUse returns how much of a core an attempt uses now.
func (s *sim) coreUse(a *attempt) float64 {
	rate, ok := s.phys.solver.Rate(a.handle)
	if !ok {
		return 0
	}
	switch overlap := s.in.Config.Tasks.Overlap; a.step {
	case stepBoot, stepCompute:
		return min(rate, 1)
	case stepMerge:
		return min(rate*s.in.Config.Tasks.MergeCycles/s.phys.clock[s.host(a.node)]/2, 1)
	case stepRead, stepFinal:
		if overlap {
			return min(rate*s.cycles(a)/s.phys.clock[s.host(a.node)], 1)
		}
	}
	return 0
}

// planHostSample makes sure that hosts are looked at while a master is there.
func (s *sim) planHostSample(now model.Time) {
	y := s.yarn
	if y.sampling || y.masters == 0 || s.phys == nil || !s.phys.full {
		return
	}
	y.sampling = true
	s.queue.Push((now/y.rules.Sample+1)*y.rules.Sample, event{kind: sampleHosts})
}

// sampleHosts records how the hosts fare, until no master is left.
func (s *sim) sampleHosts(now model.Time) {
	y := s.yarn
	y.sampling = false
	h := record.Host{Share: y.share, Stored: model.Bytes(s.phys.files.stored)}
	if y.masters > 0 {
		h = s.hostLoad(now)
	}
	s.readProgress()
	for _, id := range y.order {
		h.Progress += s.progress(id)
	}
	s.event.Host = h
	s.record(now, record.HostSampled, model.Task{Job: model.None}, model.None, 0)
	s.event.Host = record.Host{}
	s.planHostSample(now)
}
