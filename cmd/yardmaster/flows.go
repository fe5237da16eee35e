// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/yardmaster/yardmaster/internal/flows"
	"github.com/yardmaster/yardmaster/internal/strict"
)

type flowsCmd struct {
	Input  string `arg:"" help:"File with one topology line and flow lines."`
	Digits int    `default:"6" help:"Significant digits of the times, 1 to 17."`
	Stats  bool   `help:"End with a line on stderr: run_s and run_cpu_s of the solving alone."`
}

// Help implements kong's detailed help.
func (flowsCmd) Help() string {
	return `Example:
  yardmaster flows flows.txt --digits=17 --stats

The file has the lines
  topology RACKS NODES_PER_RACK NODE_UP NODE_DOWN RACK_UP RACK_DOWN     (bytes/s)
  flow ID SRC DST BYTES START                                           (nodes from 0, seconds)
and the answer is a line "ID COMPLETION_TIME" for each flow, in the order of the file. Rates are
max-min fair at every moment.`
}

// Run implements the command.
func (c *flowsCmd) Run(w *world) error {
	if c.Digits < 1 || c.Digits > 17 {
		return &strict.InputError{Err: fmt.Errorf("--digits %d: allowed: 1 to 17", c.Digits)}
	}
	f, err := os.Open(c.Input)
	if err != nil {
		return &strict.InputError{Err: err}
	}
	defer f.Close()
	stats, err := flows.Run(f, w.out, flows.Options{Digits: c.Digits})
	if err != nil {
		return &strict.InputError{Err: fmt.Errorf("%s: %w", c.Input, err)}
	}
	if c.Stats {
		fmt.Fprintf(w.err, "run_s=%.6f run_cpu_s=%.6f flows=%d events=%d\n", stats.RunSeconds, stats.RunCPUSeconds, stats.Flows, stats.Events)
	}
	return nil
}
