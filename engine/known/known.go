// SPDX-License-Identifier: Apache-2.0

// Package known is what only an oracle knows of jobs: exact sizes, data that is yet to be made, the machines on which they end
// first. A policy is shown it if its entry declares the need.
package known

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// Shuffles reveals how much data the maps of jobs will make.
type Shuffles []model.Job

var _ policy.Shuffles = Shuffles(nil)

// Shuffle implements policy.Shuffles.
func (s Shuffles) Shuffle(id model.JobID) model.Bytes { return s[id].Shuffle }

// Labels reveals on which class of machines jobs end first: what their class says, where they were measured.
type Labels []model.Job

var _ policy.Labels = Labels(nil)

// Label implements policy.Labels.
func (l Labels) Label(id model.JobID) string { return l[id].Class }

// Sizes is the oracle for policies that need exact sizes: it sums the lengths of a job's tasks, as
// they would run on a reference machine near their data, when it is first asked about the job.
type Sizes struct {
	jobs    []model.Job
	lengths rng.Lengths
	known   []*size // by job: of those that were asked about and are there
}

// size is the sum of the lengths of a job's tasks.
type size struct {
	total, remaining model.Time
	lengths          [model.Kinds][]model.Time // by task
}

var _ policy.Sizes = (*Sizes)(nil)

// NewSizes returns the sizes of jobs whose lengths are drawn with the seed.
func NewSizes(jobs []model.Job, seed uint64) *Sizes {
	return &Sizes{jobs: jobs, lengths: rng.NewLengths(seed), known: make([]*size, len(jobs))}
}

func (s *Sizes) of(id model.JobID) *size {
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

// Ended takes a finished task out of what remains.
func (s *Sizes) Ended(t model.Task) {
	z := s.of(t.Job)
	z.remaining -= z.lengths[t.Kind][t.Index]
}

// Undone puts a finished task back: it must run again.
func (s *Sizes) Undone(t model.Task) {
	z := s.of(t.Job)
	z.remaining += z.lengths[t.Kind][t.Index]
}

// Forget drops a job that has ended.
func (s *Sizes) Forget(id model.JobID) { s.known[id] = nil }

// Remaining implements policy.Sizes.
func (s *Sizes) Remaining(id model.JobID) model.Time { return s.of(id).remaining }

// Total implements policy.Sizes.
func (s *Sizes) Total(id model.JobID) model.Time { return s.of(id).total }
