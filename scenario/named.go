// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload/synth"
)

// TracesVariable is the environment variable with the folder of the traces that scenarios name.
const TracesVariable = "YARDMASTER_TRACES"

// published maps the names of published traces to their files; any other name is a file's own.
var published = map[string]string{
	"FB-2009":       "FB-2009_samples_24_times_1hr_0.tsv",
	"FB-2010":       "FB-2010_samples_24_times_1hr_0.tsv",
	"FB-2010-paths": "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv",
}

// findTrace returns the file of the trace with this name, or why there is none.
func findTrace(name string) (file, missing string) {
	base, ok := published[name]
	if !ok {
		base = name
	}
	folder := os.Getenv(TracesVariable)
	if folder == "" {
		return "", "$" + TracesVariable + " does not say in which folder " + base + " lies"
	}
	file = filepath.Join(folder, base)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "", "there is no " + base + " in the folder $" + TracesVariable
	}
	return file, ""
}

// loadNamed reads a trace that is given by its name, or notes that the workload's else takes its place.
func loadNamed(s *Scenario) error {
	t := s.Workload.Trace
	file, missing := findTrace(t.Name)
	if missing == "" {
		var err error
		s.trace, err = readTrace(file, t.Format, t.Repair)
		return err
	}
	if s.Workload.Else == nil {
		return &strict.InputError{Err: strict.Locate(s.node, "workload.trace", []model.Problem{
			{Path: "name", Found: t.Name + ", but " + missing, Allowed: "a trace in that folder, or workload.else to take its place"}})}
	}
	s.missing = missing
	return nil
}

// NamedTrace returns the file of the trace that the scenario has by name; empty if it has none, or something stands in for
// it.
func (s *Scenario) NamedTrace() string {
	if s.trace == nil || s.Workload.Trace == nil || s.Workload.Trace.Name == "" {
		return ""
	}
	return s.trace.file
}

// StandIn says why the jobs are those of workload.else and not those of the trace that the scenario names; it
// is empty if they are not.
func (s *Scenario) StandIn() string {
	if s.missing == "" {
		return ""
	}
	return "without the trace " + s.Workload.Trace.Name + " (" + s.missing + ") the jobs are those of workload.else"
}

// generator returns what makes the jobs and where it is written down; nil if nothing is generated.
func generator(s *Scenario) (g *synth.Config, path string) {
	if s.missing != "" {
		return s.Workload.Else, "workload.else"
	}
	return s.Workload.Generate, "workload.generate"
}
