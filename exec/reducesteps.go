// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"math"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
)

// reduceSpec describes the activity of a reduce's step on its host, but for fetching.
func (s *steps) reduceSpec(w *work, own int) fluid.Spec {
	c, j := &s.Config.Tasks, w.job.spec
	data := share(j.Shuffle, j.Reduces)
	onDisk := data > s.ReduceBuffers[own]
	switch w.step {
	case stepMerge: // the last pass feeds the reduce itself
		if onDisk {
			files := math.Ceil(data / s.ReduceBuffers[own])
			s.ReadTemporary(own, (1+s.files.Rereads(own))/2)
			return s.merge(own, 2*data*s.merger.Passes(files, c.MergeFactor))
		}
	case stepFinal:
		limit := 0.0
		if onDisk {
			s.ReadTemporary(own, s.files.Rereads(own))
		}
		if c.Overlap {
			limit = s.UseCore(own, s.cycles(w))
		}
		if c.StreamOutput && data > 0 {
			s.useReplicas(w, share(j.Output, j.Reduces)/data)
		}
		return s.Activity(data, limit)
	case stepCompute:
		if !c.Overlap {
			return s.compute(w, own, data)
		}
	case stepWrite:
		if !c.StreamOutput || data == 0 {
			return s.write(w, share(j.Output, j.Reduces))
		}
	}
	return fluid.Spec{}
}

// gathered lets a reduce go on that has all its data.
func (s *steps) gathered(now model.Time, i int32) {
	w := &s.list[i]
	w.group = none
	s.ground.compute(now, w.id)
	s.proceed(now, i)
}
