// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
)

// Solver holds the resources and the running activities. It starts no goroutine and must not be used
// from two at once. Make one with New.
type Solver struct {
	Hush Hush
	Warm Warmer

	slots    slots
	graph    graph
	agenda   agenda
	solution solution
	manual   bool
	unsolved bool    // under Manual: something was started since the last Refresh
	due      []int32 // leaves of lines with a member that ends now
	batch    []Done  // completions under way
	bookings bookings
}

// New returns a solver at time 0 with no resource.
func New() *Solver {
	s := &Solver{}
	s.Warm = Warmer{slots: &s.slots, graph: &s.graph, agenda: &s.agenda}
	s.solution.init(&s.graph, &s.agenda, &s.Warm)
	s.bookings = bookings{slots: &s.slots, graph: &s.graph, agenda: &s.agenda, warmer: &s.Warm, hush: &s.Hush}
	return s
}

// Now returns the last time handed in, or within Advance the time of the completions under way.
func (s *Solver) Now() float64 { return s.agenda.now }

// Running returns the number of activities that are started and neither done nor cancelled.
func (s *Solver) Running() int {
	s.bookings.tell()
	return s.slots.running()
}

// Resources returns the number of resources.
func (s *Solver) Resources() int { return len(s.graph.numbers) }

// Moved returns how often the level of a resource has moved in all: what solving costs goes by it.
func (s *Solver) Moved() int64 { return s.solution.moved }

// Name returns the name of a resource.
func (s *Solver) Name(r Resource) string { return s.graph.name(r) }

// AddResource adds a resource of fixed capacity, in units per second. The name is for errors.
func (s *Solver) AddResource(name string, capacity float64) (Resource, error) {
	return s.AddTable(name, []float64{capacity})
}

// AddTable adds a resource whose capacity depends on the streams that interleave: capacities[k] with
// k streams, the last entry with more. Entry 0 holds while only activities of no stream use it.
func (s *Solver) AddTable(name string, capacities []float64) (Resource, error) {
	r, err := s.graph.addResource(name, capacities)
	s.agenda.widen(len(s.graph.bottlenecks))
	return r, err
}

// SetCapacity changes a resource's capacity from now on, in place of a table if it had one, and
// switches the resource on again after TurnOff.
func (s *Solver) SetCapacity(now float64, r Resource, capacity float64) error {
	return s.SetTable(now, r, []float64{capacity})
}

// SetTable changes a resource's capacities by streams from now on, see AddTable.
func (s *Solver) SetTable(now float64, r Resource, capacities []float64) error {
	if err := s.graph.known(r); err != nil {
		return err
	}
	if err := checkCapacities(s.Name(r), capacities); err != nil {
		return err
	}
	if err := s.moveTo(now); err != nil {
		return err
	}
	s.graph.set(r, capacities)
	return nil
}

// TurnOff gives a resource no capacity until the next SetCapacity or SetTable (an optical circuit
// that is torn down). Its activities stand still: see Stalled.
func (s *Solver) TurnOff(now float64, r Resource) error {
	if err := s.graph.known(r); err != nil {
		return err
	}
	if err := s.moveTo(now); err != nil {
		return err
	}
	s.graph.turnOff(r)
	return nil
}

// Start begins an activity now. Completions up to now must have been taken by Advance.
func (s *Solver) Start(now float64, spec Spec) (Handle, error) {
	if err := spec.check(); err != nil {
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
	s.bookings.tell()
	id, made, err := s.graph.classOf(&spec, limit)
	if err != nil {
		return 0, err
	}
	if made {
		s.agenda.open(id)
		s.agenda.widen(len(s.graph.bottlenecks))
		if spec.Cap != 0 {
			s.agenda.relevel(s.graph.capOf(id), limit)
		}
	}
	a := s.slots.add()
	a.tag, a.weight, a.mass, a.class, a.streams = spec.Tag, weight, weight, id, int32(spec.Streams)
	if len(spec.Uses) > 0 {
		a.mass = weight * spec.Uses[0].Coefficient
	}
	s.agenda.admit(id, s.graph.classes[id].holder, spec.Work/weight, a.key, s.slots.places)
	s.graph.gain(id, a.mass, a.streams)
	s.unsolved = s.manual
	return Handle(a.key), nil
}

// Cancel ends an activity now without a completion. It returns the work that was left, and false if
// the activity is not running. Completions up to now must have been taken by Advance.
func (s *Solver) Cancel(now float64, h Handle) (left float64, ok bool, err error) {
	if err := s.moveTo(now); err != nil {
		return 0, false, err
	}
	left, ok = s.Left(h)
	if ok {
		s.end(slotOf(uint64(h)))
	}
	return left, ok, nil
}

// end takes the activity in a slot out of its class.
func (s *Solver) end(slot uint32) {
	a := &s.slots.all[slot]
	if s.slots.booked(slot) {
		s.bookings.find(a.key).key = 0
	} else {
		s.agenda.dismiss(a.class, s.slots.places[slot], s.slots.places)
	}
	s.graph.lose(a.class, a.mass, a.streams)
	s.slots.release(slot)
}

// Rate returns an activity's present rate in units per second, false if it is not running.
func (s *Solver) Rate(h Handle) (float64, bool) {
	s.least()
	s.bookings.tell()
	a := s.slots.find(h)
	if a == nil {
		return 0, false
	}
	return a.weight * s.graph.level(a.class), true
}

// Left returns the work an activity has left at Now, false if it is not running.
func (s *Solver) Left(h Handle) (float64, bool) {
	s.bookings.tell()
	a := s.slots.find(h)
	if a == nil {
		return 0, false
	}
	slot := slotOf(a.key)
	if s.slots.booked(slot) {
		return s.bookings.left(s.bookings.find(a.key)) * a.weight, true
	}
	return s.agenda.at(a.class).left(s.slots.places[slot]) * a.weight, true
}

// Load returns how much of a resource is in use and its present capacity.
func (s *Solver) Load(r Resource) (used, capacity float64) {
	s.least()
	s.bookings.tell()
	return s.graph.present(s.graph.numbers[r])
}

// Stalled returns nil, or an error (ErrStalled) that names the first-started activity whose rate is
// zero and a resource that is switched off under it. Unless the resource is switched on again the
// activity never finishes. A caller asks when Next says false while Running is not zero.
func (s *Solver) Stalled() error {
	s.least()
	s.bookings.tell()
	first := s.slots.first(func(a *activity) bool { return s.graph.level(a.class) == 0 })
	if first == nil {
		return nil
	}
	off := "?"
	for _, u := range s.graph.classes[first.class].uses() {
		if s.graph.bottlenecks[u.on].capacity == 0 {
			off = s.graph.stocks[u.on].name
			break
		}
	}
	return fmt.Errorf("fluid: activity %d: resource %q is switched off, so its rate is 0: %w", first.tag, off, ErrStalled)
}
