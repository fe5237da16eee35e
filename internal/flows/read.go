// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/fluid"
)

// topology is racks of nodes; capacities in bytes per second.
type topology struct {
	racks, nodes                       int // nodes in each rack
	nodeUp, nodeDown, rackUp, rackDown float64
}

type flow struct {
	id           string
	src, dst     int
	bytes, start float64
	line         int
}

// Fault is one mistake of the input.
type Fault struct {
	Line    int // 0 where no line can be named
	Field   string
	Found   string
	Allowed string
}

func (f Fault) Error() string {
	return fmt.Sprintf("line %d: %s: found %q, allowed: %s", f.Line, f.Field, f.Found, f.Allowed)
}

// most bounds the number of nodes and of racks; maxFaults bounds the faults kept.
const (
	most      = 10_000_000
	maxFaults = 1000
)

// reader collects the flows and all faults.
type reader struct {
	topo   topology
	seen   int // line of the topology, 0 before it
	sound  bool
	flows  []flow
	ids    map[string]int // line by id
	faults []error
	line   int
}

// read returns what the input says, or all its faults joined, each a Fault.
func read(r io.Reader) (topology, []flow, error) {
	in := &reader{ids: map[string]int{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		in.line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		if fields := strings.Fields(text); len(fields) > 0 {
			in.statement(fields)
		}
	}
	if err := lines.Err(); err != nil {
		return topology{}, nil, fmt.Errorf("line %d: %w", in.line+1, err)
	}
	if in.seen == 0 {
		in.fault("topology", "none", "one line: topology RACKS NODES_PER_RACK NODE_UP NODE_DOWN RACK_UP RACK_DOWN")
	}
	in.checkNodes()
	if len(in.faults) > 0 {
		return topology{}, nil, errors.Join(in.faults...)
	}
	return in.topo, in.flows, nil
}

func (in *reader) fault(field, found, allowed string) { in.faultAt(in.line, field, found, allowed) }

func (in *reader) faultAt(line int, field, found, allowed string) {
	switch n := len(in.faults); {
	case n < maxFaults:
		in.faults = append(in.faults, Fault{line, field, found, allowed})
	case n == maxFaults:
		in.faults = append(in.faults, fmt.Errorf("more than %d faults, the rest is not shown", maxFaults))
	}
}

func (in *reader) statement(fields []string) {
	switch fields[0] {
	case "topology":
		in.topology(fields)
	case "flow":
		in.flow(fields)
	default:
		in.fault("statement", fields[0], "topology or flow")
	}
}

func (in *reader) topology(fields []string) {
	if in.seen != 0 {
		in.fault("topology", strings.Join(fields, " "), fmt.Sprintf("one topology, given on line %d", in.seen))
		return
	}
	in.seen = in.line
	if len(fields) != 7 {
		in.fault("topology", fmt.Sprintf("%d values", len(fields)-1), "6: RACKS NODES_PER_RACK NODE_UP NODE_DOWN RACK_UP RACK_DOWN")
		return
	}
	before := len(in.faults)
	t := &in.topo
	t.racks = in.whole("RACKS", fields[1], 1, most)
	t.nodes = in.whole("NODES_PER_RACK", fields[2], 1, most)
	if t.racks*t.nodes > most {
		in.fault("RACKS x NODES_PER_RACK", strconv.Itoa(t.racks*t.nodes), fmt.Sprintf("at most %d", most))
	}
	for i, c := range []*float64{&t.nodeUp, &t.nodeDown, &t.rackUp, &t.rackDown} {
		*c = in.number([]string{"NODE_UP", "NODE_DOWN", "RACK_UP", "RACK_DOWN"}[i], fields[3+i], fluid.Least, "a number of bytes/s from 1e-30 to 1e30")
	}
	in.sound = len(in.faults) == before
}

func (in *reader) flow(fields []string) {
	if len(fields) != 6 {
		in.fault("flow", fmt.Sprintf("%d values", len(fields)-1), "5: ID SRC DST BYTES START")
		return
	}
	f := flow{id: fields[1], line: in.line}
	if first, ok := in.ids[f.id]; ok {
		in.fault("ID", f.id, fmt.Sprintf("an id once; it stands on line %d too", first))
	} else {
		in.ids[f.id] = in.line
	}
	f.src = in.whole("SRC", fields[2], 0, most)
	f.dst = in.whole("DST", fields[3], 0, most)
	f.bytes = in.number("BYTES", fields[4], 0, "a number of bytes from 0 to 1e30")
	f.start = in.number("START", fields[5], 0, "a number of seconds from 0 to 1e30")
	in.flows = append(in.flows, f)
}

// checkNodes compares nodes with the topology, which may stand after the flows.
func (in *reader) checkNodes() {
	if !in.sound {
		return
	}
	n := in.topo.racks * in.topo.nodes
	for i := range in.flows {
		f := &in.flows[i]
		for _, x := range []struct {
			field string
			node  int
		}{{"SRC", f.src}, {"DST", f.dst}} {
			if x.node >= n {
				in.faultAt(f.line, x.field, strconv.Itoa(x.node), fmt.Sprintf("a node from 0 to %d", n-1))
			}
		}
	}
}

func (in *reader) whole(field, text string, low, high int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		in.fault(field, text, fmt.Sprintf("a whole number from %d to %d", low, high))
		return low
	}
	return n
}

func (in *reader) number(field, text string, low float64, allowed string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || x < low || x > fluid.Most {
		in.fault(field, text, allowed)
		return low
	}
	return x + 0 // no negative zero
}
