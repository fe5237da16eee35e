// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Entry is one line of a journal.
type Entry struct {
	At   string `json:"at"` // by the clock on the wall, for people
	Kind string `json:"kind"`

	Knob  *Knob  `json:"knob,omitempty"`
	Value *Value `json:"value,omitempty"`
	Note  string `json:"note,omitempty"` // why, or what was seen

	// Of a session that begins.
	Cluster string `json:"cluster,omitempty"`
	Queue   string `json:"queue,omitempty"`
	Task    string `json:"task,omitempty"`
	PID     int    `json:"pid,omitempty"`
}

// The kinds of entries.
const (
	kindBegin    = "begin"    // a session
	kindWas      = "was"      // what stood there before the session first wrote
	kindSet      = "set"      // what is about to be written
	kindSeen     = "seen"     // what was read back after a write
	kindRefused  = "refused"  // the write was turned down
	kindLost     = "lost"     // no answer came to the write
	kindRestored = "restored" // the old value stands again
	kindGone     = "gone"     // there is nothing to restore any more
	kindForeign  = "foreign"  // somebody else has changed it: left as it is
	kindEnd      = "end"      // of the session: nothing is left changed
)

// Journal is what controllers of one queue of one cluster did, one JSON object per line, only ever appended to. An open
// journal is locked. A line is on disk before Append returns; a torn last line is cut off when the journal is opened.
type Journal struct {
	file   *os.File
	lines  io.Writer // the file
	size   int64     // of the whole lines
	broken error     // a failed write: nothing may follow it
	open   []Entry   // of the last session, unless it has ended
}

// InUse is the error of opening a journal that another process has open.
type InUse struct{ Queue, Path string }

// Error says who steers.
func (e *InUse) Error() string {
	return fmt.Sprintf("queue %s is steered by another process, which has %s open", e.Queue, e.Path)
}

// JournalPath returns the file of the journal of a queue of a cluster in a folder.
func JournalPath(folder, cluster, queue string) string {
	clean := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}
	return filepath.Join(folder, strings.Map(clean, cluster)+"+"+strings.Map(clean, queue)+".jsonl")
}

// OpenJournal opens or begins the journal of a queue of a cluster in a folder, and locks it.
func OpenJournal(folder, cluster, queue string) (*Journal, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	path := JournalPath(folder, cluster, queue)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, &InUse{queue, path}
	}
	j := &Journal{file: file, lines: file}
	if err := errors.Join(j.read(), syncFolder(folder)); err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

// read takes over the last session and leaves the offset behind the last whole line.
func (j *Journal) read() error {
	src, err := os.ReadFile(j.file.Name())
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	whole := src[:bytes.LastIndexByte(src, '\n')+1]
	for n, line := range bytes.Split(whole, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%s:%d: damaged line: %w", j.file.Name(), n+1, err)
		}
		j.take(e)
	}
	j.size = int64(len(whole))
	if err := j.file.Truncate(j.size); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_, err = j.file.Seek(j.size, 0)
	return err
}

// take keeps the entry if it belongs to an open session. Of a thing that is gone nothing is kept.
func (j *Journal) take(e Entry) {
	switch {
	case e.Kind == kindEnd:
		j.open = nil
	case e.Kind == kindBegin && !changes(j.open):
		j.open = []Entry{e}
	case e.Kind == kindGone && e.Knob != nil:
		j.open = slices.DeleteFunc(j.open, func(o Entry) bool { return o.Knob != nil && *o.Knob == *e.Knob })
	default:
		j.open = append(j.open, e)
	}
}

// changes reports whether a session may have changed something.
func changes(entries []Entry) bool {
	for i := range entries {
		if entries[i].Kind == kindSet {
			return true
		}
	}
	return false
}

// Unfinished returns the entries of a session that may have left something changed, nil if there is none.
func (j *Journal) Unfinished() []Entry {
	if !changes(j.open) {
		return nil
	}
	return j.open
}

// Path returns the file of the journal.
func (j *Journal) Path() string { return j.file.Name() }

// Append writes one line and waits until it is on disk. After a failed write, as on a full disk, the journal is cut back
// to its whole lines and takes no more.
func (j *Journal) Append(e Entry) error {
	if j.broken != nil {
		return j.broken
	}
	e.At = time.Now().UTC().Format(time.RFC3339Nano)
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	b = append(b, '\n')
	if _, err = j.lines.Write(b); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.broken = fmt.Errorf("the journal takes no more lines: %w", err) // which names the file
		_ = j.file.Truncate(j.size)                                       // otherwise the torn line is the last one, which is cut off when the journal is opened
		return j.broken
	}
	j.size += int64(len(b))
	j.take(e)
	return nil
}

// Close releases the journal and its lock.
func (j *Journal) Close() error { return j.file.Close() }

// syncFolder makes sure that the names of files are on disk.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
