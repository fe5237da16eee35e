// SPDX-License-Identifier: Apache-2.0

// Package capacity is YARN's Capacity Scheduler as release 3.4.1 has it: who is let in, whose master may
// start, and which container each heartbeat of a node gives to whom. It is a state machine without a clock,
// goroutines or chance: [Scheduler] is told what happens, and tells a [Listener] what it decides. A simulator
// and the command decide drive the same code.
//
// A heartbeat is a series of passes. A pass goes down the tree: children in their order, in a leaf the
// applications in theirs, of an application the asks by priority, of an ask the node, then its rack, then any
// place. It ends with a proposal of one container, which is checked once more before it counts. A proposal
// that is refused counts as given all the same, so the next pass may propose the same again.
//
// A container that does not fit the node whose turn it is may be reserved there. Then the node's heartbeats are for that
// container alone, until it is given, given up, or given elsewhere.
//
// Left out: node labels. Pre-emption is a package of its own beside this one.
package capacity
