// SPDX-License-Identifier: Apache-2.0

// Package running keeps the attempts that run, and what begins later.
package running

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// ID names a running attempt. It is given to another one when the attempt has ended.
type ID int32

// None is no attempt.
const None ID = -1

// Attempt is one try at a task, from the moment it has room to its end.
type Attempt struct {
	Task   model.Task
	Node   model.NodeID
	Number uint8        // of the try, counted from 0
	Stage  record.Stage // a map is always Computing

	Taken bool       // false for a free place
	Slot  int32      // of its job
	Since model.Time // when it took its room
	Began model.Time // when its work began: its start, or for a reduce when it had nothing to wait for but its data
}

// neighbours are what has to be known of an attempt that may be killed: the event that it waits for alone,
// such as its end, the other attempts on its node, and those of its job.
type neighbours struct {
	timer         des.Handle
	onNode, ofJob pair
}

// pair is the next and the previous one in a list, None at its ends.
type pair struct{ next, prev ID }

// Worked returns for how long the attempt has worked by now; holding room while maps run is not work.
func (a *Attempt) Worked(now model.Time) model.Time {
	if a.Stage == record.Waiting {
		return 0
	}
	return now - a.Began
}

// Table is the running attempts: a flat array of 40 bytes each. Where nodes may fail or tasks straggle it
// keeps a list for each node and each job, so that neither a lost node nor a job that looks for its
// stragglers goes through all of them; elsewhere only reduces that wait for maps are ever killed.
type Table struct {
	attempts []Attempt
	spare    []ID         // places to be given away
	near     []neighbours // by attempt
	byNode   []ID         // first attempt on each node; nil if nobody asks
}

// List makes the table keep its lists.
func (t *Table) List(nodes int) {
	t.byNode = make([]ID, nodes)
	for i := range t.byNode {
		t.byNode[i] = None
	}
}

// Wait notes the event that an attempt waits for, if anybody may kill it then.
func (t *Table) Wait(id ID, timer des.Handle) {
	if t.byNode != nil {
		t.near[id].timer = timer
	}
}

// Timer returns that event; the zero handle if there is none.
func (t *Table) Timer(id ID) des.Handle {
	if t.byNode == nil {
		return 0
	}
	return t.near[id].timer
}

// At returns an attempt, valid until the next Add.
func (t *Table) At(id ID) *Attempt { return &t.attempts[id] }

// Ahead adds an attempt to what is asked for.
func (t *Table) Ahead(b *ahead.Batch, id ID) { ahead.Item(b, t.attempts, int(id)) }

// Add gives an attempt of a job on a node its place, empty, for the caller to fill. first is the head of the job's list.
func (t *Table) Add(node model.NodeID, first *ID) (id ID) {
	if n := len(t.spare); n > 0 {
		id, t.spare = t.spare[n-1], t.spare[:n-1]
		t.attempts[id] = Attempt{}
	} else {
		id = ID(len(t.attempts))
		t.attempts = append(t.attempts, Attempt{})
	}
	if t.byNode != nil {
		t.link(id, &t.byNode[node], first)
	}
	return id
}

// link puts an attempt at the head of its lists.
func (t *Table) link(id ID, onNode, ofJob *ID) {
	if int(id) == len(t.near) {
		t.near = append(t.near, neighbours{})
	}
	t.near[id] = neighbours{onNode: pair{*onNode, None}, ofJob: pair{*ofJob, None}}
	if *onNode != None {
		t.near[*onNode].onNode.prev = id
	}
	if *ofJob != None {
		t.near[*ofJob].ofJob.prev = id
	}
	*onNode, *ofJob = id, id
}

// unlink takes an attempt out of its lists.
func (t *Table) unlink(id ID, onNode, ofJob *ID) {
	n := t.near[id]
	if n.onNode.next != None {
		t.near[n.onNode.next].onNode.prev = n.onNode.prev
	}
	if n.onNode.prev != None {
		t.near[n.onNode.prev].onNode.next = n.onNode.next
	} else {
		*onNode = n.onNode.next
	}
	if n.ofJob.next != None {
		t.near[n.ofJob.next].ofJob.prev = n.ofJob.prev
	}
	if n.ofJob.prev != None {
		t.near[n.ofJob.prev].ofJob.next = n.ofJob.next
	} else {
		*ofJob = n.ofJob.next
	}
}

// Remove takes an attempt out. What is known of it stays until its place is given away.
func (t *Table) Remove(id ID, first *ID) {
	if t.byNode != nil {
		t.unlink(id, &t.byNode[t.attempts[id].Node], first)
	}
	t.Free(id)
}

// Free gives the place of an attempt away that is in no list.
func (t *Table) Free(id ID) {
	t.attempts[id].Taken = false
	t.spare = append(t.spare, id)
}

// Listed reports whether the table keeps lists.
func (t *Table) Listed() bool { return t.byNode != nil }

// All calls see for each attempt that runs.
func (t *Table) All(see func(ID, *Attempt)) {
	for i := range t.attempts {
		if a := &t.attempts[i]; a.Taken {
			see(ID(i), a)
		}
	}
}

// OnNode returns the attempts on a node in order of task and number.
func (t *Table) OnNode(node model.NodeID) (ids []ID) {
	for id := t.byNode[node]; id != None; id = t.near[id].onNode.next {
		ids = append(ids, id)
	}
	return t.inOrder(ids)
}

// OfJob returns the attempts of a job that keep accepts, in order of task and number. first is the head
// of its list.
func (t *Table) OfJob(first ID, keep func(*Attempt) bool) (ids []ID) {
	for id := first; id != None; id = t.near[id].ofJob.next {
		if keep(&t.attempts[id]) {
			ids = append(ids, id)
		}
	}
	return t.inOrder(ids)
}

func (t *Table) inOrder(ids []ID) []ID {
	slices.SortFunc(ids, func(x, y ID) int {
		a, b := &t.attempts[x], &t.attempts[y]
		return cmp.Or(cmp.Compare(a.Task.Job, b.Task.Job), cmp.Compare(a.Task.Kind, b.Task.Kind),
			cmp.Compare(a.Task.Index, b.Task.Index), cmp.Compare(a.Number, b.Number))
	})
	return ids
}
