// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Sample keeps some of the jobs, wherever they come from.
type Sample struct {
	Jobs       int         `yaml:"jobs" min:"0" doc:"Number of jobs to keep, drawn at random but alike for every seed; 0 keeps all."`
	MinShuffle model.Bytes `yaml:"min-shuffle,omitempty" min:"0" doc:"Only jobs with at least this much shuffle data are kept."`
}

// Keep returns the jobs that are kept, in order, with new numbers. A job that waits for another is kept with it.
func (s *Sample) Keep(jobs []model.Job) []model.Job {
	draws := rng.New(0, rng.Sample)
	var heads []model.JobID // of chains, that may be kept
	for i := range jobs {
		if jobs[i].After == model.None && jobs[i].Shuffle >= s.MinShuffle {
			heads = append(heads, jobs[i].ID)
		}
	}
	if s.Jobs > 0 && s.Jobs < len(heads) {
		slices.SortFunc(heads, func(a, b model.JobID) int {
			return cmp.Or(cmp.Compare(draws.Uint64(uint64(a), 0, 0), draws.Uint64(uint64(b), 0, 0)), cmp.Compare(a, b))
		})
		heads = heads[:s.Jobs]
	}
	numbers := make([]model.JobID, len(jobs)) // new ones, None for those that go
	for i := range numbers {
		numbers[i] = model.None
	}
	for _, id := range heads {
		numbers[id] = id
	}
	kept := jobs[:0]
	for i, j := range jobs {
		if j.After != model.None {
			numbers[i] = numbers[j.After]
			j.After = numbers[i]
		}
		if numbers[i] != model.None {
			numbers[i] = model.JobID(len(kept))
			j.ID = numbers[i]
			kept = append(kept, j)
		}
	}
	return kept
}

// Arrive says when jobs are submitted, in place of what their source says.
type Arrive struct {
	Within model.Time `yaml:"within" min:"0" doc:"Jobs are submitted at random times from 0s to this one, uniformly; 0s: all at once. Think times stay."`
}

// Apply sets the submissions of the run with this seed. Jobs are put in order of submission and renumbered.
func (a *Arrive) Apply(jobs []model.Job, seed uint64) {
	draws := rng.New(seed, rng.Arrive)
	root := make([]model.Time, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		if j.After != model.None {
			root[i] = root[j.After]
			continue
		}
		j.Submit = model.Time(float64(draws.Uint64(uint64(i), 0, 0)>>11) / (1 << 53) * float64(a.Within))
		root[i] = j.Submit
	}
	reorder(jobs, root)
}

// ScaleBytes multiplies what jobs read, move and write; their tasks and the lengths of these stay.
func ScaleBytes(jobs []model.Job, factor float64) {
	for i := range jobs {
		for _, b := range []*model.Bytes{&jobs[i].Input, &jobs[i].Shuffle, &jobs[i].Output} {
			*b = toBytes(float64(*b) * factor)
		}
	}
}

// ScaleLengths multiplies the lengths of all tasks and what their reduces still copy after the last map.
func ScaleLengths(jobs []model.Job, factor float64) {
	scaled := func(t model.Time) model.Time { return model.Time(math.Round(float64(t) * factor)) }
	for i := range jobs {
		j := &jobs[i]
		for k := range model.Kind(model.Kinds) {
			l := j.Lengths(k)
			l.Mean, l.Fixed = scaled(l.Mean), slices.Clone(l.Fixed)
			for n := range l.Fixed {
				l.Fixed[n] = scaled(l.Fixed[n])
			}
		}
		j.ShuffleTail = scaled(j.ShuffleTail)
	}
}
