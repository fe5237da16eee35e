// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// mapSpec describes the activity of a map's step on its host.
func (s *steps) mapSpec(w *work, own int) fluid.Spec {
	c, j := &s.Config.Tasks, w.job.spec
	in, out := share(j.Input, j.Maps), mapOutput(j)
	overlap, buffer := c.Overlap && in > 0, s.SortBuffers[own]
	switch w.step {
	case stepRead:
		limit := 0.0
		if s.full && !w.cached {
			s.UseDisk(int(w.from), 1)
		}
		s.UsePath(int(w.from), own, 1)
		if s.full && overlap {
			limit = s.UseCore(own, s.cycles(w))
			if !c.ShortLived(out, buffer) {
				s.WriteTemporary(own, out/in)
			}
		}
		return s.Activity(in, limit)
	case stepCompute:
		if !overlap {
			return s.compute(w, own, in)
		}
	case stepSpill:
		if !overlap && !c.ShortLived(out, buffer) {
			s.WriteTemporary(own, 1)
			return fluid.Spec{Work: out, Uses: s.Uses}
		}
	case stepMerge:
		files := c.Spills(out, buffer)
		if files <= 1 {
			return fluid.Spec{}
		}
		switch {
		case !c.FileCache:
			s.ReadTemporary(own, 1)
		case !c.WriteBack:
			s.ReadTemporary(own, 0.5) // what it reads was written a moment ago
		}
		return s.merge(own, 2*out*(1+s.merger.Passes(files, c.MergeFactor)))
	case stepWrite:
		if j.Reduces == 0 {
			return s.write(w, share(j.Output, j.Maps))
		}
	}
	return fluid.Spec{}
}

// inputs chooses what maps read.
type inputs struct {
	blocks *hdfs.Store
	draws  *rng.Stream
	caches []hdfs.PageCache // by host, nil if no class has one
}

// choose picks the replica that a map reads: on its own host, else in its rack, else any. HDFS takes any
// of the nearest.
func (s *steps) choose(w *work) {
	in, nodes := &s.inputs, s.Topology.Nodes
	own, spec := nodes[w.node], w.job.spec
	w.from, w.source, w.cached, w.over = int32(own.Host), w.node, false, 0
	if spec.Input == 0 {
		return
	}
	holders := in.blocks.Index(w.task.Job, spec.Maps).Block(w.task.Index)
	draw := in.draws.Uint64(uint64(uint32(w.task.Job)), uint64(uint32(w.task.Index)), uint64(w.number))
	start := rng.Below(draw, len(holders))
	best := model.Remote + 1
	for i := range holders {
		node := holders[(start+i)%len(holders)]
		if s.State.Nodes[node].Lost {
			continue
		}
		h := nodes[node]
		distance := model.Remote
		if h.Host == own.Host {
			distance = model.NodeLocal
		} else if h.Rack == own.Rack {
			distance = model.RackLocal
		}
		if distance < best {
			best, w.from, w.source = distance, int32(h.Host), node
		}
	}
	if best > model.Remote { // all holders are lost: a new replica lies somewhere
		w.source = model.NodeID(rng.Below(rng.Next(&draw), len(nodes)))
		w.from = int32(nodes[w.source].Host)
	}
	if in.caches != nil && spec.InputFile != "" {
		block := hdfs.Block{Job: in.blocks.File(w.task.Job), Index: w.task.Index}
		w.cached = in.caches[w.from].Touch(block, share(spec.Input, spec.Maps))
	}
	if s.noise != nil && w.from != int32(own.Host) {
		w.over = costs.WholeBuffers(mapOutput(spec)) - mapOutput(spec)
	}
}
