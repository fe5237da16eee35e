// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

func TestSrptOrder(t *testing.T) {
	left := sizes{0: 30, 1: 20, 2: 20, 3: 10}
	d := newDesk(t, "srpt", "", racks(model.Containers, 1, 1, model.Room{9, 0}), plain(model.Containers, 4, 3, 0), left)
	for _, id := range []model.JobID{2, 1, 0, 3} {
		d.admit(id)
		d.now += model.Second
	}
	d.ranked(t, "least work first, then submission", 0, 3, 2, 1, 0)
	task := d.served(t, "the shortest", 0, 0, 3)
	d.ranked(t, "a start changes nothing: the work is not done", 0, 3, 2, 1, 0)
	left[0], left[3] = 5, 25
	d.ranked(t, "an order moves when the policy is told, not by itself", 0, 3, 2, 1, 0)
	d.end(task, 0, true)
	d.ranked(t, "the end of a task of job 3 moves job 3", 0, 2, 1, 3, 0)
	first := d.served(t, "the shortest now", 0, 0, 2)
	d.end(first, 0, false)
	d.ranked(t, "a killed task must be done again", 0, 2, 1, 3, 0)
}

func TestSrptKeysOnReturn(t *testing.T) {
	left := sizes{0: 30, 1: 20}
	d := newDesk(t, "srpt", "", racks(model.Slots, 1, 1, model.Room{9, 9}), plain(model.Slots, 2, 1, 1), left)
	d.admit(0)
	d.admit(1)
	left[0] = 10
	d.release(0)
	d.release(1)
	d.ranked(t, "the key is that of the moment in which a job begins to want room", int(model.Reduce), 0, 1)
	d.ranked(t, "in the other pool it wanted room before", int(model.Map), 1, 0)
}
