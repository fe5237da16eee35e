// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// sizes is the oracle for policies that need exact sizes: it sums the lengths of a job's tasks, as
// they would run on a reference machine near their data, when it is first asked about the job.
type sizes struct {
	in        *Input
	lengths   [model.Kinds]*rng.Stream
	samplers  [][model.Kinds]rng.Sampler // by job, set at the first question
	total     []model.Time               // by job, 0 before the first question
	remaining []model.Time
}

var _ policy.Sizes = (*sizes)(nil)

func newSizes(in *Input, lengths [model.Kinds]*rng.Stream) *sizes {
	n := len(in.Jobs)
	return &sizes{in: in, lengths: lengths, samplers: make([][model.Kinds]rng.Sampler, n), total: make([]model.Time, n), remaining: make([]model.Time, n)}
}

func (s *sizes) sum(id model.JobID) {
	if s.total[id] != 0 {
		return
	}
	j := &s.in.Jobs[id]
	for k := range model.Kind(model.Kinds) {
		s.samplers[id][k] = rng.NewSampler(s.lengths[k], id, j.Lengths(k))
		for i := range j.Tasks(k) {
			s.total[id] += s.length(model.Task{Job: id, Kind: k, Index: i})
		}
	}
	s.remaining[id] = s.total[id]
}

func (s *sizes) length(t model.Task) model.Time {
	l := s.samplers[t.Job][t.Kind].Length(t.Index, 0)
	if t.Kind == model.Reduce {
		l += s.in.Jobs[t.Job].ShuffleTail
	}
	return l
}

// ended takes a finished task out of what remains.
func (s *sizes) ended(t model.Task) {
	s.sum(t.Job)
	s.remaining[t.Job] -= s.length(t)
}

// undone puts a finished task back: it must run again.
func (s *sizes) undone(t model.Task) { s.remaining[t.Job] += s.length(t) }

// Remaining implements policy.Sizes.
func (s *sizes) Remaining(id model.JobID) model.Time {
	s.sum(id)
	return s.remaining[id]
}

// Total implements policy.Sizes.
func (s *sizes) Total(id model.JobID) model.Time {
	s.sum(id)
	return s.total[id]
}
