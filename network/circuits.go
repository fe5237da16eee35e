// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"
	"strconv"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/internal/matching"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Circuits is an optical switch between racks and its controller. It is told of elephants (Begin, End) and
// called at times that it names: Look at Next, and Connect a delay after a Look that asks for it.
type Circuits struct {
	rules   *CircuitRules
	racks   int
	solver  *fluid.Solver
	records *record.Sender
	first   fluid.Resource // of pair 0, the others follow
	pairs   []pair         // from*racks+to
	flows   int            // elephants under way or waiting
	looked  model.Time     // the last look

	matcher   *matching.Matcher
	weights   []int64
	wanted    []bool  // by pair: it is to have a circuit
	outs, ins []int32 // by rack: circuits over which it is to send and receive
	rising    []int32 // pairs whose circuits are being made
}

// NewCircuits adds a circuit for each ordered pair of racks to the solver, all of them off.
func NewCircuits(s *fluid.Solver, racks int, rules *CircuitRules, records *record.Sender) (*Circuits, error) {
	n := racks * racks
	c := &Circuits{rules: rules, racks: racks, solver: s, records: records, pairs: make([]pair, n), looked: -1, matcher: matching.New(racks),
		weights: make([]int64, n), wanted: make([]bool, n), outs: make([]int32, racks), ins: make([]int32, racks)}
	for i := range n {
		r, err := s.AddResource("circuit from rack "+strconv.Itoa(i/racks)+" to "+strconv.Itoa(i%racks), float64(rules.Rate))
		if err == nil {
			err = s.TurnOff(s.Now(), r)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			c.first = r
		}
	}
	return c, nil
}

// Elephant reports whether what a job sends from one rack to another uses circuits: what each receiver gets by itself,
// or all of it together where it is one flow. What is an elephant as a whole stays one.
func (c *Circuits) Elephant(x *Exchange, from, to int) bool {
	most := float64(c.rules.Elephant)
	if !x.Whole {
		return x.Flow(from) > most
	}
	p := x.passage(from, to)
	p.elephant = p.elephant || x.Aggregate(from, to) > most
	return p.elephant
}

// Use appends the circuit from one rack to another.
func (c *Circuits) Use(uses []fluid.Use, from, to int) []fluid.Use {
	return use(uses, c.first, c.pair(from, to))
}

func (c *Circuits) pair(from, to int) int { return from*c.racks + to }

// Begin tells of an elephant from one rack to another that has been started in the solver.
func (c *Circuits) Begin(now model.Time, from, to int, h fluid.Handle, bytes float64) {
	i := c.pair(from, to)
	p := &c.pairs[i]
	c.flows++
	if p.begin(now, h, bytes); p.state == record.CircuitIdle {
		c.change(now, i, record.CircuitCarrying)
	}
}

// End tells that an elephant has ended, or was cancelled, and how many bytes were left.
func (c *Circuits) End(now model.Time, from, to int, left float64) {
	i := c.pair(from, to)
	p := &c.pairs[i]
	c.flows--
	if p.end(left); p.flows == 0 && p.state == record.CircuitCarrying {
		c.change(now, i, record.CircuitIdle)
	}
}

// Next returns when Look is to be called, Forever if nothing waits for circuits or is on them. Looks are
// at multiples of the interval.
func (c *Circuits) Next(now model.Time) model.Time {
	if c.flows == 0 {
		return model.Forever
	}
	next := (now + c.rules.Interval - 1) / c.rules.Interval * c.rules.Interval
	if next <= c.looked {
		next += c.rules.Interval
	}
	return next
}

// Look connects the racks as the demand asks now. It returns when Connect is to be called, Forever if not.
func (c *Circuits) Look(now model.Time) (connect model.Time, err error) {
	c.looked = now
	if c.flows == 0 {
		return model.Forever, nil
	}
	c.weigh(now)
	c.choose()
	c.keep()
	return c.switchOver(now)
}

// weigh takes the demand matrix.
func (c *Circuits) weigh(now model.Time) {
	for i := range c.pairs {
		p := &c.pairs[i]
		if p.connected() {
			p.measure(c.solver)
		}
		if c.weights[i] = 0; p.flows == 0 {
			continue
		}
		c.weights[i] = max(1, int64(min(p.left+0.5, mostDemand)))
		switch {
		case p.connected():
			c.weights[i]++ // wins among equals
		case c.rules.Age > 0 && now-p.since >= c.rules.Age:
			c.weights[i] += overdue
		}
	}
}

// mostDemand is the greatest demand of a pair that counts, and overdue what puts a pair before all that are not.
const (
	mostDemand = 1 << 46
	overdue    = 2 * mostDemand
)

// choose finds the pairs that are to be connected, plane by plane.
func (c *Circuits) choose() {
	clear(c.wanted)
	clear(c.outs)
	clear(c.ins)
	for range c.rules.Planes {
		for from, to := range c.matcher.Best(c.weights) {
			if to >= 0 {
				c.want(c.pair(from, int(to)))
				c.weights[c.pair(from, int(to))] = 0
			}
		}
	}
}

func (c *Circuits) want(i int) {
	c.wanted[i] = true
	c.outs[i/c.racks]++
	c.ins[i%c.racks]++
}

// keep leaves circuits without demand where their ports are not needed.
func (c *Circuits) keep() {
	planes := int32(c.rules.Planes)
	for i := range c.pairs {
		if c.pairs[i].connected() && !c.wanted[i] && c.outs[i/c.racks] < planes && c.ins[i%c.racks] < planes {
			c.want(i)
		}
	}
}

// switchOver takes down the circuits that are not wanted and begins to make those that are.
func (c *Circuits) switchOver(now model.Time) (connect model.Time, err error) {
	serving := false
	for i := range c.pairs {
		p := &c.pairs[i]
		serving = serving || c.wanted[i] && p.flows > 0
		if p.connected() && !c.wanted[i] {
			if err := c.solver.TurnOff(seconds(now), c.first+fluid.Resource(i)); err != nil {
				return 0, err
			}
			p.since = now
			c.change(now, i, record.CircuitOff)
		} else if !p.connected() && c.wanted[i] {
			c.rising = append(c.rising, int32(i))
			c.change(now, i, record.CircuitSwitching)
		}
	}
	switch {
	case !serving:
		return 0, fmt.Errorf("at %v: %d elephants wait and no circuit is made for any of them", now, c.flows)
	case len(c.rising) == 0:
		return model.Forever, nil
	}
	return now + c.rules.Delay, nil
}

// Connect lets the circuits carry that were being made.
func (c *Circuits) Connect(now model.Time) error {
	for _, i := range c.rising {
		if err := c.solver.SetCapacity(seconds(now), c.first+fluid.Resource(i), float64(c.rules.Rate)); err != nil {
			return err
		}
		state := record.CircuitIdle
		if c.pairs[i].flows > 0 {
			state = record.CircuitCarrying
		}
		c.change(now, int(i), state)
	}
	c.rising = c.rising[:0]
	return nil
}

// change takes a circuit to another state and records it.
func (c *Circuits) change(now model.Time, i int, state record.Circuit) {
	p := &c.pairs[i]
	e := record.Event{Time: now, Kind: record.CircuitChanged, Task: model.Task{Job: model.None}, Node: model.None,
		Count: int32(i), Circuit: state, Bytes: p.take()}
	if p.state == record.CircuitSwitching && state == record.CircuitCarrying {
		e.Length = now - p.since
	}
	p.state = state
	c.records.Send(e)
}

// seconds converts to the solver's time.
func seconds(t model.Time) float64 { return float64(t) / float64(model.Second) }
