// SPDX-License-Identifier: Apache-2.0

// Package record defines the typed events that a run emits. They come in the order in which they
// happened: times never decrease, and events of equal time keep the order of their causes.
// Everything that results say about a run is computed from them.
package record

import (
	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/model"
)

// Kind is the type of an event.
type Kind uint8

// The kinds of event. The fields that each one sets beside Time and Job are given in brackets.
const (
	JobSubmitted  Kind = iota
	JobAdmitted        // may now be given room
	JobBlocked         // [Limit] from now on this is what holds the job back while it waits
	TasksEligible      // [Task.Kind, Count] this many more tasks of the kind may start (slow start passed); fewer if below 0: the job begins anew
	TaskStarted        // [Task, Node, Attempt, Locality, Limit] room taken, work begins unless it is a reduce that waits; what holds the job back from now on
	TaskShuffling      // [Task, Node, Attempt] a reduce copies what is left after the last map
	TaskComputing      // [Task, Node, Attempt] a reduce has all its data and begins its own work
	TaskEnded          // [Task, Node, Attempt, Since, Length] room given back, work done; Length counts work, not holding room
	TaskKilled         // [Task, Node, Attempt, Since, Length, Stage] room given back, the task must run again
	JobEnded
	TaskWaiting   // [Task, Node, Attempt] a reduce that copied waits for maps again: some of their output is lost
	TaskUndone    // [Task, Node] a task that had ended must run again: the output of a map is lost, or the job begins anew
	TaskDoubled   // [Task] a second attempt of a running task is wanted
	TaskDropped   // [Task, Node, Attempt, Since, Length, Stage] one of two attempts ends: the other has, or goes on; Node is None if it had not started
	NodeLost      // [Node] of no job
	NodeReturned  // [Node] of no job
	DataMoved     // [Purpose, Bytes, Cross, Over] before a job ends or begins anew: what it sent over links, once for each purpose
	LinkLoads     // [Up, Down, Links] of no job: how much of the racks' links is in use
	LinkCongested // [Count] of no job: a rack's link is congested; links are numbered 2*rack up, 2*rack+1 down
	LinkRelieved  // [Count] of no job: it no longer is
	JobRefused    // [Limit] instead of being admitted: it will never run
	AMStarted     // [Node, Room] the job's application master has got a container and starts
	AMEnded       // [Node, Room] it has given it back, some time after the job's end
	HostSampled   // [Host] of no job: how the hosts fare
	// CircuitChanged [Count, Circuit, Bytes, Length] of no job: a circuit changes its state; circuits are numbered
	// from*racks+to. Bytes it carried since its last change; Length says how long the elephants waited for it that it
	// begins to carry.
	CircuitChanged
	// RoomChanged [Count] of no job, where room is memory and vcores and nodes ask at intervals: from now on some nodes have
	// room for the smallest container (1), or none has (0). At the beginning some have.
	RoomChanged
	JobFailed // instead of JobEnded: its application master is lost, and so is the job
	JobStolen // before its first task: machines of another kind take it over, for good
	// ChoreStarted [Task.Kind, Node, Room] a set-up or clean-up task of the job takes room of the kind's pool. It is none of the
	// job's tasks.
	ChoreStarted
	ChoreEnded // [Task.Kind, Node, Room] it has given it back
)

var kindNames = [...]string{
	"job-submitted", "job-admitted", "job-blocked", "tasks-eligible", "task-started",
	"task-shuffling", "task-computing", "task-ended", "task-killed", "job-ended",
	"task-waiting", "task-undone", "task-doubled", "task-dropped", "node-lost", "node-returned",
	"data-moved", "link-loads", "link-congested", "link-relieved",
	"job-refused",
	"am-started", "am-ended", "host-sampled", "circuit-changed", "room-changed", "job-failed", "job-stolen",
	"chore-started", "chore-ended",
}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "event?"
}

// Stage is what a task was doing when it was killed.
type Stage uint8

// The stages. A map that runs is Computing.
const (
	Waiting   Stage = iota // a reduce that holds room while maps run
	Shuffling              // a reduce that copies after the last map
	Computing
)

// Purpose is why data travels.
type Purpose uint8

// The purposes of data on links.
const (
	Input    Purpose = iota // a map reads a block from another host
	Shuffle                 // a reduce fetches map output
	Output                  // replicas of what a job writes
	Purposes = 3
)

// String returns the name of the purpose in results.
func (p Purpose) String() string { return [Purposes]string{"input", "shuffle", "output"}[p] }

// Circuit is the state of a circuit from one rack to another.
type Circuit uint8

// The states of a circuit.
const (
	CircuitOff       Circuit = iota
	CircuitSwitching         // it is being made
	CircuitIdle              // it is there and has nothing to carry
	CircuitCarrying
)

// String returns the name of the state in results.
func (c Circuit) String() string { return [...]string{"off", "switching", "idle", "carrying"}[c] }

// Event is one fact about a run.
type Event struct {
	Time     model.Time
	Since    model.Time // when the attempt that ends took its room
	Length   model.Time
	Kind     Kind
	Locality model.Locality
	Limit    model.Limit
	Stage    Stage
	Attempt  uint8
	Circuit  Circuit
	Task     model.Task // Task.Job is the job of the event, None if it has none
	Node     model.NodeID
	Count    int32
	Purpose  Purpose
	Bytes    model.Bytes // over links
	Cross    model.Bytes // of these, from one rack to another
	Over     model.Bytes // of these, over circuits
	Up, Down float64     // share of the capacity of all racks' links that is in use
	Room     model.Room  // of an application master's container
	Host     *Host       // nil for all other kinds
	Links    *Links      // nil for all other kinds
}

// Taken returns by how many containers the event changes what its job holds: 1, -1 or 0.
func (e *Event) Taken() int64 {
	switch e.Kind {
	case TaskStarted:
		return 1
	case TaskEnded, TaskKilled:
		return -1
	case TaskDropped:
		if e.Node != model.None {
			return -1
		}
	}
	return 0
}

// Links is a look at the racks' links one by one.
type Links struct {
	Use []float64 // share of its capacity that is in use, by number of the link
}

// Host is a look at all hosts together, where the scenario is a YARN cluster with masters.
type Host struct {
	User, System, Wait float64     // shares of all hardware threads; the rest is idle
	Share              float64     // the AM share in effect
	Stored             model.Bytes // on the disks, by jobs: what tasks spilled, merged and wrote
	Progress           float64     // of all applications together, 1 for each that has ended
}

// Traffic is what went over links in a whole run, from rack to rack. It is no event: whoever runs has it at the end.
type Traffic struct {
	Racks int
	Bytes []model.Bytes // number from*Racks+to is what one rack sent to another or, from host to host, to itself
	Over  []model.Bytes // of these, what went over circuits; nil where there are none
}

// Recorder receives the events of a run. The engine reuses the event, so an implementation that
// keeps one copies it.
type Recorder interface {
	Record(*Event)
}

// Keeper is a Recorder that keeps something about each job.
type Keeper interface {
	// Ahead adds it to what is asked for: events of the job, which has been submitted, are about to come.
	Ahead(b *ahead.Batch, id model.JobID)
}

// Tee sends every event to several recorders in order.
type Tee []Recorder

// Record implements Recorder.
func (t Tee) Record(e *Event) {
	for _, r := range t {
		r.Record(e)
	}
}

// Ahead implements Keeper.
func (t Tee) Ahead(b *ahead.Batch, id model.JobID) {
	for _, r := range t {
		if k, ok := r.(Keeper); ok {
			k.Ahead(b, id)
		}
	}
}

// Log keeps a copy of every event that Keep accepts (all if Keep is nil).
type Log struct {
	Keep   func(*Event) bool
	Events []Event
}

// Record implements Recorder.
func (l *Log) Record(e *Event) {
	if l.Keep == nil || l.Keep(e) {
		l.Events = append(l.Events, *e)
	}
}
