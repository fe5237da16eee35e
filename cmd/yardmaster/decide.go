// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/yardmaster/yardmaster/internal/decide"
	"github.com/yardmaster/yardmaster/internal/strict"
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
	if len(c.Steps) > 1 && c.Output == "" {
		return &strict.InputError{Err: strict.Errors{{Problem: "several files of steps", Allowed: "one, or --output FOLDER"}}}
	}
	for _, name := range c.Steps {
		if err := c.decide(w, name); err != nil {
			return err
		}
	}
	return nil
}

func (c *decideCmd) decide(w *world, name string) (err error) {
	src, err := scenario.ReadInput(name)
	if err != nil {
		return err
	}
	out := w.out
	if c.Output != "" {
		base := filepath.Base(name)
		f, err := os.Create(filepath.Join(c.Output, base[:len(base)-len(filepath.Ext(base))]+".out"))
		if err != nil {
			return err
		}
		defer func() {
			if e := f.Close(); err == nil {
				err = e
			}
		}()
		out = f
	}
	warn := func(text string) { fmt.Fprintf(w.err, "%s: %s\n", name, text) }
	if err := decide.Run(name, src, decide.World{Open: scenario.ReadInput, Out: out, Warn: warn}); err != nil {
		return &strict.InputError{Err: err}
	}
	return nil
}
