// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
)

// usualReplicas returns how many replicas of its output a job writes that does not say.
func usualReplicas(s *Site) int {
	if n := s.Config.Tasks.Replication; n > 0 {
		return n
	}
	return max(1, s.Replication)
}

// replicas returns the nodes that the output of an attempt is written to, valid until the next call.
func (w *work) replicas(o *hdfs.Outputs) []model.NodeID {
	return o.Replicas(w.task, w.number, w.node, w.job.spec.Replicas)
}

// write is the pipeline that writes the replicas of an output file.
func (s *steps) write(w *work, bytes float64) fluid.Spec {
	s.useReplicas(w, 1)
	return fluid.Spec{Work: bytes, Uses: s.Uses} // write-back: no stream that interleaves
}

// useReplicas adds the disks and links that bytes of output take for a unit of work.
func (s *steps) useReplicas(w *work, bytes float64) {
	last := w.node
	for _, node := range w.replicas(&s.outputs) {
		s.UseDisk(s.Host(node), bytes)
		s.UsePath(s.Host(last), s.Host(node), bytes)
		last = node
	}
}

// note counts what an attempt leaves on disks when it comes to a step. Works may have moved after it.
func (s *steps) note(now model.Time, w *work) {
	c, j, own := &s.Config.Tasks, w.job.spec, s.Host(w.node)
	switch {
	case w.task.Kind == model.Map && w.step == stepEnd:
		s.files.Write(j.ID, own, mapOutput(j)+w.over, false)
		if j.Reduces == 0 {
			s.noteOutput(w, share(j.Output, j.Maps))
		}
		if c.WriteBack {
			s.flushLater(now, w.node, mapOutput(j))
		}
	case w.task.Kind == model.Reduce && w.step == stepMerge:
		if data := share(j.Shuffle, j.Reduces); data > s.ReduceBuffers[own] {
			s.files.Write(j.ID, own, data, false) // merging deletes what it has read
		}
	case w.task.Kind == model.Reduce && w.step == stepEnd:
		s.noteOutput(w, share(j.Output, j.Reduces))
	}
}

func (s *steps) noteOutput(w *work, bytes float64) {
	for _, node := range w.replicas(&s.outputs) {
		s.files.Write(w.task.Job, s.Host(node), bytes, true)
	}
}

// flushLater makes a host write back what a map has written, without anybody waiting for it.
func (s *steps) flushLater(now model.Time, node model.NodeID, bytes float64) {
	b := &s.backlogs[s.Host(node)]
	b.bytes += bytes
	if b.work == none {
		b.work = s.works.add(work{task: model.Task{Job: model.None}, node: node, step: stepFlush, group: none})
		s.queue(now, stepTag(b.work))
	}
}

// flush takes all that waits to be written back on a host.
func (s *steps) flush(host int) fluid.Spec {
	b := &s.backlogs[host]
	s.UseDisk(host, 1)
	spec := fluid.Spec{Work: b.bytes, Weight: flushWeight, Streams: 1, Uses: s.Uses}
	b.bytes = 0
	return spec
}

// flushed goes on with what was written meanwhile.
func (s *steps) flushed(now model.Time, w *work) {
	b := &s.backlogs[s.Host(w.node)]
	if b.bytes > 0 {
		s.queue(now, stepTag(b.work))
		return
	}
	s.works.release(b.work)
	b.work = none
}

// backlog is what a host still has to write back. It has a work while there is some, and writes as one
// stream, ahead of others: old pages go first.
type backlog struct {
	work  int32 // none if nothing is under way
	bytes float64
}

const flushWeight = 10

func newBacklogs(hosts int) []backlog {
	list := make([]backlog, hosts)
	for i := range list {
		list[i].work = none
	}
	return list
}
