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

	taken bool
	job   int32      // slot of its job
	began model.Time // when its work began: its start, or for a reduce when it had nothing to wait for but its data
}

// neighbours are what has to be known of an attempt that may be killed: the event that it waits for alone,
// such as its end, the other attempts on its node, and those of its job.
type neighbours struct {
	timer         des.Handle
	onNode, ofJob pair
}

// pair is the next and the previous one in a list, none at its ends.
type pair struct{ next, prev ID }

// Worked returns for how long the attempt has worked by now; holding room while maps run is not work.
func (a *Attempt) Worked(now model.Time) model.Time {
	if a.Stage == record.Waiting {
		return 0
	}
	return now - a.began
}

// table is the running attempts: a flat array of 32 bytes each. Where nodes may fail or tasks straggle it
// keeps a list for each node and each job, so that neither a lost node nor a job that looks for its
// stragglers goes through all of them; elsewhere only reduces that wait for maps are ever killed.
type table struct {
	attempts []Attempt
	spare    []ID         // places to be given away
	near     []neighbours // by attempt
	byNode   []ID         // first attempt on each node; nil if nobody asks
}

// list makes the table keep its lists.
func (t *table) list(nodes int) {
	t.byNode = make([]ID, nodes)
	for i := range t.byNode {
		t.byNode[i] = none
	}
}

// wait notes the event that an attempt waits for, if anybody may kill it then.
func (t *table) wait(id ID, timer des.Handle) {
	if t.byNode != nil {
		t.near[id].timer = timer
	}
}

// timer returns that event; the zero handle if there is none.
func (t *table) timer(id ID) des.Handle {
	if t.byNode == nil {
		return 0
	}
	return t.near[id].timer
}

// at returns an attempt, valid until the next add.
func (t *table) at(id ID) *Attempt { return &t.attempts[id] }

// add gives an attempt of a job on a node its place, empty, for the caller to fill. first is the head of the job's list.
func (t *table) add(node model.NodeID, first *ID) (id ID) {
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
func (t *table) link(id ID, onNode, ofJob *ID) {
	if int(id) == len(t.near) {
		t.near = append(t.near, neighbours{})
	}
	t.near[id] = neighbours{onNode: pair{*onNode, none}, ofJob: pair{*ofJob, none}}
	if *onNode != none {
		t.near[*onNode].onNode.prev = id
	}
	if *ofJob != none {
		t.near[*ofJob].ofJob.prev = id
	}
	*onNode, *ofJob = id, id
}

// unlink takes an attempt out of its lists.
func (t *table) unlink(id ID, onNode, ofJob *ID) {
	n := t.near[id]
	if n.onNode.next != none {
		t.near[n.onNode.next].onNode.prev = n.onNode.prev
	}
	if n.onNode.prev != none {
		t.near[n.onNode.prev].onNode.next = n.onNode.next
	} else {
		*onNode = n.onNode.next
	}
	if n.ofJob.next != none {
		t.near[n.ofJob.next].ofJob.prev = n.ofJob.prev
	}
	if n.ofJob.prev != none {
		t.near[n.ofJob.prev].ofJob.next = n.ofJob.next
	} else {
		*ofJob = n.ofJob.next
	}
}

// remove takes an attempt out. What is known of it stays until its place is given away.
func (t *table) remove(id ID, first *ID) {
	if t.listed() {
		t.unlink(id, &t.byNode[t.attempts[id].Node], first)
	}
	t.free(id)
}

// free gives the place of an attempt away that is in no list.
func (t *table) free(id ID) {
	t.attempts[id].taken = false
	t.spare = append(t.spare, id)
}

// listed reports whether the table keeps lists.
func (t *table) listed() bool { return t.byNode != nil }

// onNode returns the attempts on a node in order of task and number.
func (t *table) onNode(node model.NodeID) (ids []ID) {
	for id := t.byNode[node]; id != none; id = t.near[id].onNode.next {
		ids = append(ids, id)
	}
	return t.inOrder(ids)
}

// ofJob returns the attempts of a job that keep accepts, in order of task and number. first is the head
// of its list.
func (t *table) ofJob(first ID, keep func(*Attempt) bool) (ids []ID) {
	for id := first; id != none; id = t.near[id].ofJob.next {
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
