// SPDX-License-Identifier: Apache-2.0

// Package matching connects input ports of a switch to output ports, one to one, so that the connected
// pairs have the greatest total weight.
//
// It is the assignment problem, solved by shortest augmenting paths: the inputs are added one after the
// other, and each takes the cheapest way to an output that is free, over outputs whose inputs move on to
// another one. Prices of inputs and outputs keep all costs along the way at or above zero. With n ports it
// takes time of order n³ at worst, n² for each input that has any weight.
package matching

import "math"

// Heaviest bounds a weight, so that no sum of weights along a path overflows.
const Heaviest = math.MaxInt64 / (4 * MaxPorts)

// MaxPorts bounds the number of ports.
const MaxPorts = 1 << 12

// Matcher finds matchings of one switch. Its memory is used again by every call.
type Matcher struct {
	ports   int
	inputs  []int64 // price of each input
	outputs []int64 // price of each output
	taken   []int32 // by output: the input that has it, free if none
	match   []int32 // by input: the output that it has, free if none

	// Of the search for the way of one input.
	least []int64 // by output: cost of the cheapest way so far
	from  []int32 // by output: the input before it on that way
	order []int32 // outputs: first those whose cheapest way is known, then the others
}

// free is the port that stands for none.
const free = -1

// New returns a matcher of a switch with the same number of input and output ports.
func New(ports int) *Matcher {
	prices, numbers := make([]int64, 3*ports), make([]int32, 4*ports)
	of := func(i int) []int64 { return prices[i*ports : (i+1)*ports] }
	by := func(i int) []int32 { return numbers[i*ports : (i+1)*ports] }
	return &Matcher{ports: ports, inputs: of(0), outputs: of(1), taken: by(0), match: by(1), least: of(2), from: by(2), order: by(3)}
}

// Best returns the output that each input is connected to, -1 for none, valid until the next call. The
// weight of a pair is weights[input*ports+output], at most Heaviest; pairs without weight above 0 are never
// connected. Among matchings of equal weight the choice depends on the weights alone.
func (m *Matcher) Best(weights []int64) []int32 {
	clear(m.outputs)
	for i := range m.ports {
		m.taken[i], m.match[i] = free, free
	}
	for i := range m.ports {
		heaviest, at := int64(0), free
		for o, w := range m.row(weights, i) {
			if w > heaviest {
				heaviest, at = w, o
			}
		}
		m.inputs[i] = -heaviest
		if at != free && m.taken[at] == free { // nothing is better while outputs have no price
			m.taken[at], m.match[i] = int32(i), int32(at)
		}
	}
	for i := range m.ports {
		if m.match[i] == free && m.inputs[i] < 0 {
			m.add(i, weights)
		}
	}
	for i, o := range m.match {
		if o != free && m.row(weights, i)[o] <= 0 {
			m.match[i] = free
		}
	}
	return m.match
}

// row returns the weights of an input.
func (m *Matcher) row(weights []int64, input int) []int64 {
	return weights[input*m.ports : (input+1)*m.ports]
}

// add connects one more input. Costs are negative weights, so the cheapest way is the heaviest.
func (m *Matcher) add(input int, weights []int64) {
	for o := range m.ports {
		m.least[o], m.order[o] = math.MaxInt64, int32(o)
	}
	known, far, at := 0, int64(0), input
	for {
		row, base := m.row(weights, at), far-m.inputs[at]
		rest := m.order[known:]
		nearest, step := 0, int64(math.MaxInt64)
		for k, o := range rest {
			if cost := base - max(row[o], 0) - m.outputs[o]; cost < m.least[o] {
				m.least[o], m.from[o] = cost, int32(at)
			}
			if m.least[o] < step {
				nearest, step = k, m.least[o]
			}
		}
		far = step
		o := rest[nearest]
		if m.taken[o] == free {
			m.reprice(input, known, far)
			m.move(input, o)
			return
		}
		rest[nearest], rest[0] = rest[0], o
		known++
		at = int(m.taken[o])
	}
}

// reprice keeps all costs at or above zero, and those of the way that was found at zero: what was reached
// before the end pays for how much earlier that was.
func (m *Matcher) reprice(input, known int, far int64) {
	m.inputs[input] += far
	for _, o := range m.order[:known] {
		early := far - m.least[o]
		m.outputs[o] -= early
		m.inputs[m.taken[o]] += early
	}
}

// move connects the inputs on the way to an output that was free, each to the output after it.
func (m *Matcher) move(input int, o int32) {
	for {
		i := m.from[o]
		m.taken[o] = i
		o, m.match[i] = m.match[i], o
		if int(i) == input {
			return
		}
	}
}
