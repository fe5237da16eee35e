// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// Journal remembers the finished runs of a batch, such as a sweep, on disk, one line each, so that a sweep that was
// killed goes on where it stopped. A line is written with one call and synced before the run counts
// as done; a torn last line is cut off when the journal is opened.
type Journal struct {
	mu     sync.Mutex
	file   *os.File
	size   int64 // of the whole lines
	broken error // a failed write: nothing may follow it
	values map[int][]float64
	grid   string
}

// Identity names the batch: two batches with the same identity have the same results.
func (j *Journal) Identity() string { return j.grid }

// JournalName is the file of the journal in the sweep's folder.
const JournalName = "journal.jsonl"

type journalHead struct {
	Grid string `json:"grid"` // identity
	Runs int    `json:"runs"`
}

type journalLine struct {
	Run    int        `json:"run"`
	Values []*float64 `json:"values"` // null where there was nothing to measure
}

// OpenJournal opens or begins the journal of a batch in a folder. Another process that has it open,
// and a journal of another batch, are errors.
func OpenJournal(folder string, b Batch, version string) (*Journal, error) {
	if err := checkSweepFolder(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("sweep folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, JournalName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("sweep folder: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("sweep folder: %s is in use by another sweep", folder)
	}
	j := &Journal{file: file, values: map[int][]float64{}, grid: b.Identity(version)}
	if err := j.read(folder, journalHead{j.grid, b.Runs()}, b.Width); err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

// checkSweepFolder reports whether a sweep may use the folder: it is free, empty or a sweep's.
func checkSweepFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("sweep folder: %w", err)
	}
	if _, err := os.Stat(filepath.Join(folder, JournalName)); err != nil {
		return fmt.Errorf("sweep folder: %s holds something else than a sweep; choose another with --out", folder)
	}
	return nil
}

// read takes over what the file holds and leaves the offset behind the last whole line.
func (j *Journal) read(folder string, head journalHead, width func(run int) int) error {
	src, err := os.ReadFile(j.file.Name())
	if err != nil {
		return fmt.Errorf("sweep folder: %w", err)
	}
	whole := src[:bytes.LastIndexByte(src, '\n')+1]
	lines := bytes.Split(whole, []byte("\n"))
	if len(whole) == 0 {
		return j.begin(head)
	}
	var old journalHead
	if json.Unmarshal(lines[0], &old) != nil || old != head {
		return &strict.InputError{Err: fmt.Errorf("%s holds a sweep of another grid or version; choose another folder with --out, or remove it", folder)}
	}
	for n, line := range lines[1 : len(lines)-1] {
		var l journalLine
		if err := json.Unmarshal(line, &l); err != nil || l.Run < 0 || l.Run >= head.Runs || len(l.Values) != width(l.Run) {
			return fmt.Errorf("%s:%d: damaged line; remove it to run that point again", j.file.Name(), n+2)
		}
		values := make([]float64, len(l.Values))
		for i, v := range l.Values {
			values[i] = math.NaN()
			if v != nil {
				values[i] = *v
			}
		}
		j.values[l.Run] = values
	}
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return fmt.Errorf("sweep folder: %w", err)
	}
	j.size = int64(len(whole))
	_, err = j.file.Seek(j.size, 0)
	return err
}

func (j *Journal) begin(head journalHead) error {
	if err := j.file.Truncate(0); err != nil {
		return fmt.Errorf("sweep folder: %w", err)
	}
	if _, err := j.file.Seek(0, 0); err != nil {
		return fmt.Errorf("sweep folder: %w", err)
	}
	return j.append(head)
}

// Values returns what run i measured, or nil if it has not been done.
func (j *Journal) Values(i int) []float64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.values[i]
}

// Len returns the number of finished runs.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.values)
}

// Add writes down that run i is done.
func (j *Journal) Add(i int, values []float64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := journalLine{Run: i, Values: make([]*float64, len(values))}
	for k := range values {
		if !math.IsNaN(values[k]) {
			line.Values[k] = &values[k]
		}
	}
	if err := j.append(line); err != nil {
		return err
	}
	j.values[i] = values
	return nil
}

// append writes one line. After a failed write the journal is cut back to its whole lines and takes
// no more.
func (j *Journal) append(v any) error {
	if j.broken != nil {
		return j.broken
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("sweep journal: %w", err)
	}
	b = append(b, '\n')
	if _, err = j.file.Write(b); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.broken = fmt.Errorf("sweep journal: %w", err)
		j.file.Truncate(j.size)
		return j.broken
	}
	j.size += int64(len(b))
	return nil
}

// Close releases the journal.
func (j *Journal) Close() error { return j.file.Close() }
