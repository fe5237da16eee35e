// SPDX-License-Identifier: Apache-2.0

// Package exec knows what an attempt at a task does and how long it takes. It is told when an attempt
// gets room and says when it ends; it knows no policy and decides nothing.
//
// There are three models, behind one Executor:
//
//	replay      lengths come with the workload; a factor for distance and for slow machines (replay.go)
//	network     input from afar and shuffle travel as flows over links, then the length passes
//	resources   bytes and cycles share cores, disks and links, step by step
//
// The last two share one machinery (shared.go): what attempts do becomes activities of a fluid solver.
// Its parts, from the bottom up:
//
//	machines  links, disks and cores as resources, and what a unit of work takes of each (exec/machines)
//	flows     the solver and the clock of whoever drives: activities begin and end as events (flows.go)
//	output    what tasks write, and write-back (output.go); where it goes is hdfs's affair, what is left on disks is counted in exec/costs
//	shuffles  how reduces fetch what maps made (shuffle.go, group.go, refetch.go), and what that takes of the hardware (carriage.go)
//	gate      what goes from rack to rack, and when it may (gate.go)
//	optics    when circuits are switched, and which flows use them (optics.go)
//	steps     the steps of a map (mapsteps.go) and of a reduce (reducesteps.go), one after the other (steps.go); MRPERF's, with its fetches, are in mrperf.go
//	links     when the racks' links are looked at, and what went over them (links.go)
//
// # Contract
//
// The driver owns the clock: it keeps the events that the executor asks for (Timers) and hands each back
// to Happen when its time has come, then calls Settle until it returns false, and Plan. Between these
// calls it tells the executor of jobs (Enter, Leave), attempts (Start, Kill), ended maps (MapEnded,
// MapsOver) and faults (OutputLost, NodeLost). The executor calls back once for each attempt that ends,
// and records what only it knows: stages of reduces, bytes over links, congestion.
//
// Attempts live in a flat table (exec/running) that knows which run on a node and which belong to a job.
package exec
