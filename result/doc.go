// SPDX-License-Identifier: Apache-2.0

// Package result is what stays when a command has ended: folders, their files, and the shapes of the
// JSON in them.
//
// A result folder is written beside its place and put there in one step (Folder), so that a reader meets
// the old results or the new ones. Its manifest.json says what it was made from and how to make it again
// (Manifest); summary.json has a shape for each kind of command (Summary, ComparisonSummary,
// PointSummary, SearchSummary); jobs.csv, series.csv, links.csv, traffic.csv, circuits.csv
// and sweep.csv are written from what metrics folded (WriteJobs, WriteSeries, WriteLinks, WriteTraffic, WriteCircuits, WriteSweep). The same
// input gives the same bytes: rows come in the order of jobs, series and grids, keys of JSON in order of their
// names.
//
// The package knows the numbers of one run (metrics). It knows no scenario and nothing of how a run comes
// about: whoever runs fills the shapes in, and the command decides where folders go. Pages for people are
// made by report.
package result
