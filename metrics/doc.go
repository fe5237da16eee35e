// SPDX-License-Identifier: Apache-2.0

// Package metrics folds the events of a run into numbers: one row per job, curves over time, and
// metrics of groups of jobs. It is pure (no clock, no files, no randomness) and knows nothing of the
// cluster's state: whatever emits the events of package record can be measured with it.
//
// # Folding
//
// A Collector is a record.Recorder. It takes in the events of one run and returns a Run: a Job per job
// that ended, a Series of curves, and sums over the cluster's room and links. A Timeline is a recorder
// too: it follows a single job and keeps the spans in which its state did not change, and who held the
// room while it waited. Both count tasks with the same life, so that they cannot disagree.
//
//	c := metrics.NewCollector(topology, jobs)
//	// … the engine calls c.Record for each event …
//	run := c.Run(reference)
//
// A job's elapsed time is split into Parts that add up to it to the nanosecond; the parts in which it
// was held back are split once more by the limit that did so.
//
// # Asking
//
// A Query is one metric of all jobs or of some. Its text is read by ParseQuery and is what summary.json,
// --fail-if and expected.yaml use:
//
//	q, err := metrics.ParseQuery("prod.p95_wait")
//	value, ok := q.Of(metrics.All(run, warmup))
//
// Describe gives a metric's unit, meaning and better direction. Confidence, Paired and PairedShare turn the
// values of several seeds into intervals.
//
// # Adding a metric
//
// Every metric is an entry of the table in table.go: its name, with the placeholder of a key if there are
// several that differ in it, its unit, a sentence, its better direction, and the function that computes it.
// Queries, error messages, tables, pages and docs/metrics.md read the entry. A number that every job
// has is entered once, as STAT_NAME, and all statistics of it exist.
package metrics
