// SPDX-License-Identifier: Apache-2.0

package fluid

import "math"

// Borders, the resources that hold nobody back, are many and seldom matter: looking at all of them
// after every filling would cost more than the filling. So each class on such a resource has an arm, a
// level at or above its own, with the sum of ratio·mass·arm within the capacity. While every class is
// at or below its arm the resource is not overloaded, and need not be looked at; a class that rises
// above the least of its arms, its ceiling, has its borders summed up exactly, and armed anew.

// arm sets the arms of a resource that holds nobody back: the room that is left is given to its classes
// in proportion to their levels.
func (s *Solver) arm(r int32) {
	res := &s.resources[r]
	used := 0.0
	for i := range res.edges {
		e := &res.edges[i]
		c := &s.classes[e.class]
		used += e.ratio * c.mass * s.bound(e.class, c)
	}
	room := 1.0
	if used > 0 {
		room = max(1, res.capacity/used)
	}
	for i := range res.edges {
		e := &res.edges[i]
		s.setArm(e, s.bound(e.class, &s.classes[e.class])*room)
	}
}

// disarm lifts the arms of a resource that holds somebody back: it is always part of what is solved.
func (s *Solver) disarm(r int32) {
	edges := s.resources[r].edges
	for i := range edges {
		s.setArm(&edges[i], math.Inf(1))
	}
}

// setArm changes one arm and the ceiling of its class.
func (s *Solver) setArm(e *edge, arm float64) {
	old := e.arm
	e.arm = arm
	c := &s.classes[e.class]
	if arm <= c.ceiling {
		c.ceiling = arm
		return
	}
	if old > c.ceiling {
		return // another arm is the least
	}
	ceiling := math.Inf(1)
	for i := range s.bodies[e.class].uses {
		u := &s.bodies[e.class].uses[i]
		ceiling = min(ceiling, s.resources[u.resource].edges[u.place].arm)
	}
	c.ceiling = ceiling
}
