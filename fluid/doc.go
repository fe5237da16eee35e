// SPDX-License-Identifier: Apache-2.0

// Package fluid shares resources among activities, max-min fairly, and says when each activity ends.
//
// A resource has a capacity: bytes per second of a link or a disk, cores of a host. An activity has an
// amount of work and uses several resources at once, each with a coefficient: how much of the
// resource one unit of progress takes. It has a weight and may have a cap on its rate. Rates follow
// progressive filling: one water level rises from zero, an activity of weight w progresses at w times
// the level, and it freezes when it meets its cap or when one of its resources is exhausted, that is
// when the sum of coefficient times rate over the users of the resource reaches the capacity. A
// capacity may change with time, and it may depend on how many streams interleave (a disk): an
// activity counts as k streams on each resource it uses, none for write-back.
//
// The package knows neither clusters nor events. Times are float64 seconds, handed in by the caller,
// never going back. A caller that keeps integer time rounds Next up to its own unit and calls
// Advance with that: completions inside are worked out at their exact times, in order, so nothing is
// lost by rounding. Changes made at one time are solved together, when time moves or Next is asked.
//
// # How it is fast
//
// Activities with the same resources, the same ratios of coefficients and the same cap divided by
// weight form a class. The members of a class are served together: there is one clock, the integral of
// the class's level over time, and a heap of the clock values at which members end; a rate that changes
// touches the clock, not the members. Start and end cost O(log n). On a resource that nobody shares
// with another, all uncapped activities are one class, whatever their weights and coefficients: that is
// processor sharing in virtual time, and its level is one division.
//
// Otherwise a change is solved again where it can be felt, and only there. For each changed resource
// r let its new saturation level be worked out with all other levels as they are; the least of old
// and new levels over the changed resources is the floor. Filling below the floor goes as before,
// because no changed resource is exhausted below it in the old problem or in the new, so classes
// below keep their levels and only count as a fixed use. Above the floor the part to solve spreads
// from the changed resources through classes to the other resources that hold somebody back; a
// resource that holds nobody back is a border, which is checked after the filling (only if a class has
// risen above a level known to be harmless, see arm.go) and joins the part, and the filling is
// repeated, only if it would be overloaded. Where no level of a changed resource moves nothing is
// solved at all.
//
// # How it is built
//
// Solver is the public face. It refuses what cannot be run, tells the stores below what starts, ends
// and changes, and has the changes solved before it answers. Each of the others has one subject:
//
//	slots     activities: which run, by handle
//	supply    resources: what each can give, and which of them changed
//	demand    classes: which there are, found by what their members use, and their mass
//	graph     supply and demand joined: who uses what, the levels at which resources are exhausted
//	          (saturation) and those known to be harmless (arms)
//	service   the clock of a class and the heap of its members: knows levels and time, no resource
//	agenda    time: now, the services, and the index (times) of when the first member of each ends
//	solution  one solution: seeds the part with what changed, lets borders in, hands over the levels
//	part      which classes and resources a solution works on, and what the others leave them
//	filling   the progressive filling of a part
//
// A solution reads the graph and writes levels: to the classes for the next solution, to the services
// for the clocks. Nothing but its number and its level ties a service to a class: it serves whatever
// advances together.
//
// What the filling reads of a class or a resource is one cache line, apart from the rest (class and
// body, resource and stock), because it is bound by memory; so is a service.
package fluid
