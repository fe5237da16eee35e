// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// scenarioFlags are what all commands on a scenario have in common.
type scenarioFlags struct {
	Scenario string   `arg:"" optional:"" help:"Scenario file (YAML), or a result folder for the scenario that it was made from; the built-in one if left out."`
	Set      []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario, such as cluster.racks=10 (repeatable)."`
	Seed     *uint64  `help:"First seed, instead of the scenario's."`
	Out      string   `placeholder:"FOLDER" help:"Result folder; results/NAME if left out."`
	Check    bool     `help:"Verify all invariants while running (slower)."`
	Jobs     int      `short:"j" placeholder:"N" help:"Runs at a time; one per core if left out."`
	Quiet    bool     `short:"q" help:"No progress."`
}

// load reads the scenario with the settings given first and those of the command line.
func (f *scenarioFlags) load(w *world, settings ...strict.Setting) (*scenario.Scenario, []byte, error) {
	more, err := f.settings()
	if err != nil {
		return nil, nil, err
	}
	s, src, err := scenario.LoadOrBuiltin(f.Scenario, append(settings, more...))
	return warned(w, s, err), src, err
}

// warned prints what is legal in a scenario and may not be meant.
func warned(w *world, s *scenario.Scenario, err error) *scenario.Scenario {
	if err == nil {
		for _, text := range s.Warnings() {
			fmt.Fprintln(w.err, "yardmaster: warning:", text)
		}
	}
	return s
}

// settings returns those of the command line.
func (f *scenarioFlags) settings() ([]strict.Setting, error) {
	if f.Jobs < 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("--jobs %d: allowed: at least 1", f.Jobs)}
	}
	settings, err := parseSettings(f.Set)
	if f.Seed != nil {
		settings = append(settings, strict.Setting{Path: "seed", Value: fmt.Sprint(*f.Seed)})
	}
	return settings, err
}

// seedsOr returns the repetitions that a flag asks for, or otherwise those of the scenario.
func seedsOr(flag *int, otherwise int) (int, error) {
	if flag == nil {
		return otherwise, nil
	}
	if *flag < 1 || *flag > 10000 {
		return 0, &strict.InputError{Err: fmt.Errorf("--seeds %d: allowed: 1 to 10000", *flag)}
	}
	return *flag, nil
}

func parseSettings(list []string) (settings []strict.Setting, err error) {
	for _, text := range list {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return nil, &strict.InputError{Err: fmt.Errorf("--set %s: allowed: PATH=VALUE, such as cluster.racks=10", text)}
		}
		settings = append(settings, strict.Setting{Path: path, Value: value})
	}
	return settings, nil
}

// folder returns where results go.
func (f *scenarioFlags) folder(name string) string {
	if f.Out != "" {
		return f.Out
	}
	return filepath.Join("results", name)
}

// options returns the options of the runs, with progress on a terminal.
func (f *scenarioFlags) options(w *world) (experiment.Options, *progress) {
	p := newProgress(w, f.Quiet)
	return experiment.Options{Workers: f.Jobs, Check: f.Check, Progress: p.update}, p
}

// command returns the command line that repeats this one.
func (w *world) command() string { return result.CommandLine(w.args) }

// manifest describes a result folder.
func (f *scenarioFlags) manifest(w *world, kind string, s *scenario.Scenario, src []byte, policies []string, seeds []uint64) *result.Manifest {
	m := manifestOf(w, kind, s, src, f.Scenario, seeds)
	m.Policies = policies
	return m
}

// manifestOf describes a result folder that was made from the scenario in the file; without a name that is the built-in one.
func manifestOf(w *world, kind string, s *scenario.Scenario, src []byte, file string, seeds []uint64) *result.Manifest {
	inputs := map[string]string{cmp.Or(file, "built-in "+scenario.BuiltinFile): result.Hash(src)}
	maps.Copy(inputs, s.Inputs())
	return &result.Manifest{Yardmaster: version.String(), Kind: kind, Command: w.command(), Scenario: s.JSON(), Policies: []string{}, Seeds: seeds, Inputs: inputs}
}

// checkOut reports before a long run whether its answer may go to the folder, if there is to be one.
func checkOut(folder string) error {
	if folder == "" {
		return nil
	}
	return result.CheckFolder(folder)
}
