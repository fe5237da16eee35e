// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/internal/decide"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type decideCmd struct {
	Steps  []string `arg:"" name:"steps.json" help:"Files of steps; several need --output."`
	Output string   `short:"o" help:"Folder for one NAME.out for each NAME.json; standard output without it."`
}

// Help implements kong's detailed help.
func (decideCmd) Help() string {
	return `Replays a configuration, nodes and timed steps through YARN's Capacity Scheduler (release 3.4.1) and prints every
decision, one on a line, in the format of the oracle, which asks the real one: oracle/README.md.

Example steps.json:
  { "conf": {"yarn.scheduler.capacity.root.queues": "prod,dev",
             "yarn.scheduler.capacity.root.prod.capacity": "60",
             "yarn.scheduler.capacity.root.dev.capacity": "40"},
    "nodes": [{"name": "n1", "rack": "/r1", "mem": 8192, "vc": 8}],
    "steps": [{"op": "submit", "app": 1, "queue": "root.dev", "user": "alice"},
              {"op": "hb", "t": 1000, "node": "n1"},
              {"op": "dump"}] }

  yardmaster decide steps.json
  1 0 activate queue=root.dev user=alice app=1 att=1 prio=0
  2 1000 allocate node=n1 queue=root.dev user=alice app=1 att=1 c=1 prio=0 mem=1024 vc=1 loc=any
  ...`
}

// Run implements the command.
func (c *decideCmd) Run(w *world) error {
	switch {
	case c.Output != "":
		return c.writeAll(w)
	case len(c.Steps) > 1:
		return &strict.InputError{Err: strict.Errors{{Problem: "several files of steps", Allowed: "one, or --output FOLDER"}}}
	}
	return replaySteps(w, c.Steps[0], w.out)
}

// writeAll writes the decisions of all files into the folder, or nothing if one of them is refused.
func (c *decideCmd) writeAll(w *world) error {
	var faults []error
	from := map[string]string{} // names of inputs by those of outputs
	texts := make([]bytes.Buffer, len(c.Steps))
	for i, name := range c.Steps {
		out := outName(name)
		if before, twice := from[out]; twice {
			faults = append(faults, strict.Errors{{Pos: strict.Pos{File: name}, Path: "--output", Problem: "two files of steps for " + out,
				Found: before + " before it", Allowed: "one file of each name, whatever its folder and ending"}})
		}
		from[out] = name
		if err := replaySteps(w, name, &texts[i]); err != nil {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return &strict.InputError{Err: err}
	}
	if err := os.MkdirAll(c.Output, 0o777); err != nil {
		return err
	}
	for i, name := range c.Steps {
		if err := result.WriteFile(filepath.Join(c.Output, outName(name)), texts[i].Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// outName returns the name of the output for a file of steps.
func outName(steps string) string {
	base := filepath.Base(steps)
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".out"
}

// replaySteps prints the decisions of one file. An error is the input's fault.
func replaySteps(w *world, name string, out io.Writer) error {
	src, err := scenario.ReadInput(name)
	if err != nil {
		return err
	}
	warn := func(text string) { fmt.Fprintf(w.err, "%s: %s\n", name, text) }
	err = decide.Run(name, src, decide.World{Open: scenario.ReadInput, Out: out, Warn: warn})
	var faults strict.Errors
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &faults): // it is about a file that this one names
		err = fmt.Errorf("%s: %w", name, err)
	}
	return &strict.InputError{Err: err}
}
