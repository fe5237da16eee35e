// SPDX-License-Identifier: Apache-2.0

// Package network lays a network of racks out as resources of a fluid solver and switches its circuits.
//
//	Fabric    links of hosts and racks, and which of them a flow uses
//	Watch     looks at the racks' links: how much is in use, which are congested
//	Circuits  an optical switch that connects racks directly, a few at a time
//	Exchange  what the tasks of a job send each other from rack to rack; Gatekeeper asks when it may begin
//
// The package knows no events: whoever drives it owns the clock, and has brought the solver to
// the time that it hands in.
//
// # Circuits
//
// In a hybrid network (diverse-2018 §4.1.2) packets go over the links to the core, as ever, and elephants,
// flows above a size, go over circuits alone. A circuit carries data from one rack to another at a rate of
// its own. A rack sends over few circuits at a time (planes, as a rule one) and receives over as many, so an
// elephant waits until its racks are connected.
//
// Every interval the controller takes the demand matrix, the bytes left of the elephants of each pair of racks,
// and connects the pairs that have the most in all: a matching of greatest weight, for each plane one among the
// pairs that are left. Pairs that stay connected go on; a circuit that is made carries nothing for the time
// that switching takes. A circuit without demand stays until one of its ports is needed. Pairs of equal demand
// keep their circuits.
//
// The greatest total says nothing about a pair that never belongs to it. With an age, pairs that have waited for
// so long come before all others.
package network
