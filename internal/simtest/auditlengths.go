// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"math"

	"github.com/yardmaster/yardmaster/exec"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// shared reports whether the time that tasks take comes from shared resources.
func (a *audit) shared() bool { return a.c.Config.Durations != exec.Replay }

// movedShared is moved where the data travels on links: always through a tail, of any length.
func (a *audit) movedShared(e *record.Event, t *auditTask, begin model.Time) {
	from, to := isWorking, isCopying
	if e.Kind == record.TaskComputing {
		from, to = isCopying, isReducing
		begin = t.since
	} else {
		t.copying = e.Time
	}
	if t.phase != from || e.Time < begin {
		a.fail(e, "phase %d, earliest at %v", t.phase, begin)
	}
	t.phase, t.since = to, e.Time
}

// endedReplay checks that a task took the length that was drawn for it.
func (a *audit) endedReplay(e *record.Event, t *auditTask) {
	drawn := a.c.length(e.Task, e.Attempt)
	own := e.Time - t.since
	if want := float64(drawn) * t.factor; math.Abs(float64(own)-want) > 1 {
		a.fail(e, "worked for %v, drawn length %v times %v is %.0f ns", own, drawn, t.factor, want)
	}
	if e.Task.Kind == model.Reduce {
		own += a.c.Jobs[e.Task.Job].ShuffleTail
	}
	if e.Length != own {
		a.fail(e, "length %v recorded, %v seen", e.Length, own)
	}
}

// endedShared checks what can be said of a task's time on shared resources: under network its length is
// waited after its input has come.
func (a *audit) endedShared(e *record.Event, t *auditTask) {
	own, seen := e.Time-t.since, e.Time-t.since
	if e.Task.Kind == model.Reduce {
		seen = e.Time - t.copying
	}
	if e.Length != seen {
		a.fail(e, "length %v recorded, %v seen", e.Length, seen)
	}
	want := float64(a.c.length(e.Task, e.Attempt)) * t.factor
	if a.c.Config.Durations == exec.Network && (float64(own) < want-1 || e.Task.Kind == model.Reduce && float64(own) > want+1) {
		a.fail(e, "worked for %v, its length is %.0f ns", own, want)
	}
}
