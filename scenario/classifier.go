// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/result"
)

// readBeside reads a file that a scenario names: one in its folder, or one that comes with the published experiment
// that the scenario is part of.
func readBeside(folder, name string) (file string, src []byte, err error) {
	file = name
	if !filepath.IsAbs(file) {
		file = filepath.Join(folder, name)
	}
	src, err = ReadInput(file)
	if errors.Is(err, fs.ErrNotExist) {
		if own, missing := papers.Files.ReadFile(path.Join(filepath.ToSlash(folder), name)); missing == nil {
			src, err = own, nil
		}
	}
	return file, src, err
}

// loadMachines reads the scenario on whose machines jobs are measured.
func loadMachines(s *Scenario, folder string) error {
	name := s.Workload.Measure
	if name == "" {
		return nil
	}
	file, src, err := readBeside(folder, name)
	if err != nil {
		return err
	}
	if own, _ := strict.Parse(file, src); own.Get("workload").Get("measure") != nil { // it might be this very scenario
		at, _ := own.Find("workload.measure")
		return &strict.InputError{Err: strict.Errors{{Pos: at, Path: "workload.measure", Problem: "jobs would be measured on machines whose jobs are measured",
			Found: strconv.Quote(file), Allowed: "a scenario without workload.measure"}}}
	}
	if s.machines, err = Parse(file, src, nil); err != nil {
		return err
	}
	if m := s.machines; len(m.Cluster.Classes) < 2 || m.Cluster.RoomModel() == model.Yarn {
		return &strict.InputError{Err: fmt.Errorf("%s: found %d classes of machines under room: %s; allowed: at least two, under room: slots or containers", file, len(m.Cluster.Classes), m.Cluster.Room)}
	}
	return nil
}

// Machines returns the scenario on whose machines jobs are measured before a run, nil if they are not.
func (s *Scenario) Machines() *Scenario { return s.machines }

// loadClassifier reads the classifier that the scenario names.
func loadClassifier(s *Scenario, folder string) error {
	name := s.Workload.Classifier
	if name == "" {
		return nil
	}
	file, src, err := readBeside(folder, name)
	if err != nil {
		return err
	}
	if s.classifier, err = svm.Decode(src, hybrid.Features...); err != nil {
		return &strict.InputError{Err: fmt.Errorf("%s: %w", file, err)}
	}
	s.Workload.Classifier, s.classifierHash = file, result.Hash(src)
	return nil
}

// Classifier returns the classifier of jobs that the scenario names, nil if it names none.
func (s *Scenario) Classifier() *svm.Classifier { return s.classifier }

// WithClassifier returns the scenario with another classifier than its file.
func WithClassifier(s *Scenario, c *svm.Classifier) *Scenario {
	out := *s
	out.classifier = c
	return &out
}
