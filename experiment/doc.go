// SPDX-License-Identifier: Apache-2.0

// Package experiment runs scenarios: many engines at once, and results in the order of the grid, whatever
// order workers finish in.
//
// The unit is a Repetition: the workload of one seed, made once and met by every policy, so that policies
// differ by what they decide and not by their luck. Simulate runs one policy on it and folds the events into
// a metrics.Run. On top of it:
//
//   - Compare runs policies over seeds, CompareVariants policies on changed scenarios (Variants) too. A
//     Comparison holds every number, and answers with intervals, paired differences and a winner where one
//     is certain. Rules judge it (ParseRules, Judge). A Contest is a comparison that has yet to be run: its runs
//     are numbered, so that they can be run one by one on other machines.
//   - Sweep runs a Grid of settings. Its Journal keeps each finished run on disk, so that a sweep goes on
//     where it was killed.
//   - Search looks for the best point of a grid by successive halving, and measures it again in repetitions
//     that the choice did not see.
//
// Jobs and Alone work out what a scenario leaves open until something has run: goals and weights that follow
// from how long jobs take alone.
//
// The package knows scenarios, engines and metrics. It does not know what a paper says or what an
// administrator asks: reproduce and advise bring scenarios, policies and queries, and watch runs through
// Options.Observe. But for the journal it writes no file: it fills the shapes of result and report.
package experiment
