// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// The numbers that follow from the settings, rounded as in the release.
func TestLimits(t *testing.T) {
	p, quarter := DefaultParams(), 25
	p.MaximumSystemJobs = 15
	p.Queues = []Queue{{Name: "a", Capacity: 10, MaximumCapacity: 25, MinimumUserLimitPercent: &quarter}}
	l := p.Limits(&p.Queues[0], [model.Kinds]int64{99, 3})
	if l.Capacity != [model.Kinds]int64{9, 0} || l.Maximum != [model.Kinds]int64{24, 0} {
		t.Errorf("10 and 25 %% of 99 and 3 slots: %v and %v, expected them truncated", l.Capacity, l.Maximum)
	}
	// 1.5 jobs: 2 of the queue; 0.375 of a user: 1, from the product that was not rounded.
	if l.JobsToInit != 2 || l.JobsOfUserToInit != 1 || l.JobsToAccept != 20 || l.JobsOfUserToAccept != 10 {
		t.Errorf("limits on jobs %+v", l)
	}
	for _, c := range []struct {
		percent          int
		factor           float64
		need, occupied   int64
		users            int
		capacity, expect int64
	}{
		{100, 1, 1, 0, 3, 60, 60},   // served in order: everything
		{25, 1, 1, 0, 3, 60, 20},    // an equal share of three is more than a quarter
		{25, 1, 1, 0, 50, 60, 15},   // a quarter at least
		{25, 1, 1, 0, 7, 60, 15},    // ceil(60/7) = 9
		{33, 1, 1, 0, 9, 10, 4},     // ceil(3.3)
		{100, 1, 1, 60, 3, 60, 60},  // the queue is full: 61 slots count, but the factor holds at 60
		{100, 2, 1, 60, 3, 60, 61},  // the factor lets a user go beyond
		{100, 0.5, 1, 0, 3, 60, 30}, // half of the queue
		{100, 1, 1, 0, 0, 0, 1},     // a queue without capacity has room for one task
		{50, 1, 4, 8, 2, 10, 5},     // large tasks: below the capacity it counts as it is
		{100, 0, 1, 0, 1, 60, 0},    // a factor of 0 stops everybody
	} {
		l := Limits{Settings: Settings{MinimumUserLimitPercent: c.percent, UserLimitFactor: c.factor}, Capacity: [model.Kinds]int64{c.capacity}}
		if got := l.UserLimit(0, c.need, c.occupied, c.users); got != c.expect {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
