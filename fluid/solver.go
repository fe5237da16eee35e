// SPDX-License-Identifier: Apache-2.0

package fluid

import (
	"fmt"
	"math"
)

// Solver holds the resources and the running activities. It starts no goroutine and must not be used
// from two at once. Make one with New.
type Solver struct {
	slots    slots
	graph    graph
	agenda   agenda
	solution solution
	manual   bool
	unsolved bool    // under Manual: something was started since the last Refresh
	due      []int32 // classes with a member that ends now
	batch    []Done  // completions under way
}

// New returns a solver at time 0 with no resource.
func New() *Solver {
	s := &Solver{}
	s.solution.init(&s.graph, &s.agenda)
	return s
}

// Now returns the last time handed in, or within Advance the time of the completions under way.
func (s *Solver) Now() float64 { return s.agenda.now }

// Running returns the number of activities that are started and neither done nor cancelled.
func (s *Solver) Running() int { return s.slots.running() }

// Resources returns the number of resources.
func (s *Solver) Resources() int { return len(s.graph.resources) }

// Name returns the name of a resource.
func (s *Solver) Name(r Resource) string { return s.graph.stocks[r].name }

// AddResource adds a resource of fixed capacity, in units per second. The name is for errors.
func (s *Solver) AddResource(name string, capacity float64) (Resource, error) {
	return s.AddTable(name, []float64{capacity})
}

// AddTable adds a resource whose capacity depends on the streams that interleave: capacities[k] with
// k streams, the last entry with more. Entry 0 holds while only activities of no stream use it.
func (s *Solver) AddTable(name string, capacities []float64) (Resource, error) {
	return s.graph.supply.add(name, capacities)
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
	if err := s.graph.check(&spec); err != nil {
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
	id, made := s.graph.classOf(&spec, limit)
	if made {
		s.agenda.open(id, s.graph.classes[id].level)
	}
	a := s.slots.add()
	a.tag, a.weight, a.mass, a.class, a.streams = spec.Tag, weight, weight, id, int32(spec.Streams)
	if len(spec.Uses) > 0 {
		a.mass = weight * spec.Uses[0].Coefficient
	}
	s.agenda.at(id).add(spec.Work/weight, a.key, s.slots.all)
	s.agenda.touch(id)
	s.graph.gain(id, a.mass)
	s.graph.change(id, a.streams)
	s.unsolved = s.manual
	return Handle(a.key), nil
}

// Cancel ends an activity now without a completion. It returns the work that was left, and false if
// the activity is not running. Completions up to now must have been taken by Advance.
func (s *Solver) Cancel(now float64, h Handle) (left float64, ok bool, err error) {
	if err := s.moveTo(now); err != nil {
		return 0, false, err
	}
	left, ok = s.Left(h) // settles the service
	if ok {
		s.end(slotOf(uint64(h)))
	}
	return left, ok, nil
}

// end takes the activity in a slot out of its class, whose service is settled.
func (s *Solver) end(slot uint32) {
	a := s.slots.all[slot]
	v := &s.agenda.services[a.class]
	v.remove(a.place, s.slots.all)
	s.agenda.touch(a.class)
	s.graph.lose(a.class, a.mass, v.members, s.slots.all)
	s.graph.change(a.class, -a.streams)
	s.slots.release(slot)
	if len(v.members) == 0 {
		s.graph.remove(a.class)
		s.agenda.close(a.class)
	}
}

// Rate returns an activity's present rate in units per second, false if it is not running.
func (s *Solver) Rate(h Handle) (float64, bool) {
	a := s.slots.find(h)
	if a == nil {
		return 0, false
	}
	s.flush()
	return a.weight * s.graph.classes[a.class].level, true
}

// Left returns the work an activity has left at Now, false if it is not running.
func (s *Solver) Left(h Handle) (float64, bool) {
	a := s.slots.find(h)
	if a == nil {
		return 0, false
	}
	return s.agenda.at(a.class).left(a.place) * a.weight, true
}

// Load returns how much of a resource is in use and its present capacity.
func (s *Solver) Load(r Resource) (used, capacity float64) {
	s.flush()
	return s.graph.used(r), s.graph.resources[r].capacity
}

// Stalled returns nil, or an error (ErrStalled) that names the first-started activity whose rate is
// zero and a resource that is switched off under it. Unless the resource is switched on again the
// activity never finishes. A caller asks when Next says false while Running is not zero.
func (s *Solver) Stalled() error {
	s.flush()
	first := s.slots.first(func(a *activity) bool { return s.graph.classes[a.class].level == 0 })
	if first == nil {
		return nil
	}
	off := "?"
	for _, u := range s.graph.bodies[first.class].uses {
		if s.graph.resources[u.resource].capacity == 0 {
			off = s.Name(Resource(u.resource))
			break
		}
	}
	return fmt.Errorf("fluid: activity %d: resource %q is switched off, so its rate is 0: %w", first.tag, off, ErrStalled)
}
