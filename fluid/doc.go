// SPDX-License-Identifier: Apache-2.0

// Package fluid shares resources among activities, max-min fairly, and says when each activity ends.
//
// A resource has a capacity: bytes a second of a link or a disk, cores of a host. An activity has an
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
// weight form a class. A class has one clock, the integral of its level over time, and a heap of the
// clock values at which its members end; a rate that changes touches the class, not its members.
// Start and end cost O(log n). On a resource that nobody shares with another, all uncapped activities
// are one class, whatever their weights and coefficients: that is processor sharing in virtual time,
// and its level is one division.
//
// Otherwise a change is solved again where it can be felt, and only there. For each changed resource
// r let its new saturation level be worked out with all other levels as they are; the least of old
// and new levels over the changed resources is the floor. Filling below the floor goes as before,
// because no changed resource is exhausted below it in the old problem or in the new, so classes
// below keep their levels and only count as a fixed use. Above the floor the part to solve spreads
// from the changed resources through classes to the other resources that hold somebody back; a
// resource that holds nobody back is a border, which is checked after the filling (only if a class has
// risen above a level known to be harmless, see arm.go) and joins the part, and the filling is
// repeated, only if it would be overloaded. Where no level of a changed resource
// moves nothing is solved at all.
package fluid
