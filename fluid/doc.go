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
// weight form a class: their rates, divided by their weights, are always equal. A class is held back by
// one bottleneck, the exhausted resource of the least level among those that it uses, or its cap. All
// classes that a bottleneck holds have its level, so they advance together: the bottleneck has one
// clock, the integral of its level over time, and its classes stand in a heap of the clock values at which
// their first members end. A class has a clock of its own, which follows its holder's, and a heap of its
// members. A level that changes touches one clock and one time, whatever the number of activities.
//
// What the classes of a holder put on another bottleneck is a sum, kept by pair of holder and
// bottleneck. It changes when a class or a member comes or goes. A bottleneck's level follows from its
// capacity, its own mass, and mass times level of the pairs on it, so a change costs by the bottlenecks
// whose levels move and the pairs between them, not by activities or classes.
//
// A solution looks at the bottlenecks that changed, from low levels to high. One whose level moves
// notes those that its classes are on. A class changes its holder where another bottleneck on its path
// comes to a lower level; that is found by pair: a holder that rises above another's level leaves the
// classes of the pair to it, one that falls takes those that are held above its new level. Bottlenecks
// that hold nobody are not looked at while their users are below levels known to be harmless, see arm.go.
// When nothing is noted any more, nothing is overloaded, every bottleneck with classes is exhausted and
// every class has the least level on its path. Only the max-min fair rates have these properties.
//
// Where most classes are new, and where rounding would move a class to and fro between equal levels,
// everything is filled from zero, class by class.
//
// # How it is built
//
// Solver is the public face. It refuses what cannot be run, tells the stores below what starts, ends
// and changes, and has the changes solved before it answers. Each of the others has one subject:
//
//	slots     activities: which run, by handle
//	supply    bottlenecks, which are resources and caps: what each can give, its level, and which of
//	          them changed
//	demand    classes: which there are, found by what their members use, and their mass
//	graph     supply and demand joined by pairs: who holds which class, and what that puts on others
//	service   a clock and the heap of what ends by it, of a class or of a bottleneck
//	bookings  under Manual: the ends from one refresh to the next, worked out and sorted (moments) in one go
//	agenda    time: now, the services, and the index (times) of when the first activity of each
//	          bottleneck ends
//	Warmer    reads ahead what the others will change
//	solution  one solution: looks at what changed until all levels follow from each other
//	waits     which bottlenecks wait in a solution for others
//	filling   the progressive filling of everything
//
// A solution reads the graph, and tells it and the agenda of levels and holders. The agenda knows
// numbers and levels of bottlenecks, but no resource.
package fluid
