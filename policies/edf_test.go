// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

func TestEdfOrder(t *testing.T) {
	jobs := plain(model.Slots, 6, 2, 0)
	for id, goal := range map[int]model.Time{0: 100, 1: 50, 2: 0, 3: 49, 4: 0, 5: 100} {
		jobs[id].Goal = goal * model.Second
	}
	jobs[2].Priority = model.VeryHigh // priorities do not count
	d := newDesk(t, "edf", "", racks(model.Slots, 1, 1, model.Room{9, 0}), jobs, nil)
	for _, id := range []model.JobID{4, 0, 1, 2, 3} {
		d.admit(id)
		d.now += model.Second
	}
	// Goals count from submission: job 0 by 101s, job 1 by 52s, job 3 by 53s.
	d.ranked(t, "earliest goal, then none in order of submission", 0, 1, 3, 0, 4, 2)
	d.now = model.Second
	d.admit(5)
	d.ranked(t, "equal goals and submissions by number", 0, 1, 3, 0, 5, 4, 2)
	d.served(t, "the earliest goal", 0, 0, 1)
	d.served(t, "the earliest goal again: use does not count", 0, 0, 1)
	d.served(t, "job 1 wants no more", 0, 0, 3)
	d.ranked(t, "a job keeps its place while it wants room", 0, 3, 0, 5, 4, 2)
}
