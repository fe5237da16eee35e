// SPDX-License-Identifier: Apache-2.0

// Package rackplan plans recurring jobs: in which racks the maps and the reduces of each job are to run, and in which
// order the racks serve the jobs. It is arithmetic on forecasts and knows neither cluster nor clock; whoever follows a
// plan does so elsewhere.
//
// Site.Latency says how long a job takes on racks of a given number (diverse-2018 §4.2.3.1), Pairs which numbers are
// worth considering, Make plans all jobs (§4.2.3.2):
//
//   - The jobs are put in order: those of a batch are divided into sub-batches of like demands, within which the widest
//     job comes first; jobs that come at different times are taken by arrival.
//   - Job by job, the earliest containers are booked: of all racks for a job with little shuffle data, of the racks with
//     the earliest completion for one with much.
//
// Two planners are made of it. JobPacker chooses the racks of maps and of reduces apart and reckons with circuits; Corral
// has both in the same racks and knows packets alone.
//
// Planning n jobs costs O(n log n), and each job at most what the pairs of widths cost: racks squared.
package rackplan
