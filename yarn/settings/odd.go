// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/queue"
)

// Odd says of settings that the release takes, but that hardly anybody means, what follows from them. NaN is one of them: it is
// not above 0, and the release makes it 0 where it cuts it to a whole number.
func (s *Scheduler) Odd() (list []string) {
	say := func(name, format string, args ...any) {
		list = append(list, Prefix+name+": "+fmt.Sprintf(format, args...))
	}
	if s.MaxApps <= 0 {
		say("maximum-applications", "%d: every application is rejected", s.MaxApps)
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		if least := q.Capacity.Memory.Value; math.IsNaN(least) {
			say(q.Path+".capacity", "%g: the queue has no guarantee, and no share of maximum-applications", least)
		}
		if q.Maximum.Uniform(queue.Percent) {
			switch most, least := q.Maximum.Memory.Value, q.Capacity.Memory.Value; {
			case !(most > 0):
				say(q.Path+".maximum-capacity", "%g: nothing starts in the queue", most)
			case most > 100:
				say(q.Path+".maximum-capacity", "%g: above 100 there is no maximum", most)
			case q.Parent >= 0 && q.Capacity.Uniform(queue.Percent) && most < least:
				say(q.Path+".maximum-capacity", "%g is below the capacity %g: the queue never gets its guarantee", most, least)
			}
		}
		if q.Parallel <= 0 {
			say(q.Path+".max-parallel-apps", "%d: no application starts", q.Parallel)
		}
		if q.Leaf {
			q.oddLeaf(say)
		}
	}
	return list
}

func (q *Queue) oddLeaf(say func(name, format string, args ...any)) {
	if p := q.Users.Percent; !(p > 0) {
		say(q.Path+".minimum-user-limit-percent", "%g: every application is rejected, because a user may have none", p)
	}
	if f := q.Users.Factor; !(f > 0) && f != queue.Unbounded {
		say(q.Path+".user-limit-factor", "%g: every application is rejected, because a user may have none", f)
	}
	switch m := q.MasterShare; {
	case !(m > 0):
		say(q.Path+".maximum-am-resource-percent", "%g: one application runs at a time", m)
	case m > 1:
		say(q.Path+".maximum-am-resource-percent", "%g: masters may fill the whole queue, so that none gets a container for its tasks", m)
	}
}
