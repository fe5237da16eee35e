// SPDX-License-Identifier: Apache-2.0

// Package scenario turns a file into a resolved value: a cluster, its rules, a workload and the policies to
// put on it, with defaults filled in and everything checked.
//
// The way of a file: strict parses it, settings of the command line change the tree (strict.Setting), the
// tree is decoded over Defaults, and then everything is checked that needs more than one field: first
// without jobs, then with those of the first seed. A check is left out only where something that it depends on
// is at fault already, so all faults come at once, as a strict.InputError that names file, line, field, what was
// found and what is allowed. Parse does this for a text, LoadOrBuiltin
// for a file, LoadSite for a trace on the cluster of another scenario. A Scenario is a scenario file again
// when it is encoded (JSON), which is how a result folder remembers it.
//
// A Scenario is a value. Others are made of it: With by further settings, Changed by what-if settings that keep the jobs (ParseChange reads them), WithJobs by other jobs.
// Its methods answer questions about itself: its jobs, its policies by name, where a job is written down.
// Traces are read here too, because their jobs are priced on a scenario's cluster.
//
// The package runs nothing: it starts no goroutine and no engine, and reads files but writes none. What
// follows only from a run, such as a goal that is a multiple of a job's run time alone, stays as it is
// written; experiment works it out.
package scenario
