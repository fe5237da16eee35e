// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
	"slices"
)

// resource is what the filling reads of a resource, in one cache line; the rest is in stock. The fields
// from rem to mark belong to the solution under way.
type resource struct {
	level    float64 // at which it is exhausted and holds somebody back, +Inf if it does not
	rem, w   float64 // capacity not yet given to frozen classes; mass of the others
	left     int32   // how many others there are
	mark     uint32  // number of the solution that it is part of, or of the filling after which it was checked as a border
	edges    []edge
	capacity float64
}

// stock is the rest of a resource, in one cache line.
type stock struct {
	name    string
	table   []float64 // capacity by streams, nil if it does not depend on them
	streams int64
	seen    uint64 // number of the last check of a spec that named it
	dirty   bool   // it is listed in supply.dirty
}

// supply holds the resources: what each can give, how many streams it serves, and which of them
// changed since the last solution.
type supply struct {
	resources []resource
	stocks    []stock
	dirty     []int32
	checks    uint64 // specs checked
}

// add adds a resource whose capacity with k streams is capacities[k].
func (p *supply) add(name string, capacities []float64) (Resource, error) {
	if err := checkCapacities(name, capacities); err != nil {
		return -1, err
	}
	p.resources = append(p.resources, resource{capacity: capacities[0], level: math.Inf(1)})
	p.stocks = append(p.stocks, stock{name: name, table: tableOf(capacities)})
	return Resource(len(p.resources) - 1), nil
}

// set changes the capacities of a resource. They have been checked.
func (p *supply) set(r Resource, capacities []float64) {
	p.stocks[r].table, p.resources[r].capacity = tableOf(capacities), capacities[0]
	p.touch(int32(r))
}

// turnOff gives a resource no capacity until it is set again.
func (p *supply) turnOff(r Resource) {
	p.stocks[r].table, p.resources[r].capacity = nil, 0
	p.touch(int32(r))
}

// touch notes that a resource's capacity, streams or users changed.
func (p *supply) touch(r int32) {
	k := &p.stocks[r]
	if k.table != nil {
		p.resources[r].capacity = k.table[min(k.streams, int64(len(k.table)-1))]
	}
	if !k.dirty {
		k.dirty = true
		p.dirty = append(p.dirty, r)
	}
}

// known refuses a number that names no resource.
func (p *supply) known(r Resource) error {
	if r < 0 || int(r) >= len(p.resources) {
		return fmt.Errorf("fluid: resource %d is unknown, must be below %d: %w", r, len(p.resources), ErrCapacity)
	}
	return nil
}

// tableOf returns a table of its own for capacities that depend on streams, nil for one that does not.
func tableOf(capacities []float64) []float64 {
	if len(capacities) == 1 {
		return nil
	}
	return slices.Clone(capacities)
}

func checkCapacities(name string, capacities []float64) error {
	if len(capacities) == 0 {
		return fmt.Errorf("fluid: resource %q: no capacity given: %w", name, ErrCapacity)
	}
	for k, c := range capacities {
		if !inBounds(c) {
			return fmt.Errorf("fluid: resource %q: capacity with %d streams is %v, must be from 1e-30 to 1e30: %w", name, k, c, ErrCapacity)
		}
	}
	return nil
}
