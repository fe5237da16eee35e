// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
)

// Doubler is a master that can try a running task a second time. The first attempt to end counts; whoever drives the master
// ends the other.
type Doubler interface {
	// Double asks for a container for a second attempt at a task that runs: an ordinary ask of its kind.
	Double(t model.Task)
	// Doubled reports whether the master takes a task to have a second attempt that is asked for or runs.
	Doubled(t model.Task) bool
}

var _ Doubler = (*appMaster)(nil)

// Double implements Doubler.
func (m *appMaster) Double(t model.Task) {
	if m.seconds == nil {
		m.seconds = map[model.Task]bool{}
	}
	m.seconds[t] = false
	if t.Kind == model.Map {
		m.maps.add(t.Index, m.near(t.Index))
	} else {
		m.idle = append(m.idle, t.Index)
	}
}

// Doubled implements Doubler.
func (m *appMaster) Doubled(t model.Task) bool {
	_, doubled := m.seconds[t]
	return doubled
}

// single forgets the second attempt at a task, which is asked for no longer.
func (m *appMaster) single(t model.Task) {
	runs, doubled := m.seconds[t]
	delete(m.seconds, t)
	switch {
	case runs || !doubled:
	case t.Kind == model.Map:
		m.maps.take(t.Index)
	case slices.Contains(m.idle, t.Index):
		m.idle = slices.DeleteFunc(m.idle, func(i int32) bool { return i == t.Index })
	default:
		m.asked = slices.DeleteFunc(m.asked, func(i int32) bool { return i == t.Index })
		m.reduces.add(-1)
	}
}
