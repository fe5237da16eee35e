// SPDX-License-Identifier: Apache-2.0

package metrics

// The names of the lines of a Series.
const (
	LineUse      = "utilisation"
	LineClass    = "class"
	LineJobs     = "jobs"
	LineQueue    = "queue"
	LineHeld     = "queue memory"
	LineJob      = "job"
	LineFree     = "free"
	LineExpected = "expected"
	LineError    = "error"
	LineLinks    = "rack links"
	LineCPU      = "cpu"
	LineAMShare  = "am share"
	LineDisk     = "disk"
	LineProgress = "progress"
)

// LineKind describes the lines of one name.
type LineKind struct {
	Name string
	Key  string // what the key of a line is
	Text string // what its values are
}

// LineKinds are the lines that a Series may have, as series.csv and its reference list them.
var LineKinds = []LineKind{
	{LineUse, "pool of room", "share in use"},
	{LineClass, "class of nodes; with slots, and the pool", "share of its room in use (clusters of several classes)"},
	{LineJobs, "`running`, `waiting`", "number of jobs that have, have not, started a task"},
	{LineQueue, "queue", "tasks that hold room"},
	{LineHeld, "queue", "share of the cluster's memory that its containers hold, those of application masters too (`room: yarn`)"},
	{LineJob, "name of one of the jobs with most tasks, or `other jobs`", "tasks that hold room"},
	{LineFree, "pool of room", "room that is free: slots, containers or MiB"},
	{LineExpected, "name of one of the jobs with a goal and most tasks", "when it will end by the estimator of deadline-2010, seconds; no line where nothing can be estimated"},
	{LineError, "the same", "relative error of that: (expected - finish) / elapsed"},
	{LineLinks, "`up`, `down`", "share of the capacity of all racks' links that is in use (durations: network, resources)"},
	{LineCPU, "`user`, `system`, `I/O wait`, `idle`", "share of all hardware threads (with `yarn:`)"},
	{LineAMShare, "`in effect`", "share of the cluster that application masters may hold (with `yarn:`)"},
	{LineDisk, "`GB stored`", "what jobs have stored on the disks (with `yarn:`)"},
	{LineProgress, "`% in 10 s`", "how far all applications together advanced in the last ten seconds (with `yarn:`)"},
}
