// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// files counts what tasks leave on the disks of hosts: map output, what reduces fetched and merged, the
// replicas of what jobs write. It decides how much of it a page cache still holds when it is read again:
// the files of the jobs that run compete for the cache, those of ended jobs are the oldest in it.
type files struct {
	stored float64   // on all disks
	fresh  []float64 // by host, of jobs that run
	ofJob  []written // by job
	cache  []float64 // by host: its page cache, nil if reads are not followed

	backlogs []backlog // by host
}

// written is what a running job has on disks.
type written struct {
	byHost []float64
	output float64 // of this, what stays
}

// newFiles follows files where the scenario asks what hosts hold or read.
func newFiles(in *Input) *files {
	if in.Config.Yarn == nil && !in.Config.Tasks.FileCache {
		return nil
	}
	f := &files{fresh: make([]float64, in.Topology.Hosts), ofJob: make([]written, len(in.Jobs)), backlogs: make([]backlog, in.Topology.Hosts)}
	for i := range f.backlogs {
		f.backlogs[i].slot = model.None
	}
	if in.Config.Tasks.FileCache {
		f.cache = make([]float64, in.Topology.Hosts)
		for _, n := range in.Topology.Nodes {
			f.cache[n.Host] = float64(in.Topology.Classes[n.Class].Hardware.PageCache)
		}
	}
	return f
}

func (f *files) write(job model.JobID, host int, bytes float64, output bool) {
	w := &f.ofJob[job]
	if w.byHost == nil {
		w.byHost = make([]float64, len(f.fresh))
	}
	f.stored += bytes
	f.fresh[host] += bytes
	w.byHost[host] += bytes
	if output {
		w.output += bytes
	}
}

// drop deletes the temporary files of a job that has ended.
func (f *files) drop(job model.JobID) {
	w := &f.ofJob[job]
	for host, bytes := range w.byHost {
		f.fresh[host] -= bytes
		f.stored -= bytes
	}
	f.stored += w.output
	*w = written{}
}

// missed returns the share of what is read again on a host that its cache no longer holds. The cache keeps
// what was written last. Files are read oldest first, and about as much is written meanwhile: of the last
// f bytes written, one that is x bytes old when reading begins is f/2 + x/2 bytes old when its turn comes,
// so that of a cache of c bytes 2(1 - c/f) misses.
func (f *files) missed(host int) float64 {
	if fresh := f.fresh[host]; fresh > f.cache[host] {
		return min(1, 2*(1-f.cache[host]/fresh))
	}
	return 0
}

// rereads returns what reading a byte costs the disk of a host that tasks wrote there before.
func (s *sim) rereads(host int) float64 {
	if f := s.phys.files; f != nil && f.cache != nil {
		return f.missed(host)
	}
	return 1
}

// shortLived reports whether the spills of a map never reach the disk: they are merged and deleted before
// a host with a page cache begins to write them back, which Linux does after 30 s.
func (s *sim) shortLived(out float64) bool { return s.in.Config.Tasks.FileCache && s.spills(out) > 1 }

// noteFiles counts what an attempt leaves on disks when it comes to a step.
func (s *sim) noteFiles(a *attempt) {
	f, j, own := s.phys.files, &s.in.Jobs[a.task.Job], s.host(a.node)
	switch {
	case a.task.Kind == model.Map && a.step == stepEnd:
		f.write(j.ID, own, s.mapOutput(j), false)
		if s.in.Config.Tasks.WriteBack {
			s.flushLater(a.node, s.mapOutput(j))
		}
		if j.Reduces == 0 {
			s.noteOutput(a, share(j.Output, j.Maps))
		}
	case a.task.Kind == model.Reduce && a.step == stepMerge:
		if data := share(j.Shuffle, j.Reduces); data > float64(s.in.Config.Tasks.ReduceBuffer) {
			f.write(j.ID, own, data, false) // merging deletes what it has read
		}
	case a.task.Kind == model.Reduce && a.step == stepEnd:
		s.noteOutput(a, share(j.Output, j.Reduces))
	}
}

func (s *sim) noteOutput(a *attempt, bytes float64) {
	for _, node := range s.replicasOf(a) {
		s.phys.files.write(a.task.Job, s.host(node), bytes, true)
	}
}

// backlog is what a host still has to write back. It has a slot like an attempt while there is some, and
// writes as one stream, ahead of others: old pages go first.
type backlog struct {
	slot  int32 // None if nothing is under way
	bytes float64
}

const flushWeight = 10

// flushLater makes a host write back what a map has written, without anybody waiting for it.
func (s *sim) flushLater(node model.NodeID, bytes float64) {
	b := &s.phys.files.backlogs[s.host(node)]
	b.bytes += bytes
	if b.slot == model.None {
		b.slot = s.phys.slot(attempt{task: model.Task{Job: model.None}, node: node, step: stepFlush, group: model.None})
		s.phys.queue(stepTag(b.slot))
	}
}

// flushSpec takes all that waits to be written back.
func (s *sim) flushSpec(a *attempt) fluid.Spec {
	b := &s.phys.files.backlogs[s.host(a.node)]
	s.useDisk(s.host(a.node), 1)
	spec := fluid.Spec{Work: b.bytes, Weight: flushWeight, Streams: 1, Uses: s.phys.uses}
	b.bytes = 0
	return spec
}

// flushed goes on with what was written meanwhile.
func (s *sim) flushed(a *attempt) {
	b := &s.phys.files.backlogs[s.host(a.node)]
	if b.bytes > 0 {
		s.phys.queue(stepTag(b.slot))
		return
	}
	s.phys.release(b.slot)
	b.slot = model.None
}
