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
func (g *graph) arm(r int32) {
	res := &g.resources[r]
	edges, classes := res.edges, g.classes
	used := 0.0
	for i := range edges {
		e := &edges[i]
		c := &classes[e.class]
		used += e.ratio * c.mass * g.bound(e.class, c)
	}
	room := 1.0
	if used > 0 {
		room = max(1, res.capacity/used)
	}
	for i := range edges {
		e := &edges[i]
		g.setArm(e, g.bound(e.class, &classes[e.class])*room)
	}
}

// disarm lifts the arms of a resource that holds somebody back: it is always part of what is solved.
func (g *graph) disarm(r int32) {
	edges := g.resources[r].edges
	for i := range edges {
		g.setArm(&edges[i], math.Inf(1))
	}
}

// armAll arms or disarms every resource.
func (g *graph) armAll() {
	for r := range g.resources {
		if g.resources[r].level == math.Inf(1) {
			g.arm(int32(r))
		} else {
			g.disarm(int32(r))
		}
	}
}

// setArm changes one arm and the ceiling of its class.
func (g *graph) setArm(e *edge, arm float64) {
	old := e.arm
	e.arm = arm
	c := &g.classes[e.class]
	if arm <= c.ceiling {
		c.ceiling = arm
		return
	}
	if old > c.ceiling {
		return // another arm is the least
	}
	ceiling := math.Inf(1)
	uses := g.bodies[e.class].uses
	for i := range uses {
		u := &uses[i]
		ceiling = min(ceiling, g.resources[u.resource].edges[u.place].arm)
	}
	c.ceiling = ceiling
}
