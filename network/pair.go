// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// pair is the demand of one rack for another and the circuit that serves it.
type pair struct {
	state   record.Circuit
	flows   int32          // elephants under way or waiting
	handles []fluid.Handle // of these, and of some that have ended since the last look
	left    float64        // bytes of the elephants; of a circuit that carries, at the last look
	brought float64        // bytes of all elephants so far
	told    float64        // of the bytes that were carried, those that were recorded
	since   model.Time     // when it began to wait, if it waits
}

// connected reports whether the pair has a circuit that carries or could carry.
func (p *pair) connected() bool { return p.state >= record.CircuitIdle }

func (p *pair) begin(now model.Time, h fluid.Handle, bytes float64) {
	if p.flows++; p.flows == 1 && !p.connected() {
		p.since = now
	}
	p.handles = append(p.handles, h)
	p.left += bytes
	p.brought += bytes
}

func (p *pair) end(left float64) {
	p.left -= left
	p.brought -= left
	if p.flows--; p.flows == 0 {
		p.left, p.handles = 0, p.handles[:0]
	}
}

// measure adds up what is left of the elephants on a circuit, and forgets those that have ended.
func (p *pair) measure(s *fluid.Solver) {
	p.left = 0
	there := p.handles[:0]
	for _, h := range p.handles {
		if left, ok := s.Left(h); ok {
			there = append(there, h)
			p.left += left
		}
	}
	p.handles = there
}

// take returns the bytes that were carried since the last call. What is left has just been measured.
func (p *pair) take() model.Bytes {
	carried := max(math.Round(p.brought-p.left), p.told)
	bytes := carried - p.told
	p.told = carried
	return model.Bytes(bytes)
}

// Carried returns the bytes that went over circuits so far, numbered from*racks+to.
func (c *Circuits) Carried() []model.Bytes {
	carried := make([]model.Bytes, len(c.pairs))
	for i := range c.pairs {
		carried[i] = model.Bytes(math.Round(c.pairs[i].brought - c.pairs[i].left))
	}
	return carried
}

// Check verifies that no rack has more circuits than planes, that a circuit carries elephants alone, and that
// only circuits that are up carry anything.
func (c *Circuits) Check(now model.Time) error {
	outs, ins := make([]int, c.racks), make([]int, c.racks)
	flows := 0
	for i := range c.pairs {
		p, from, to := &c.pairs[i], i/c.racks, i%c.racks
		flows += int(p.flows)
		if p.state != record.CircuitOff {
			outs[from]++
			ins[to]++
			if most := c.rules.Planes; from == to || outs[from] > most || ins[to] > most {
				return fmt.Errorf("at %v: a circuit from rack %d to %d; rack %d sends over %d circuits and rack %d receives over %d, at most %d each",
					now, from, to, from, outs[from], to, ins[to], most)
			}
		}
		used, _ := c.solver.Load(c.first + fluid.Resource(i))
		elephants := 0.0
		for _, h := range p.handles {
			rate, _ := c.solver.Rate(h)
			elephants += rate
		}
		if math.Abs(used-elephants) > 1e-9*float64(c.rules.Rate) {
			return fmt.Errorf("at %v: the circuit from rack %d to %d carries %g, its elephants get %g", now, from, to, used, elephants)
		}
		if used > 0 && p.state != record.CircuitCarrying {
			return fmt.Errorf("at %v: the circuit from rack %d to %d carries %g and is %v", now, from, to, used, p.state)
		}
	}
	if flows != c.flows {
		return fmt.Errorf("at %v: %d elephants between racks, %d in all", now, flows, c.flows)
	}
	return nil
}
