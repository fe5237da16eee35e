// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/internal/hashed"
	"github.com/yardmaster/yardmaster/internal/ladder"
)

// bottleneck is what can hold classes back: a resource, or a level at which classes meet their caps. It
// says what its own classes put on others, and what the holders of others put on it. A cap is a
// bottleneck whose level is fixed and whose capacity has no end.
type bottleneck struct {
	capacity float64
	mass     sum       // of the classes that it holds
	armed    float64   // while it holds nobody: sum of mass times arm over in
	ceiling  float64   // at or below the least arm of slack
	in       []inflow  // what other holders' classes put on it
	out      []outflow // on which bottlenecks that hold somebody its own classes are too
	slack    []outflow // and on which of those that hold nobody
	streams  int64     // on it
	crew     int32     // how many classes it holds
	gains    int16     // since it was armed
	crowded  bool      // many holders have put something on it, see pairs
	varies   bool      // its capacity depends on streams, see stock
}

// isCap reports whether it is a level at which classes meet their caps.
func (b *bottleneck) isCap() bool { return b.capacity == math.Inf(1) }

// enlist adds the mass of a class that it holds from now on.
func (b *bottleneck) enlist(x float64) {
	b.crew++
	b.mass.add(x)
}

// delist takes off the mass of a class that it holds no more.
func (b *bottleneck) delist(x float64) {
	b.mass.add(-x)
	if b.crew--; b.crew == 0 {
		b.mass = sum{}
	}
}

// stock is the rest of a resource.
type stock struct {
	name  string
	table []float64 // capacity by streams, nil if it does not depend on them
}

// supply holds the bottlenecks: what each can give, the level at which each holds its classes, how many
// streams it serves, and which of them changed since the last solution.
type supply struct {
	levels      []float64 // at which a bottleneck holds its classes back, +Inf if it holds none
	bottlenecks []bottleneck
	stocks      []stock      // of bottlenecks; caps have empty ones
	numbers     []int32      // bottleneck of each resource
	caps        hashed.Index // bottlenecks of caps by level
	users       []int32      // classes of each bottleneck that is a cap
	vacant      []int32      // numbers of caps that have no class
	clean       []uint8      // of bottlenecks: 1 if it is not listed in dirty and can be, 0 for caps
	dirty       ladder.Ladder
}

// addResource adds a resource whose capacity with k streams is capacities[k].
func (p *supply) addResource(name string, capacities []float64) (Resource, error) {
	if err := checkCapacities(name, capacities); err != nil {
		return -1, err
	}
	id := p.append(bottleneck{capacity: capacities[0]}, math.Inf(1))
	p.stocks[id].name = name
	p.tabulate(id, capacities)
	p.numbers = append(p.numbers, id)
	return Resource(len(p.numbers) - 1), nil
}

func (p *supply) append(b bottleneck, level float64) int32 {
	b.ceiling = math.Inf(1)
	p.bottlenecks = append(p.bottlenecks, b)
	p.levels = append(p.levels, level)
	p.stocks = append(p.stocks, stock{})
	p.users = append(p.users, 0)
	clean := uint8(1)
	if b.isCap() {
		clean = 0
	}
	p.clean = append(p.clean, clean)
	p.dirty.Widen()
	return int32(len(p.bottlenecks) - 1)
}

// capAt returns the bottleneck of classes whose cap is met at the given level, and counts one more.
func (p *supply) capAt(level float64) int32 {
	hash := hashed.Mix(0, math.Float64bits(level))
	id := p.caps.Find(hash)
	if id < 0 {
		if n := len(p.vacant); n > 0 {
			id = p.vacant[n-1]
			p.vacant = p.vacant[:n-1]
			p.levels[id] = level
		} else {
			id = p.append(bottleneck{capacity: math.Inf(1)}, level)
		}
		p.caps.Add(hash, id)
	}
	p.users[id]++
	return id
}

// leaveCap counts one class less on a cap.
func (p *supply) leaveCap(id int32) {
	if p.users[id]--; p.users[id] == 0 {
		p.caps.Remove(hashed.Mix(0, math.Float64bits(p.levels[id])), id)
		p.vacant = append(p.vacant, id)
	}
}

// holds reports whether a bottleneck has a level.
func (p *supply) holds(id int32) bool { return p.levels[id] != math.Inf(1) }

// set changes the capacities of a resource. They have been checked.
func (p *supply) set(r Resource, capacities []float64) {
	id := p.numbers[r]
	p.bottlenecks[id].capacity = capacities[0]
	p.tabulate(id, capacities)
	p.flow(id, 0)
	p.note(id, 0)
}

// turnOff gives a resource no capacity until it is set again.
func (p *supply) turnOff(r Resource) {
	id := p.numbers[r]
	p.bottlenecks[id].capacity = 0
	p.tabulate(id, nil)
	p.note(id, 0)
}

// tabulate keeps a copy of capacities that depend on streams.
func (p *supply) tabulate(id int32, capacities []float64) {
	if p.bottlenecks[id].varies = len(capacities) > 1; p.bottlenecks[id].varies {
		p.stocks[id].table = slices.Clone(capacities)
	} else {
		p.stocks[id].table = nil
	}
}

// flow notes that streams came, or went if they are negative.
func (p *supply) flow(id int32, streams int32) {
	b := &p.bottlenecks[id]
	b.streams += int64(streams)
	if !b.varies {
		return
	}
	table := p.stocks[id].table
	if c := table[min(b.streams, int64(len(table)-1))]; c != b.capacity {
		b.capacity = c
		if p.holds(id) || b.armed > c {
			p.note(id, p.levels[id])
		}
	}
}

// note lists a bottleneck as changed; below the given level nothing has changed for it.
func (p *supply) note(id int32, level float64) {
	if p.clean[id] != 0 {
		p.clean[id] = 0
		if p.dirty.Len() == 0 {
			p.dirty.Stand(level)
		}
		p.dirty.Push(id, level)
	}
}

// used returns how much of a bottleneck the classes on it take.
func (p *supply) used(id int32) float64 {
	b := &p.bottlenecks[id]
	sum := 0.0
	if b.crew > 0 {
		sum = b.mass.value() * p.levels[id]
	}
	for i := range b.in {
		sum += b.in[i].mass * p.levels[b.in[i].holder]
	}
	return sum
}

// name returns the name of a resource.
func (p *supply) name(r Resource) string { return p.stocks[p.numbers[r]].name }

// known refuses a number that names no resource.
func (p *supply) known(r Resource) error {
	if r < 0 || int(r) >= len(p.numbers) {
		return fmt.Errorf("fluid: resource %d is unknown, must be below %d: %w", r, len(p.numbers), ErrCapacity)
	}
	return nil
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
