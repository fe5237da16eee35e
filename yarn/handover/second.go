// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn"
)

// Double lets the master of a job ask for a container for a second attempt at a task that runs, and reports whether it
// does. Whoever drives the floor ends the other attempt when one has ended.
func (f *Floor) Double(now model.Time, t model.Task) bool {
	f.set(now)
	a := f.byJob[t.Job]
	if a == nil || a.over || a.program == nil {
		return false
	}
	d, ok := a.program.(mapreduce.Doubler)
	if ok {
		d.Double(t)
		a.wake()
	}
	return ok
}

// Doubled reports whether the master of a job takes a task to have two attempts: it may be that one is lost, and the master has not
// heard of it.
func Doubled(f *Floor, t model.Task) bool {
	a := f.byJob[t.Job]
	if a == nil {
		return false
	}
	d, ok := a.program.(mapreduce.Doubler)
	return ok && d.Doubled(t)
}

// leaveOther ends the container of the other attempt at a task that has ended, which its node will report.
func (a *app) leaveOther(t model.Task) {
	f, c := a.floor, a.containers[t.Kind][t.Index]
	a.drop(t, c)
	if id := NodeOf(c); !f.nodes[id].silent {
		n := f.report(id)
		n.done = append(n.done, yarn.Done{Container: c, Exit: killedByMaster})
	}
}
