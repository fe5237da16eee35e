// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// shuffles reveals how much data the maps of jobs will make.
type shuffles []model.Job

var _ policy.Shuffles = shuffles(nil)

// Shuffle implements policy.Shuffles.
func (s shuffles) Shuffle(id model.JobID) model.Bytes { return s[id].Shuffle }

// labels reveals on which class of machines jobs end first: what their class says, where they were measured.
type labels []model.Job

var _ policy.Labels = labels(nil)

// Label implements policy.Labels.
func (l labels) Label(id model.JobID) string { return l[id].Class }

// sizes is the oracle for policies that need exact sizes: it sums the lengths of a job's tasks, as
// they would run on a reference machine near their data, when it is first asked about the job.
type sizes struct {
	jobs    []model.Job
	lengths rng.Lengths
	known   []*size // by job: of those that were asked about and are there
}

// size is the sum of the lengths of a job's tasks.
type size struct {
	total, remaining model.Time
	lengths          [model.Kinds][]model.Time // by task
}

var _ policy.Sizes = (*sizes)(nil)

func newSizes(jobs []model.Job, seed uint64) *sizes {
	return &sizes{jobs: jobs, lengths: rng.NewLengths(seed), known: make([]*size, len(jobs))}
}

func (s *sizes) of(id model.JobID) *size {
	if z := s.known[id]; z != nil {
		return z
	}
	j := &s.jobs[id]
	z := &size{}
	for k := range z.lengths {
		kind, tail := model.Kind(k), model.Time(0)
		if kind == model.Reduce {
			tail = j.ShuffleTail
		}
		sampler, lengths := s.lengths.Of(j, kind), make([]model.Time, j.Tasks(kind))
		for i := range lengths {
			lengths[i] = sampler.Length(int32(i), 0) + tail
			z.total += lengths[i]
		}
		z.lengths[k] = lengths
	}
	z.remaining = z.total
	s.known[id] = z
	return z
}

// ended takes a finished task out of what remains.
func (s *sizes) ended(t model.Task) {
	z := s.of(t.Job)
	z.remaining -= z.lengths[t.Kind][t.Index]
}

// undone puts a finished task back: it must run again.
func (s *sizes) undone(t model.Task) {
	z := s.of(t.Job)
	z.remaining += z.lengths[t.Kind][t.Index]
}

// forget drops a job that has ended.
func (s *sizes) forget(id model.JobID) { s.known[id] = nil }

// Remaining implements policy.Sizes.
func (s *sizes) Remaining(id model.JobID) model.Time { return s.of(id).remaining }

// Total implements policy.Sizes.
func (s *sizes) Total(id model.JobID) model.Time { return s.of(id).total }
