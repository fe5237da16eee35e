// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/record"
)

// asked is a fair order that cannot compare jobs which it does not hold, so that every job stays in it and is asked.
type asked struct {
	kit.Order
	policy.TaskObserver
}

// TestDelayParks: jobs that wait for their data by time alone are kept out of the order, and everything happens as
// if each of them had been asked at every offer.
func TestDelayParks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := fromRapid(t)
		c := Generate(draw)
		if draw.chance("faults", 2) {
			c.Break(draw)
		}
		fair := kit.DefaultFairParams()
		fair.By = []string{"job", "user", "pool"}[draw("by", 0, 2)]
		delay := kit.DelayParams{NodeSkips: int32(5 * draw("node-skips", 0, 1)), RackSkips: int32(5 * draw("rack-skips", 0, 1)),
			NodeWait: model.Time(draw("node-wait", 1, 20)) * model.Second, RackWait: model.Time(draw("rack-wait", 0, 20)) * model.Second}
		run := func(all bool) []record.Event {
			log := &record.Log{}
			entry := &policy.Entry{Name: "delay", New: func(env *policy.Env, _ any) (policy.Policy, error) {
				order := kit.NewFairOrder(env, fair)
				roles := kit.Roles{Order: order, Place: kit.NewDelay(env, delay)}
				if all {
					roles.Order = asked{order, order}
				}
				return kit.Compose(env, roles), nil
			}}
			if _, err := engine.Run(c.Input(entry, nil, log)); err != nil {
				t.Fatal(err)
			}
			return log.Events
		}
		if got, want := run(false), run(true); !slices.Equal(got, want) {
			for i := range got {
				if i >= len(want) || got[i] != want[i] {
					t.Fatalf("event %d of %d is %+v, asked one by one %+v\n%v", i, len(got), got[i], want[min(i, len(want)-1)], c)
				}
			}
			t.Fatalf("%d events, asked one by one %d\n%v", len(got), len(want), c)
		}
	})
}
