// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Three queues with limits of 10 s and 20 s. Limits hold for the service received in each queue.
func TestFbqMovesDown(t *testing.T) {
	const s = model.Second
	d := newDesk(t, "fbq", "limits: [10s, 20s]", racks(model.Containers, 1, 1, model.Room{2, 0}), plain(model.Containers, 3, 20, 0), nil)
	d.admit(0)
	a := d.served(t, "job 0 is alone", 0, 0, 0)
	d.served(t, "both slots are its", 0, 0, 0)
	d.admit(1)
	d.now = 5 * s // job 0 has received 2 x 5 s: not more than 10 s
	d.end(a, 0, true)
	d.ranked(t, "the limit is reached, not exceeded", 0, 0, 1)
	b := d.served(t, "job 0 is still first", 0, 0, 0)
	d.now = 6 * s // 12 s
	d.end(b, 0, true)
	d.ranked(t, "a job moves when it is looked at, not by itself", 0, 0, 1)
	d.served(t, "job 0 has moved to queue 2", 0, 0, 1)
	d.ranked(t, "job 1 is in queue 1", 0, 1, 0)
	d.admit(2)
	d.ranked(t, "queue 1 is first come, first served", 0, 1, 2, 0)
}

// In queue 2 the order is that of joining it, not that of arrival.
func TestFbqJoinsAtTheEnd(t *testing.T) {
	const s = model.Second
	d := newDesk(t, "fbq", "limits: [10s]", racks(model.Containers, 1, 1, model.Room{2, 0}), plain(model.Containers, 3, 20, 0), nil)
	d.admit(0)
	d.admit(1)
	a := d.served(t, "arrival", 0, 0, 0)
	d.jobs[0].Eligible[model.Map] = 1 // job 0 wants no more for now
	d.refresh(d.jobs[0])
	b := d.served(t, "job 1 is next", 0, 0, 1)
	d.now = 30 * s
	d.end(b, 0, true)
	d.served(t, "job 1 is alone, and moves down", 0, 0, 1)
	d.end(a, 0, true)
	d.jobs[0].Eligible[model.Map] = 20
	d.refresh(d.jobs[0])
	d.served(t, "job 0 has moved down behind it", 0, 0, 1)
	d.ranked(t, "both are in queue 2 now", 0, 1, 0)
}
