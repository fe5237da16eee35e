// SPDX-License-Identifier: Apache-2.0

// Package tune holds tuners of a cluster's AM share: the part of a queue's memory that application
// masters may take, which limits how many jobs run at once (Hadoop's maxAMShare and
// maximum-am-resource-percent; "MARP" in marp-2019).
//
// A tuner is a pure state machine: an observation in, advice out. It reads no clock and starts
// nothing. Where a script would sleep, the advice says when to be called next. How long a new value
// needs until it acts belongs to the cluster's side: the Actuator knows it, the tuner does not wait
// for it except as its own rules say. The same tuner stands before the simulator and before a recorded
// log (Replay), and can stand before a live cluster.
//
// To add one: write its file with a function that returns its Entry, its test, one line in All, and
// one log with the expected advice under testdata.
package tune

import (
	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/model"
)

// Reading is a value that an observer may or may not have got. The zero value is unknown.
type Reading[T any] struct {
	Value T
	Known bool
}

// Got returns a known reading.
func Got[T any](v T) Reading[T] { return Reading[T]{Value: v, Known: true} }

// Or returns the value, or otherwise if it is unknown.
func (r Reading[T]) Or(otherwise T) T {
	if r.Known {
		return r.Value
	}
	return otherwise
}

// AppState is where an application stands, as the resource manager's list of applications says.
type AppState uint8

// The states. Pending covers NEW, SUBMITTED and ACCEPTED: no AM of it runs yet. Finished covers
// FINISHED, FAILED and KILLED.
const (
	Pending AppState = iota
	Running
	Finished
	appStates = 3
)

var appStateNames = [appStates]string{"pending", "running", "finished"}

// String returns the state's name in logs.
func (s AppState) String() string {
	if int(s) < len(appStateNames) {
		return appStateNames[s]
	}
	return "state?"
}

// App is one application as the resource manager's REST interface shows it.
type App struct {
	ID       string // no blanks; equal IDs are the same application
	State    AppState
	Progress Reading[float64] // percent, as the AM last reported it; 0 while pending, 100 once finished

	// What the application holds now, its AM's container included.
	Memory     Reading[model.Bytes]
	Containers Reading[int]
}

// Observation is what YARN's REST interface and the host tell at one moment. A driver fills what it
// can get and leaves the rest unknown.
type Observation struct {
	Time model.Time

	Idle    Reading[float64] // idle CPU of the host over the last second, in percent, I/O wait not counted as idle
	Disk    Reading[float64] // how much of the last second the host's busiest disk worked, in percent (iostat's %util)
	Pending Reading[int]     // applications without an AM (appsPending)
	Running Reading[int]     // applications with an AM (appsRunning)

	// Share is the AM share that the scheduler applies now. Written is the value that stands in its
	// configuration, which acts once the scheduler has read it again.
	Share   Reading[float64]
	Written Reading[float64]

	// Latency is how long a written value takes at most until the scheduler applies it, as the
	// actuator says. It does not include the start of an AM.
	Latency Reading[model.Time]

	AM        Reading[model.Bytes] // one AM's container, rounded up as the scheduler does
	Container Reading[model.Bytes] // one task's container, rounded up
	Memory    Reading[model.Bytes] // of the queue: what the share is a share of
	Available Reading[model.Bytes] // of it, not allocated now

	// Apps lists the applications in order of submission; those that ended stay listed for as long
	// as the resource manager remembers them. AppsKnown says that the list was got. The slice belongs
	// to the caller: a tuner copies what it keeps.
	Apps      []App
	AppsKnown bool
}

// Advice is what a tuner wants.
type Advice struct {
	Share  float64    // the share that should stand in the configuration from now on
	Next   model.Time // when to be called again, later than the observation; Forever if Done
	Done   bool       // the tuner has ended and wants no further call
	Reason string     // why, in a few words for people
}

// Tuner decides on the AM share. The first Step is called before the work begins; nothing but the
// time needs to be known then, and the share of that first advice is the one that the operator puts
// into the configuration before the first job comes. Every further Step is called at the time that
// the last advice named, with a fresh observation.
type Tuner interface {
	Step(*Observation) Advice

	// State returns a pointer to everything that a tuner remembers between two steps, a struct of
	// exported fields that encoding/json can write and read back. See Save and Load.
	State() any
}

// Env is what a tuner is built with.
type Env struct {
	Seed uint64 // of the run: random picks are drawn from (seed, purpose, step)
}

// Entry is one line of the table of tuners: what help, docs and scenario validation need to know.
type Entry struct {
	Name    string
	Summary string
	Source  string // paper and section

	// Params returns a pointer to the tuner's parameters at their defaults, a struct with the tags of
	// the package strict; nil if it has none. If the type has a method Validate() []model.Problem, it
	// is called after decoding.
	Params func() any

	// New builds the tuner. params is what Params returned, after decoding and validation.
	New func(env Env, params any) (Tuner, error)
}

// Registry is a table of tuners.
type Registry = table.Table[Entry]

var _ table.Entry = Entry{}

// Key implements table.Entry.
func (e Entry) Key() string { return e.Name }

// Defaults implements table.Entry.
func (e Entry) Defaults() any {
	if e.Params == nil {
		return nil
	}
	return e.Params()
}

// All is the table of tuners.
var All = Registry{
	prjEntry(),
	oneEntry(),
	cbtEntry(),
	cbtwsEntry(),
	cbtwatEntry(),
	autoEntry(),
}
