// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// mrperfSpec describes the activity of a step of MRPERF's tasks (capacity-2013 §3.1.2): one after the other they start a
// process, read, compute and sort, spill and merge; reduces merge and sort in memory what they have fetched last, write it,
// read all of it again, compute and write.
func mrperfSpec(s *steps, w *work, own int) fluid.Spec {
	noise := s.noise.Of(w.task, uint64(w.number)<<8|uint64(w.step))
	if w.step == stepBoot {
		return s.CoreTime(own, noise*costs.JVMCycles/s.Clock[own])
	}
	if w.task.Kind == model.Map {
		return mrperfMap(s, w, own, noise)
	}
	j := w.job.spec
	data, output := share(j.Shuffle, j.Reduces), share(j.Output, j.Reduces)
	if w.over > 0 {
		all := data + w.over
		data, output = all, output*all/data
	}
	switch w.step {
	case stepMerge:
		cycles := costs.ReduceSortCycles
		if w.held > 0 {
			cycles += costs.BufferCycles
		}
		return s.CoreTime(own, noise*cycles/s.Clock[own])
	case stepSpill:
		s.WriteTemporary(own, noise)
		return s.Activity(w.held, 0)
	case stepFinal:
		s.ReadTemporary(own, noise)
		return s.Activity(data, 0)
	case stepCompute:
		return s.CoreTime(own, noise*data*s.cycles(w)/s.Clock[own])
	case stepWrite:
		return s.write(w, noise*output)
	}
	return fluid.Spec{}
}

func mrperfMap(s *steps, w *work, own int, noise float64) fluid.Spec {
	j := w.job.spec
	in, out := share(j.Input, j.Maps), mapOutput(j)
	if w.over > 0 {
		in, out = in*(out+w.over)/out, out+w.over
	}
	switch w.step {
	case stepRead:
		s.UseDisk(int(w.from), noise)
		return s.Activity(in, 0)
	case stepReceive:
		if int(w.from) != own {
			s.UsePath(int(w.from), own, 1)
			return s.Activity(in, costs.ConnectionRate)
		}
	case stepCompute:
		return s.CoreTime(own, noise*(in*s.cycles(w)+out*costs.SortCycles)/s.Clock[own])
	case stepSpill:
		s.WriteTemporary(own, noise)
		return s.Activity(out, 0)
	case stepMerge:
		if out <= costs.SpillBuffer {
			return fluid.Spec{}
		}
		s.ReadTemporary(own, noise)
		return s.Activity(2*out, 0)
	case stepWrite:
		if j.Reduces == 0 {
			return s.write(w, noise*share(j.Output, j.Maps))
		}
	}
	return fluid.Spec{}
}

// MRPERF's reduces fetch in three acts (capacity-2013 §3.1.2): the host that has the output reads it from its disk, then it
// sends it over a connection, and what has come is merged in memory and written whenever a reduce holds a buffer of it,
// while it goes on fetching. What it holds when all has come it merges, sorts and writes in steps of its own.

// ownDisk stands for a source in the tag of what a group writes to its own disk.
const ownDisk = -1

// sends reports whether what the group fetches from a source has been read.
func (g *group) sends(source int32) bool { return g.acts != nil && g.acts[source].read }

// readFirst begins to read what a group has claimed of a source, and reports whether there is anything to read.
func readFirst(s *shuffles, now model.Time, t tag, bytes float64) bool {
	id, source := t.fetch()
	g := s.group(id)
	f, sh := &g.fetches[source], g.job.shuffle
	g.acts[source].bytes = bytes
	if bytes == 0 || s.byRack { // which of its disks have it is not known
		g.acts[source].read = true
		return false
	}
	s.Needs.Reset()
	s.ReadTemporary(int(sh.host(source)), 1)
	spec := fluid.Spec{Work: bytes, Weight: s.copies(g, f) * float64(len(g.members)), Streams: 1, Uses: s.Uses}
	f.handle, f.work = s.flows.begin(now, t, spec), spec.Work
	return true
}

// claimOver takes what a source has for one reduce beyond its copies and the group has not, and returns the bytes.
func (g *group) claimOver(source int32, made float64) float64 {
	a := &g.acts[source]
	n := made - a.over
	had := min(n, g.beyond)
	g.beyond -= had
	a.over, a.coming = made, a.coming+n-had
	return n - had
}

// loseOver takes the part of lost maps out of what a source made beyond shares; stay is the share that remains. Groups are
// credited with what has come to them.
func loseOver(s *shuffles, w *jobWork, source int32, stay float64) {
	sh := w.shuffle
	w.excess -= sh.over[source] * (1 - stay) * float64(w.spec.Reduces)
	sh.over[source] *= stay
	for _, id := range sh.groups {
		g := s.group(id)
		a := &g.acts[source]
		g.beyond += (a.over - a.coming) * (1 - stay)
		a.over *= stay
		a.coming *= stay
	}
}

// hold adds what has come to what a group holds in memory, and has it written when that is a buffer for each reduce.
func hold(s *shuffles, now model.Time, id int32, bytes float64) {
	g := s.group(id)
	g.held += bytes
	if g.writing == 0 && !g.writes && g.held >= costs.MergeBuffer*float64(len(g.members)) {
		g.writes = true
		s.queue(now, fetchTag(id, ownDisk))
	}
}

// beginWrite begins to merge and write all that a group holds.
func beginWrite(s *shuffles, now model.Time, t tag) {
	id, _ := t.fetch()
	g := s.group(id)
	s.Needs.Reset()
	s.WriteTemporary(int(g.host), 1)
	s.UseCore(int(g.host), costs.BufferCycles/costs.MergeBuffer)
	g.writing = s.flows.begin(now, t, fluid.Spec{Work: g.held, Weight: float64(len(g.members)), Streams: 1, Uses: s.Uses})
	g.writes, g.held = false, 0
}

// written goes on with what has come meanwhile.
func written(s *shuffles, now model.Time, id int32, h fluid.Handle) {
	g := s.group(id) // another group may have its place since
	if g.job == nil || g.writing != h {
		return
	}
	g.writing = 0
	hold(s, now, id, 0)
	s.gatherIfDone(now, id)
}

// leaveHeld takes the part of a reduce that leaves out of what its group holds and writes; stay is the share that remains.
func leaveHeld(s *shuffles, now model.Time, id int32, stay float64) {
	g := s.group(id)
	if g.writing != 0 {
		g.held += s.cancel(now, g.writing)
		g.writing, g.writes = 0, true
		s.queue(now, fetchTag(id, ownDisk))
	}
	if g.held *= stay; stay == 0 && g.writes {
		s.queued.Drop(fetchTag(id, ownDisk))
	}
}
