// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// Unknown marks a count or an amount that a trace does not say.
const Unknown = -1

// Record is one job of a trace, as the file says it. What the file does not say is absent: Unknown
// for amounts and counts, nil for lists, empty for names. The cost model fills the gaps.
type Record struct {
	Name, User, Queue, Class string

	Submit   model.Time // since the origin of the trace, or, with After, think time
	After    string     // name of the job that must end first; empty if none
	Priority model.Priority
	Weight   float64    // 0 means 1
	Goal     model.Time // counted from submission; 0 means none
	Period   model.Time // the job recurs with this period; 0 means it does not

	Input, Shuffle, Output model.Bytes // Unknown if not given
	Maps, Reduces          int32       // Unknown if not given

	MapLengths    []model.Time // one per map, nil if not given
	ReduceLengths []model.Time // one per reduce, without the shuffle
	ShuffleTail   model.Time   // mean time that a reduce copies after the last map
	ByClass       []model.ClassLengths
	MapHosts      []string // where each map's block lies ("/rack/host"), nil if not given
	OtherHosts    []string // where else it lies, with commas between the hosts; nil if no map has more than one

	InputFile string               // name of the file that it reads, empty if not given
	Cycles    [model.Kinds]float64 // cycles of a core per byte, 0 if not given

	Memory [model.Kinds]model.Bytes // of a container, 0 if not given
	VCores [model.Kinds]int32       // 0 if not given

	Master model.Master             // its application master
	Asks   [model.Kinds][]model.Ask // one per task where containers of a kind differ, nil if they do not
	Label  string                   // of the nodes that it asks for

	// What the job really took, where the trace is a history: from submission to its first task's start
	// and to its end. Elapsed is 0 if the trace does not say.
	Waited, Elapsed model.Time
	Past            *Past // more of it; nil if the trace does not say

	Where string // position in the file, such as "line 12" or "job 3", for messages
}

// Past is how a job really ran, where the trace is a history. Times count from its submission; what the history
// does not say is Unknown.
type Past struct {
	MasterStart model.Time // when the process of its application master began, the last one's if it was retried
	MasterHost  string     // where that ran
	Initialised model.Time // when the master had set up the job
	Finished    model.Time // when the master declared the end of the job

	Runs [model.Kinds][]Run // of the tasks, in the order of their lengths
}

// Run is how a task really ran.
type Run struct {
	Asked model.Time // when the master first wanted a container for it
	Start model.Time // when its attempt was launched
	End   model.Time
	Host  string // "/rack/host"
}

// NewRecord returns a record that says nothing yet.
func NewRecord(where string) Record {
	return Record{Priority: model.Normal, Input: Unknown, Shuffle: Unknown, Output: Unknown, Maps: Unknown, Reduces: Unknown, Where: where}
}

// Yield receives the records of a trace in the order of the file. The reader may use the record
// again for the next job, so what is kept must be copied. Reading stops when it returns an error,
// which the reader passes on.
type Yield func(*Record) error

// Reader reads one format: it calls yield for each job as soon as the format allows, reports
// everything that is wrong to log, and returns an error only if reading itself fails or yield does.
// After a fault that log does not repair, the job in question is left out and reading goes on, so
// that all faults come at once; the caller must look at log.
type Reader func(r io.Reader, log *Log, yield Yield) error

// Fault is one thing that is wrong with a trace.
type Fault struct {
	Where   string // "line 12", "job 3, tasks[2]"
	Field   string
	Found   string
	Allowed string
	Repair  string // what was done instead, if it was repaired
}

// String returns the fault in one line.
func (f Fault) String() string {
	s := fmt.Sprintf("%s: %s: found %s; allowed: %s", f.Where, f.Field, f.Found, f.Allowed)
	if f.Repair != "" {
		s += "; repaired: " + f.Repair
	}
	return s
}

// Log collects the faults of one file. With Mend set, faults that can be repaired are.
type Log struct {
	File         string
	Mend         bool
	Faults       []Fault // that stand
	Repaired     []Fault // at most 10,000; MoreRepaired counts the others
	MoreRepaired int
	notes        []note
	more         int
}

// note is something that a file says and that has no effect, with where it was first met and how often.
type note struct {
	where, field, text string
	times              int
}

// Note notes that a field is right but changes nothing, or not what its writer may expect. The text says what that
// means. Of the same field and text the first place is kept, the others are counted.
func (l *Log) Note(where, field, text string) {
	for i := range l.notes {
		if n := &l.notes[i]; n.field == field && n.text == text {
			n.times++
			return
		}
	}
	if len(l.notes) < maxFaults {
		l.notes = append(l.notes, note{where, field, text, 1})
	}
}

// Take takes over what another log has about one of several files.
func (l *Log) Take(other *Log, file string) {
	at := func(where string) string { return file + ", " + where }
	for _, f := range other.Faults {
		l.Refuse(at(f.Where), f.Field, f.Found, f.Allowed)
	}
	l.more += other.more
	for _, f := range other.Repaired {
		l.Mendable(at(f.Where), f.Field, f.Found, f.Allowed, f.Repair)
	}
	l.MoreRepaired += other.MoreRepaired
	for _, n := range other.notes {
		l.Note(at(n.where), n.field, n.text)
	}
}

// Notes returns what was noted, a line each, in the order of the file.
func (l *Log) Notes() []string {
	lines := make([]string, len(l.notes))
	for i, n := range l.notes {
		lines[i] = fmt.Sprintf("%s: %s: %s: %s", l.File, n.where, n.field, n.text)
		if n.times > 1 {
			lines[i] += fmt.Sprintf(" (and %d more)", n.times-1)
		}
	}
	return lines
}

// How many faults and repairs are kept; the others are counted.
const (
	maxFaults  = 50
	maxRepairs = 10_000
)

// Refuse notes a fault that cannot be repaired.
func (l *Log) Refuse(where, field, found, allowed string) {
	if len(l.Faults) >= maxFaults {
		l.more++
		return
	}
	l.Faults = append(l.Faults, Fault{Where: where, Field: field, Found: found, Allowed: allowed})
}

// Mendable notes a fault that could be repaired as described, and reports whether it may be.
func (l *Log) Mendable(where, field, found, allowed, repair string) bool {
	if !l.Mend {
		l.Refuse(where, field, found, allowed+" (--repair: "+repair+")")
		return false
	}
	if len(l.Repaired) < maxRepairs {
		l.Repaired = append(l.Repaired, Fault{where, field, found, allowed, repair})
	} else {
		l.MoreRepaired++
	}
	return true
}

// Err returns all faults that stand as one error, or nil.
func (l *Log) Err() error {
	if len(l.Faults) == 0 {
		return nil
	}
	var b strings.Builder
	for i, f := range l.Faults {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s", l.File, f)
	}
	if l.more > 0 {
		fmt.Fprintf(&b, "\n%s: and %d more", l.File, l.more)
	}
	return &TraceError{b.String()}
}

// TraceError is the error of a trace that cannot be used as it is.
type TraceError struct{ text string }

func (e *TraceError) Error() string { return e.text }

// maxShown is how many characters of a file a message shows.
const maxShown = 60

// Show quotes the beginning of a piece of a file for a message.
func Show[T string | []byte](piece T) string {
	if len(piece) == 0 {
		return "nothing"
	}
	s := string(piece[:min(len(piece), 5*maxShown)])
	shown := 0
	for i := range s {
		if shown++; shown > maxShown {
			return strconv.Quote(s[:i] + "...")
		}
	}
	return strconv.Quote(s)
}
