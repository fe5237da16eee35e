// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

const sitaThree = "limits: [10s, 20s]\ncapacities: [34%, 33%, 33%]\npredict: perfect"

// Three nodes for three queues. A size that is a limit belongs to the queue below it.
func TestSitaQueues(t *testing.T) {
	const s = model.Second
	known := sizes{0: 20*s + 1, 1: 20 * s, 2: 10*s + 1, 3: 10 * s}
	d := newDesk(t, "sita", sitaThree, racks(model.Containers, 1, 3, model.Room{1, 0}), plain(model.Containers, 4, 2, 0), known)
	for id := range model.JobID(4) {
		d.admit(id)
	}
	d.ranked(t, "by queue, then by arrival", 0, 3, 1, 2, 0)
	d.served(t, "part 1", 0, 0, 3)
	d.served(t, "part 2", 1, 0, 1)
	d.served(t, "part 3", 2, 0, 0)
}

// A job stays where it was sent, however long it runs.
func TestSitaStays(t *testing.T) {
	const s = model.Second
	d := newDesk(t, "sita", sitaThree, racks(model.Containers, 1, 3, model.Room{1, 0}), plain(model.Containers, 1, 4, 0), sizes{0: 5 * s})
	d.admit(0)
	task := d.served(t, "predicted small", 0, 0, 0)
	d.now = 1000 * s
	d.end(task, 0, true)
	d.served(t, "still in part 1", 0, 0, 0)
	if got := d.offer(2, 0); got.Task.Job != model.None {
		t.Errorf("part 3 serves %+v", got)
	}
}
