// SPDX-License-Identifier: Apache-2.0

// Package circuits folds what a run records about circuits between racks: which were there when, what they
// carried, how long was waited for them; and it says how well a matrix of demand suits them.
package circuits

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Connection is a circuit from one rack to another, from when it was begun to be made until it was taken down.
type Connection struct {
	From, To int
	Made     model.Time // when it was begun
	Up       model.Time // when it could carry
	Down     model.Time // when it was taken down, or the end of the run
	Carrying model.Time // for how long it carried
	Waited   model.Time // how long the elephants waited for it that it served first
	Bytes    model.Bytes
}

// Run is what a run says about circuits.
type Run struct {
	Racks       int
	Connections []Connection // in the order in which they were begun
	Switched    int64        // times at which circuits were made or taken down
	Waits       int64        // times at which elephants got a circuit that they had waited for
	Waited      model.Time   // in all
	Longest     model.Time   // the longest wait
}

// Carrying returns for how long circuits carried, summed over circuits.
func (r *Run) Carrying() (sum model.Time) {
	for i := range r.Connections {
		sum += r.Connections[i].Carrying
	}
	return sum
}

// Log folds the events of one run as they come.
type Log struct {
	run   Run
	state []place // from*racks+to
	last  model.Time
}

// place is where the circuit of a pair of racks stands.
type place struct {
	state record.Circuit
	since model.Time
	at    int // its connection
}

// NewLog returns a log of circuits between racks.
func NewLog(racks int) *Log {
	return &Log{run: Run{Racks: racks}, state: make([]place, racks*racks), last: model.None}
}

// Record takes a change of a circuit.
func (l *Log) Record(e *record.Event) {
	p := &l.state[e.Count]
	if e.Circuit == record.CircuitOff || e.Circuit == record.CircuitSwitching {
		if e.Time != l.last {
			l.last = e.Time
			l.run.Switched++
		}
	}
	if e.Circuit == record.CircuitSwitching {
		p.at = len(l.run.Connections)
		l.run.Connections = append(l.run.Connections, Connection{From: int(e.Count) / l.run.Racks, To: int(e.Count) % l.run.Racks,
			Made: e.Time, Up: model.Forever, Down: model.Forever})
	}
	c := &l.run.Connections[p.at]
	c.Bytes += e.Bytes
	switch {
	case p.state == record.CircuitCarrying:
		c.Carrying += e.Time - p.since
	case p.state == record.CircuitSwitching:
		c.Up = e.Time
		if e.Circuit == record.CircuitCarrying {
			c.Waited = e.Length
			l.run.Waits++
			l.run.Waited += e.Length
			l.run.Longest = max(l.run.Longest, e.Length)
		}
	}
	if e.Circuit == record.CircuitOff {
		c.Down = e.Time
	}
	p.state, p.since = e.Circuit, e.Time
}

// Run returns what the events said, up to the end of the run. The log must not be used afterwards.
func (l *Log) Run(end model.Time) *Run {
	for i := range l.state {
		p := &l.state[i]
		if p.state == record.CircuitOff {
			continue
		}
		c := &l.run.Connections[p.at]
		c.Up, c.Down = min(c.Up, end), max(p.since, end)
		if p.state == record.CircuitCarrying {
			c.Carrying += c.Down - p.since
		}
	}
	return &l.run
}
