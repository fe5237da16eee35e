// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// ID names a running attempt. It is given to another one when the attempt has ended.
type ID int32

// none is no attempt, no work, no group.
const none = -1

// Attempt is one try at a task, from the moment it has room to its end.
type Attempt struct {
	Task   model.Task
	Node   model.NodeID
	Number uint8        // of the try, counted from 0
	Stage  record.Stage // a map is always Computing

	began  model.Time // when its work began: its start, or for a reduce when it had nothing to wait for but its data
	timer  des.Handle // of the event that it waits for alone, such as its end
	work   int32      // its place among the works on shared resources, none without one
	job    int32      // slot of its job
	onNode links2     // the other attempts on the node
	ofJob  links2     // the other attempts of the job
	taken  bool
}

// links2 are the neighbours in a doubly linked list, none at its ends.
type links2 struct{ next, prev ID }

// Worked returns for how long the attempt has worked by now; holding room while maps run is no work.
func (a *Attempt) Worked(now model.Time) model.Time {
	if a.Stage == record.Waiting {
		return 0
	}
	return now - a.began
}

// table is the running attempts: a flat array with a list for each node and each job, so that neither
// a lost node nor a job that looks for its stragglers goes through all of them.
type table struct {
	attempts []Attempt
	free     []ID
	byNode   []ID // first attempt on each node
}

func (t *table) init(nodes int) {
	t.byNode = make([]ID, nodes)
	for i := range t.byNode {
		t.byNode[i] = none
	}
}

// at returns an attempt, valid until the next add.
func (t *table) at(id ID) *Attempt { return &t.attempts[id] }

// add gives an attempt its place. first is the head of its job's list.
func (t *table) add(a Attempt, first *ID) ID {
	var id ID
	if n := len(t.free); n > 0 {
		id, t.free = t.free[n-1], t.free[:n-1]
	} else {
		id = ID(len(t.attempts))
		t.attempts = append(t.attempts, Attempt{})
	}
	a.taken = true
	a.onNode = links2{t.byNode[a.Node], none}
	a.ofJob = links2{*first, none}
	if a.onNode.next != none {
		t.attempts[a.onNode.next].onNode.prev = id
	}
	if *first != none {
		t.attempts[*first].ofJob.prev = id
	}
	t.byNode[a.Node], *first = id, id
	t.attempts[id] = a
	return id
}

// remove takes an attempt out and returns it.
func (t *table) remove(id ID, first *ID) Attempt {
	a := t.attempts[id]
	if a.onNode.next != none {
		t.attempts[a.onNode.next].onNode.prev = a.onNode.prev
	}
	if a.onNode.prev != none {
		t.attempts[a.onNode.prev].onNode.next = a.onNode.next
	} else {
		t.byNode[a.Node] = a.onNode.next
	}
	if a.ofJob.next != none {
		t.attempts[a.ofJob.next].ofJob.prev = a.ofJob.prev
	}
	if a.ofJob.prev != none {
		t.attempts[a.ofJob.prev].ofJob.next = a.ofJob.next
	} else {
		*first = a.ofJob.next
	}
	t.attempts[id].taken = false
	t.free = append(t.free, id)
	return a
}

// onNode returns the attempts on a node in order of task and number.
func (t *table) onNode(node model.NodeID) (ids []ID) {
	for id := t.byNode[node]; id != none; id = t.attempts[id].onNode.next {
		ids = append(ids, id)
	}
	return t.inOrder(ids)
}

// ofJob returns the attempts of a job that keep accepts, in order of task and number. first is the head
// of its list.
func (t *table) ofJob(first ID, keep func(*Attempt) bool) (ids []ID) {
	for id := first; id != none; id = t.attempts[id].ofJob.next {
		if keep(&t.attempts[id]) {
			ids = append(ids, id)
		}
	}
	return t.inOrder(ids)
}

func (t *table) inOrder(ids []ID) []ID {
	slices.SortFunc(ids, func(x, y ID) int {
		a, b := &t.attempts[x], &t.attempts[y]
		return cmp.Or(cmp.Compare(a.Task.Job, b.Task.Job), cmp.Compare(a.Task.Kind, b.Task.Kind),
			cmp.Compare(a.Task.Index, b.Task.Index), cmp.Compare(a.Number, b.Number))
	})
	return ids
}
