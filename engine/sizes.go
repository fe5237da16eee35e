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
	known   map[model.JobID]*size // of jobs that were asked about and are there
}

// size is the sum of the lengths of a job's tasks.
type size struct {
	total, remaining model.Time
	samplers         [model.Kinds]rng.Sampler
	tail             model.Time // on top of the length of each reduce
}

var _ policy.Sizes = (*sizes)(nil)

func newSizes(jobs []model.Job, seed uint64) *sizes {
	return &sizes{jobs: jobs, lengths: rng.NewLengths(seed), known: map[model.JobID]*size{}}
}

func (s *sizes) of(id model.JobID) *size {
	if z := s.known[id]; z != nil {
		return z
	}
	j := &s.jobs[id]
	z := &size{tail: j.ShuffleTail}
	for k := range model.Kind(model.Kinds) {
		z.samplers[k] = s.lengths.Of(j, k)
		for i := range j.Tasks(k) {
			z.total += z.length(model.Task{Job: id, Kind: k, Index: i})
		}
	}
	z.remaining = z.total
	s.known[id] = z
	return z
}

func (z *size) length(t model.Task) model.Time {
	l := z.samplers[t.Kind].Length(t.Index, 0)
	if t.Kind == model.Reduce {
		l += z.tail
	}
	return l
}

// ended takes a finished task out of what remains.
func (s *sizes) ended(t model.Task) {
	z := s.of(t.Job)
	z.remaining -= z.length(t)
}

// undone puts a finished task back: it must run again.
func (s *sizes) undone(t model.Task) {
	z := s.of(t.Job)
	z.remaining += z.length(t)
}

// forget drops a job that has ended.
func (s *sizes) forget(id model.JobID) { delete(s.known, id) }

// Remaining implements policy.Sizes.
func (s *sizes) Remaining(id model.JobID) model.Time { return s.of(id).remaining }

// Total implements policy.Sizes.
func (s *sizes) Total(id model.JobID) model.Time { return s.of(id).total }
