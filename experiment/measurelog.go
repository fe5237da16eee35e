// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// MeasureLog keeps what was measured in a file, a line for each shape of job, so that a measurement that was stopped goes
// on. A torn last line is cut off.
type MeasureLog struct {
	file  *os.File
	known map[shape][]Taken
}

type measuredLine struct {
	Shape shape
	Taken []Taken
}

// OpenMeasureLog opens or begins the file for the machines of a scenario. One of other machines is an error.
func OpenMeasureLog(name string, machines *scenario.Scenario) (*MeasureLog, error) {
	src, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	m, head := &MeasureLog{known: map[shape][]Taken{}}, result.Hash(machines.JSON())+"\n"
	whole := 0
	for line := range bytes.Lines(src) {
		var l measuredLine
		switch {
		case line[len(line)-1] != '\n':
		case whole == 0 && string(line) != head:
			return nil, &strict.InputError{Err: fmt.Errorf("%s holds what was measured on other machines; remove it, or choose another --out", name)}
		case whole > 0 && json.Unmarshal(line, &l) == nil:
			m.known[l.Shape] = l.Taken
		}
		if line[len(line)-1] == '\n' {
			whole += len(line)
		}
	}
	if m.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	if err = m.file.Truncate(int64(whole)); err == nil {
		_, err = m.file.Seek(0, 2)
	}
	if err == nil && whole == 0 {
		_, err = m.file.WriteString(head)
	}
	return m, err
}

// keep writes down what was measured. Nil keeps nothing.
func (m *MeasureLog) keep(s shape, taken []Taken) error {
	if m == nil {
		return nil
	}
	line, err := json.Marshal(measuredLine{s, taken})
	if err == nil {
		_, err = m.file.Write(append(line, '\n'))
	}
	return err
}

// Close closes the file.
func (m *MeasureLog) Close() error { return m.file.Close() }

// Remove removes the file: what it held is in the trace now.
func (m *MeasureLog) Remove() error { return os.Remove(m.file.Name()) }
