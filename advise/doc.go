// SPDX-License-Identifier: Apache-2.0

// Package advise answers the questions of people who run a cluster.
//
//   - What do the settings of my capacity-scheduler.xml mean on this cluster (ExplainCapacity), which of them
//     cost my jobs time (Lint), and which would be best (SearchCapacity)? LoadCapacity reads the files,
//     CapacityChoices makes policies of them.
//   - What would a change do to each queue, user and class, and which limit is behind it (Changes)?
//   - How far can a what-if on this history be trusted (Backtest)?
//   - Which completion-time goals cannot be met, whatever the policy (CheckGoals)?
//   - Where did the time of one job of a result go, and what would have let it start earlier (Explain)?
//
// Each takes a scenario, or a result folder, and hands runs to experiment. Changes and Backtest watch the
// runs of a comparison that somebody else makes, through Options.Observe. Answers are values with JSON
// shapes; tables of them are cells of text that the commands print.
//
// The package starts no engine and no goroutine of its own, writes no file and knows no page.
package advise
