// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// auditCircuit is what the record has said of a circuit.
type auditCircuit struct {
	state record.Circuit
	since model.Time
}

// follows lists the states that may follow one.
var follows = map[record.Circuit][]record.Circuit{
	record.CircuitOff:       {record.CircuitSwitching},
	record.CircuitSwitching: {record.CircuitIdle, record.CircuitCarrying},
	record.CircuitIdle:      {record.CircuitCarrying, record.CircuitOff},
	record.CircuitCarrying:  {record.CircuitIdle, record.CircuitOff},
}

// circuit holds a change of a circuit to what the rules allow: circuits are made and taken down at looks, made for as
// long as that takes, no rack has more than planes, and none carries more than its rate allows, or without being up.
func (a *audit) circuit(e *record.Event) {
	rules, racks := a.c.Config.Network.Circuits, a.c.Topology.Racks
	if a.circuits == nil {
		a.circuits = make([]auditCircuit, racks*racks)
	}
	c := &a.circuits[e.Count]
	if !slices.Contains(follows[c.state], e.Circuit) {
		a.fail(e, "circuit %d was %v and is %v", e.Count, c.state, e.Circuit)
	}
	looks := e.Circuit == record.CircuitOff || e.Circuit == record.CircuitSwitching
	if looks && e.Time%rules.Interval != 0 {
		a.fail(e, "circuit %d is %v between two looks", e.Count, e.Circuit)
	}
	if c.state == record.CircuitSwitching {
		if e.Time-c.since != rules.Delay {
			a.fail(e, "circuit %d was made in %v", e.Count, e.Time-c.since)
		}
		if e.Circuit == record.CircuitCarrying && e.Length < rules.Delay {
			a.fail(e, "circuit %d carries after a wait of %v", e.Count, e.Length)
		}
	}
	most := 0.0
	if c.state == record.CircuitCarrying {
		most = float64(rules.Rate)*(e.Time-c.since).Seconds() + 1
	}
	if float64(e.Bytes) > most*(1+1e-9) {
		a.fail(e, "circuit %d carried %d bytes in %v, being %v", e.Count, e.Bytes, e.Time-c.since, c.state)
	}
	*c = auditCircuit{e.Circuit, e.Time}
	if e.Circuit == record.CircuitIdle || e.Circuit == record.CircuitCarrying {
		a.ports(e, rules.Planes)
	}
}

// ports counts the circuits of the racks that a circuit connects.
func (a *audit) ports(e *record.Event, planes int) {
	racks := a.c.Topology.Racks
	from, to := int(e.Count)/racks, int(e.Count)%racks
	out, in := 0, 0
	for other := range racks {
		if a.circuits[from*racks+other].state != record.CircuitOff {
			out++
		}
		if a.circuits[other*racks+to].state != record.CircuitOff {
			in++
		}
	}
	if from == to || out > planes || in > planes {
		a.fail(e, "rack %d sends over %d circuits and rack %d receives over %d, at most %d each", from, out, to, in, planes)
	}
}
