// SPDX-License-Identifier: Apache-2.0

// Package planned follows plans of recurring jobs, as the online schedulers of JobPacker and Corral do (diverse-2018
// §4.2.4). Order makes the plan when it is handed forecasts, and is the order of jobs afterwards:
//
//   - A free container goes to the first job of its rack's sequence that has a task to start, a map or a reduce as the
//     sequence says. Jobs that are not there are passed over, so nobody waits for one that is late.
//   - Where no planned job has a use for it, it goes to ad-hoc jobs by an order of their own, such as fair.
//   - A job one of whose racks is lost is an ad-hoc job from then on.
//
// It is the placement of data as well: the first replica of a planned job's block lies in a rack of its maps. Gate is
// JobPacker's part that holds a shuffle back until what one rack sends to another is enough for a circuit.
//
// What a rack could start is kept in sets of bits as things happen, so that an offer finds it in a few words.
package planned
