// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"math"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// mrperfSpec describes the activity of a step of MRPERF's tasks (capacity-2013 §3.1.2): one after the other they start a
// process, read, compute and sort, spill and merge; reduces write what they fetch, merge in memory, sort, read it again,
// compute and write.
func mrperfSpec(s *steps, w *work, own int) fluid.Spec {
	noise := s.noise.Of(w.task, uint64(w.number)<<8|uint64(w.step))
	if w.step == stepBoot {
		return s.coreTime(own, noise*costs.JVMCycles/s.clock[own])
	}
	if w.task.Kind == model.Map {
		return mrperfMap(s, w, own, noise)
	}
	j := w.job.spec
	data := share(j.Shuffle, j.Reduces)
	switch w.step {
	case stepMerge:
		return s.coreTime(own, noise*(math.Ceil(data/costs.MergeBuffer)*costs.BufferCycles+costs.ReduceSortCycles)/s.clock[own])
	case stepFinal:
		s.readTemporary(own, noise)
		return s.activity(data, 0)
	case stepCompute:
		return s.coreTime(own, noise*data*s.cycles(w)/s.clock[own])
	case stepWrite:
		return s.write(w, noise*share(j.Output, j.Reduces))
	}
	return fluid.Spec{}
}

func mrperfMap(s *steps, w *work, own int, noise float64) fluid.Spec {
	j := w.job.spec
	in, out := share(j.Input, j.Maps), mapOutput(j)
	switch w.step {
	case stepRead:
		s.useDisk(int(w.from), noise)
		s.usePath(int(w.from), own, 1)
		if in > 0 && int(w.from) != own {
			in += costs.RemoteExcess
		}
		return s.activity(in, 0)
	case stepCompute:
		return s.coreTime(own, noise*(in*s.cycles(w)+out*costs.SortCycles)/s.clock[own])
	case stepSpill:
		s.writeTemporary(own, noise)
		return s.activity(out, 0)
	case stepMerge:
		if out <= costs.SpillBuffer {
			return fluid.Spec{}
		}
		s.readTemporary(own, noise)
		return s.activity(2*out, 0)
	case stepWrite:
		if j.Reduces == 0 {
			return s.write(w, noise*share(j.Output, j.Maps))
		}
	}
	return fluid.Spec{}
}
