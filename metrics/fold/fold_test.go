// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// slots is one node with two map slots and a reduce slot.
func slots() *model.Topology {
	return &model.Topology{Model: model.Slots, Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: model.Room{2, 1}}}, Nodes: []model.Node{{}}}
}

// A job of four maps waits for the heartbeat of a node with two free slots: for ten seconds there was room that it could
// have used; then both are taken and it waits for room.
func TestBeatsTellHeartbeatFromRoom(t *testing.T) {
	r, spec := NewRoom(slots()), &model.Job{Maps: 4}
	r.Watch(1)
	event := func(at model.Time, kind record.Kind) {
		r.Record(&record.Event{Time: at, Kind: kind, Task: model.Task{Kind: model.Map}}, spec)
	}
	event(0, record.JobAdmitted)
	before := r.Mark(0)
	event(10*model.Second, record.TaskStarted)
	event(10*model.Second, record.TaskStarted)
	first := r.Mark(10 * model.Second)
	if got := first.Share(&before, 10*model.Second, false, 0); got != 1 {
		t.Errorf("before its first task a heartbeat was waited for during %g of the time, want all of it", got)
	}
	if got := first.Share(&before, 10*model.Second, true, 0); got != 0.5 { // two slots for four maps
		t.Errorf("for four maps there was room for %g, want half", got)
	}
	last := r.Mark(20 * model.Second)
	if got := last.Share(&first, 10*model.Second, true, 0); got != 0 {
		t.Errorf("with all slots taken a heartbeat is to blame for %g", got)
	}
	if r.Idle[0] != 20 { // two slots for ten seconds
		t.Errorf("%g slot seconds were idle while maps waited, want 20", r.Idle[0])
	}
}

// The room of a lost node is no room that a heartbeat could bring.
func TestBeatsOfALostNode(t *testing.T) {
	top := slots()
	r := NewRoom(top)
	r.Watch(1)
	r.Record(&record.Event{Kind: record.JobAdmitted, Task: model.Task{Kind: model.Map}}, &model.Job{Maps: 1})
	r.NoJob(&record.Event{Kind: record.NodeLost}, top)
	before := r.Mark(0)
	after := r.Mark(10 * model.Second)
	if got := after.Share(&before, 10*model.Second, false, 0); got != 0 {
		t.Errorf("a lost node is to blame for %g", got)
	}
	r.NoJob(&record.Event{Time: 10 * model.Second, Kind: record.NodeReturned}, top)
	r.advance(12 * model.Second)
	if r.Idle[0] != 2 {
		t.Errorf("%g slot seconds were idle while a map waited, want the 2 since the node returned", r.Idle[0])
	}
}

// Under YARN's resource manager RoomChanged says when there was room.
func TestBeatsUnderYarn(t *testing.T) {
	top := slots()
	top.Model = model.Yarn
	r := NewRoom(top)
	r.Watch(1)
	before := r.Mark(0)
	r.NoJob(&record.Event{Time: 3 * model.Second, Kind: record.RoomChanged, Count: 0}, top)
	r.NoJob(&record.Event{Time: 9 * model.Second, Kind: record.RoomChanged, Count: 1}, top)
	after := r.Mark(10 * model.Second)
	if got := after.Share(&before, 10*model.Second, true, 0); got != 0.4 {
		t.Errorf("room for %g of the time, want 0.4", got)
	}
}
