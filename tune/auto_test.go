// SPDX-License-Identifier: Apache-2.0

package tune_test

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// TestAutoOverdue: a job whose progress is where jobs end gives its place to the next one before it has left. One that stays
// there keeps it: the maps of a SleepJob have read all their input, and sleep. Jobs are let in by ones, twos and fours here, because
// CPU and disk have room.
func TestAutoOverdue(t *testing.T) {
	tuner := build(t, "marp-auto", "", 1)
	look := func(at int, sleeper float64) string {
		o := tune.Observation{Time: model.Time(at) * model.Second, Idle: tune.Got(90.0), Disk: tune.Got(0.0), Pending: tune.Got(3), Latency: tune.Got(model.Second),
			AM: tune.Got(512 * model.MiB), Container: tune.Got(512 * model.MiB), Memory: tune.Got(16 * model.GiB), AppsKnown: true}
		for i, progress := range []float64{sleeper, 20, 20, 20} {
			o.Apps = append(o.Apps, tune.App{ID: string(rune('a' + i)), State: tune.Running, Progress: tune.Got(progress), Containers: tune.Got(3)})
		}
		_, allowed, _ := strings.Cut(tuner.Step(&o).Reason, ": ")
		return allowed
	}
	look(0, 20)
	if got := look(2, 20); got != "5 may run" {
		t.Errorf("CPU and disk have room: %s, want one beside the four", got)
	}
	if got := look(14, 95); got != "5 may run" {
		t.Errorf("one is about to end: %s, want two beside the other three", got)
	}
	if got := look(24, 95); got != "8 may run" {
		t.Errorf("it has not ended: %s, want four beside all four", got)
	}
}
