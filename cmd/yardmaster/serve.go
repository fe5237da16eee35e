// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/serve"
)

type serveCmd struct {
	Dir  string `arg:"" optional:"" default:"." help:"Folder whose results are shown and where new ones go; the current one if left out."`
	Port int    `placeholder:"N" help:"Port of the loopback address; any free one if left out."`
}

// Help implements kong's detailed help.
func (serveCmd) Help() string {
	return `Examples:
  yardmaster serve
  yardmaster serve results --port 8080

Prints a URL with a random token; the page behind it lists the results below the folder, shows their
reports, puts two side by side, has all jobs in a table, explains a job, and runs what-ifs. Every view
shows the command line that makes it. It listens on 127.0.0.1 alone and asks nothing of any other host.
Ctrl-C ends it, and a run that is not done leaves nothing behind.`
}

// Run implements the command.
func (c *serveCmd) Run(w *world) error {
	b, err := serve.New(w.ctx, c.Dir, c.Port, command)
	if err != nil {
		return &strict.InputError{Err: err}
	}
	fmt.Fprintln(w.out, b.URL())
	return b.Serve(w.ctx)
}

// command runs a command line for the workbench.
func command(ctx context.Context, args []string, out io.Writer, watch func(experiment.Progress)) error {
	return invoke(&world{ctx: ctx, out: out, err: out, args: args, watch: watch})
}
