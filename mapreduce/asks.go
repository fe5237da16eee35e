// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// asks is what a master asks for at one priority: counts by place, and which of them the resource manager has
// not heard of.
type asks struct {
	priority int
	size     queue.Resource
	lines    []line // the first is for any place
	at       capacity.Index
	changed  []int32 // places in lines
}

type line struct {
	place   capacity.Place
	count   int32
	changed bool
}

func newAsks(priority int, size queue.Resource) asks {
	return asks{priority: priority, size: size, lines: make([]line, 1)}
}

// add changes how many containers are asked for at any place.
func (a *asks) add(by int) { a.change(0, by) }

// line returns the position of a place in lines.
func (a *asks) line(p capacity.Place) int {
	i := a.at.Find(p)
	if i < 0 {
		i = len(a.lines)
		a.at.Set(p, i)
		a.lines = append(a.lines, line{place: p})
	}
	return i
}

func (a *asks) change(i, by int) {
	l := &a.lines[i]
	l.count = max(l.count+int32(by), 0)
	if !l.changed {
		l.changed = true
		a.changed = append(a.changed, int32(i))
	}
}

// tell appends the lines that have changed to a list of requests.
func (a *asks) tell(list []capacity.Request) []capacity.Request {
	list = slices.Grow(list, len(a.changed))
	for _, i := range a.changed {
		l := &a.lines[i]
		l.changed = false
		list = append(list, capacity.Request{Priority: a.priority, At: l.place, Size: a.size, Count: int(l.count)})
	}
	a.changed = a.changed[:0]
	return list
}
