// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Four queues: a job is compared with the last three completed ones, which are 10, 20 and 30 s long
// when jobs 4 to 7 arrive; job 0, the first completed, is forgotten by then.
func TestCompQueues(t *testing.T) {
	const s = model.Second
	known := sizes{4: 31 * s, 5: 30 * s, 6: 15 * s, 7: 10 * s}
	d := newDesk(t, "comp", "queues: 4\npredict: perfect", racks(model.Containers, 1, 1, model.Room{4, 0}), plain(model.Containers, 8, 1, 0), known)
	for id, length := range []model.Time{1000 * s, 20 * s, 10 * s, 30 * s} {
		d.admit(model.JobID(id))
		task := d.served(t, "alone", 0, 0, model.JobID(id))
		d.now += length
		d.end(task, 0, true)
	}
	for id := model.JobID(4); id < 8; id++ {
		d.admit(id)
	}
	d.ranked(t, "larger than 0, 1, 2 and 3 of them", 0, 7, 6, 5, 4)
}

// Before any job has completed there is nothing to compare with: first come, first served.
func TestCompStarts(t *testing.T) {
	d := newDesk(t, "comp", "queues: 2", racks(model.Containers, 1, 1, model.Room{4, 0}), plain(model.Containers, 3, 1, 0), nil)
	for id := range model.JobID(3) {
		d.admit(id)
	}
	d.ranked(t, "arrival", 0, 0, 1, 2)
}
