// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
	"slices"
)

// resource is what the filling reads of a resource, in one cache line; the rest is in cold. The fields
// from rem to mark belong to the solution under way.
type resource struct {
	level    float64 // at which it is exhausted and holds somebody back, +Inf if it does not
	rem, w   float64 // capacity not yet given to frozen classes; mass of the others
	left     int32   // how many others there are
	mark     uint32  // epoch of the solution that it is part of
	edges    []edge
	capacity float64
}

type cold struct {
	rem0, w0 float64 // rem, w and left before the filling
	low      float64 // w below which it is summed afresh
	left0    int32
	from     int32 // where its left0 classes stand in list
	dirty    bool
	held     bool   // it held somebody back before the solution under way
	checked  uint32 // number of the filling in which it was checked as a border
	streams  int64
	table    []float64 // capacity by streams, nil if it does not depend on them
}

// activity is a slot for a running activity.
type activity struct {
	key     uint64 // 0 if the slot is free
	tag     uint64
	mass    float64
	weight  float64
	class   int32
	place   int32 // in class.members
	streams int32
}

// Solver holds the resources and the running activities. It starts no goroutine and must not be used
// from two at once. Make one with New.
type Solver struct {
	now         float64
	sequence    uint64
	resources   []resource
	cold        []cold
	names       []string
	activities  []activity
	free        []uint32
	classes     []class
	bodies      []body
	freeClasses []int32
	index       []int32 // hash index of classes, number+1
	times       times
	running     int
	manual      bool
	unsolved    bool // under manual: something was started since the last Refresh

	dirty []int32 // resources changed since the last solution
	fresh []int32 // classes made since then
	stale []int32 // classes whose first member changed since then

	epoch, filling uint32
	floor          float64
	part           []int32 // classes to solve
	inside         []int32 // resources to solve
	list           []int32 // classes of the part by resource inside
	suspects       []int32 // classes of the part whose level is above their ceiling
	rearm          []int32 // resources whose arms are to be set after the solution
	capped         []int32 // capped classes of the part
	heap           []fillItem
	due            []int32
	batch          []Done
}

// New returns a solver at time 0 with no resource.
func New() *Solver { return &Solver{} }

// Now returns the last time handed in, or within Advance the time of the completions under way.
func (s *Solver) Now() float64 { return s.now }

// Running returns the number of activities that are started and neither done nor cancelled.
func (s *Solver) Running() int { return s.running }

// AddResource adds a resource of fixed capacity, in units a second. The name is for errors.
func (s *Solver) AddResource(name string, capacity float64) (Resource, error) {
	return s.AddTable(name, []float64{capacity})
}

// AddTable adds a resource whose capacity depends on the streams that interleave: capacities[k] with
// k streams, the last entry with more. Entry 0 holds while only activities of no stream use it.
func (s *Solver) AddTable(name string, capacities []float64) (Resource, error) {
	if err := checkCapacities(name, capacities); err != nil {
		return -1, err
	}
	c := cold{}
	if len(capacities) > 1 {
		c.table = slices.Clone(capacities)
	}
	s.resources = append(s.resources, resource{capacity: capacities[0], level: math.Inf(1)})
	s.cold = append(s.cold, c)
	s.names = append(s.names, name)
	return Resource(len(s.resources) - 1), nil
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

// SetCapacity changes a resource's capacity from now on, in place of a table if it had one, and
// switches the resource on again after TurnOff.
func (s *Solver) SetCapacity(now float64, r Resource, capacity float64) error {
	return s.SetTable(now, r, []float64{capacity})
}

// SetTable changes a resource's capacities by streams from now on, see AddTable.
func (s *Solver) SetTable(now float64, r Resource, capacities []float64) error {
	if err := s.known(r); err != nil {
		return err
	}
	if err := checkCapacities(s.names[r], capacities); err != nil {
		return err
	}
	if err := s.moveTo(now); err != nil {
		return err
	}
	s.cold[r].table, s.resources[r].capacity = nil, capacities[0]
	if len(capacities) > 1 {
		s.cold[r].table = slices.Clone(capacities)
	}
	s.touch(int32(r))
	return nil
}

// TurnOff gives a resource no capacity until the next SetCapacity or SetTable (an optical circuit
// that is torn down). Its activities stand still: see Stalled.
func (s *Solver) TurnOff(now float64, r Resource) error {
	if err := s.known(r); err != nil {
		return err
	}
	if err := s.moveTo(now); err != nil {
		return err
	}
	s.cold[r].table, s.resources[r].capacity = nil, 0
	s.touch(int32(r))
	return nil
}

func (s *Solver) known(r Resource) error {
	if r < 0 || int(r) >= len(s.resources) {
		return fmt.Errorf("fluid: resource %d is unknown, must be below %d: %w", r, len(s.resources), ErrCapacity)
	}
	return nil
}

// touch notes that a resource's capacity or users changed.
func (s *Solver) touch(r int32) {
	res := &s.cold[r]
	if res.table != nil {
		s.resources[r].capacity = res.table[min(res.streams, int64(len(res.table)-1))]
	}
	if !res.dirty {
		res.dirty = true
		s.dirty = append(s.dirty, r)
	}
}

// moveTo sets the clock for a change. Completions before now must have been taken by Advance.
func (s *Solver) moveTo(now float64) error {
	if now == s.now {
		return nil
	}
	if err := s.movable(now); err != nil {
		return err
	}
	s.flush()
	if t := s.times.least(); t < now {
		return fmt.Errorf("fluid: change at %v, but an activity ends at %v: call Advance first: %w", now, t, ErrTime)
	}
	s.now = now
	return nil
}

// Start begins an activity now. Completions up to now must have been taken by Advance.
func (s *Solver) Start(now float64, spec Spec) (Handle, error) {
	if err := s.check(&spec); err != nil {
		return 0, err
	}
	if err := s.moveTo(now); err != nil {
		return 0, err
	}
	weight, limit := spec.Weight, math.Inf(1)
	if weight == 0 {
		weight = 1
	}
	if spec.Cap != 0 {
		limit = spec.Cap / weight
	}
	a := activity{tag: spec.Tag, weight: weight, mass: weight, class: s.classOf(&spec, limit), streams: int32(spec.Streams)}
	if len(spec.Uses) > 0 {
		a.mass = weight * spec.Uses[0].Coefficient
	}
	slot := s.slot()
	s.sequence++
	a.key = s.sequence<<slotBits | uint64(slot)
	s.activities[slot] = a
	c, b := &s.classes[a.class], &s.bodies[a.class]
	b.settle(s.now, c.level)
	span := spec.Work / weight
	if b.started++; b.clock > 1024*span && int(b.started) > len(b.members) {
		s.rebase(b)
	}
	s.push(b, member{math.Float64bits(b.clock + span), a.key})
	c.mass += a.mass
	b.peak = max(b.peak, c.mass)
	s.running++
	s.unsolved = s.manual
	s.changed(&a)
	return Handle(a.key), nil
}

// slot returns the number of a free activity slot.
func (s *Solver) slot() uint32 {
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	slot := uint32(len(s.activities))
	if slot >= 1<<slotBits {
		panic("fluid: more than 67 million running activities")
	}
	s.activities = append(s.activities, activity{})
	return slot
}

// changed notes what the start of activity a changes; its end calls it with negative streams.
func (s *Solver) changed(a *activity) {
	c := &s.bodies[a.class]
	for i := range c.uses {
		r := c.uses[i].resource
		s.cold[r].streams += int64(a.streams)
		s.touch(r)
	}
	if !c.stale {
		c.stale = true
		s.stale = append(s.stale, a.class)
	}
}

// end takes the activity in a slot out of its class, which must be settled.
func (s *Solver) end(slot uint32) {
	a := s.activities[slot]
	b := &s.bodies[a.class]
	s.remove(b, int(a.place))
	s.lighten(&s.classes[a.class], b, a.mass)
	a.streams = -a.streams
	s.changed(&a)
	s.activities[slot] = activity{}
	s.free = append(s.free, slot)
	s.running--
	if len(b.members) == 0 {
		s.dropClass(a.class)
	}
}

// find returns the slot of a running activity.
func (s *Solver) find(h Handle) (uint32, bool) {
	slot := uint32(uint64(h) & (1<<slotBits - 1))
	ok := h != 0 && int(slot) < len(s.activities) && s.activities[slot].key == uint64(h)
	return slot, ok
}

// Resources returns the number of resources.
func (s *Solver) Resources() int { return len(s.resources) }

// Name returns the name of a resource.
func (s *Solver) Name(r Resource) string { return s.names[r] }
