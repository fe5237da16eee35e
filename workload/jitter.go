// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// Jitter moves the submission of every job by a time drawn uniformly between -span and +span, keyed
// by the seed and the job's number, but not before 0. Jobs are put in order of submission again and
// renumbered; a job that waits for another keeps its think time and its place behind that one.
func Jitter(jobs []model.Job, span model.Time, seed uint64) {
	if span == 0 {
		return
	}
	draws := rng.New(seed, rng.Jitter)
	root := make([]model.Time, len(jobs)) // when the first job of the chain is submitted
	for i := range jobs {
		j := &jobs[i]
		if j.After != model.None {
			root[i] = root[j.After]
			continue
		}
		u := float64(draws.Uint64(uint64(i), 0, 0)>>11) / (1 << 53)
		j.Submit = max(j.Submit+model.Time((2*u-1)*float64(span)), 0)
		root[i] = j.Submit
	}
	reorder(jobs, root)
}

// reorder puts jobs in order of the submission of the first job of their chain, and renumbers them.
func reorder(jobs []model.Job, root []model.Time) {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(root[a], root[b]) })
	moved, id := make([]model.Job, len(jobs)), make([]model.JobID, len(jobs))
	for at, i := range order {
		id[i] = model.JobID(at)
		moved[at] = jobs[i]
		moved[at].ID = model.JobID(at)
		if after := jobs[i].After; after != model.None {
			moved[at].After = id[after] // stands before: equal roots keep their order
		}
	}
	copy(jobs, moved)
}
