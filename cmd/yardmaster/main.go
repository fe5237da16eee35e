// SPDX-License-Identifier: Apache-2.0

// Command yardmaster tells people who share a Hadoop cluster what a scheduling decision will do to
// their jobs, by simulating it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/memory"
	"github.com/yardmaster/yardmaster/internal/streaming"
	"github.com/yardmaster/yardmaster/internal/strict"
)

// Exit codes: done, the run failed, the input was refused.
const (
	exitDone = iota
	exitFailed
	exitRefused
)

// cli is the command line.
type cli struct {
	Run        runCmd        `cmd:"" help:"Simulate one scenario under one policy."`
	Compare    compareCmd    `cmd:"" help:"Run several policies on the same workloads and compare them."`
	Sweep      sweepCmd      `cmd:"" help:"Run a grid of settings; resumes where it was stopped."`
	Search     searchCmd     `cmd:"" help:"Search a policy's parameters for the best by simulation."`
	Explain    explainCmd    `cmd:"" help:"Tell where one job's time went, and what would have let it start earlier."`
	Reproduce  reproduceCmd  `cmd:"" help:"Regenerate published figures and compare them."`
	Capacity   capacityCmd   `cmd:"" help:"Explain, check and search settings of the Capacity Scheduler."`
	Backtest   backtestCmd   `cmd:"" help:"Hold a simulated job history against what happened."`
	Workload   workloadCmd   `cmd:"" help:"Describe, convert, generate, scale and slice workloads."`
	Goals      goalsCmd      `cmd:"" help:"Tell before a run which completion-time goals cannot be met or conflict."`
	Plan       planCmd       `cmd:"" help:"Plan recurring jobs, or which machines to buy."`
	Decide     decideCmd     `cmd:"" help:"Print what YARN's Capacity Scheduler decides, step by step."`
	SLS        slsCmd        `cmd:"" name:"sls" help:"Do what Hadoop's Scheduler Load Simulator does, in simulated time."`
	Flows      flowsCmd      `cmd:"" help:"Work out when flows over a network of racks end."`
	Live       liveCmd       `cmd:"" help:"Steer a real YARN cluster; a dry run unless told to apply."`
	Policies   policiesCmd   `cmd:"" help:"List the policies, or one with its parameters."`
	Serve      serveCmd      `cmd:"" help:"Open the workbench: results, jobs and what-ifs in the browser."`
	SweepTask  streaming.Map `cmd:"" hidden:"" help:"Run the runs of a sweep, a search or a reproduction whose numbers stand on the input; Hadoop starts it."`
	Docs       docsCmd       `cmd:"" hidden:"" help:"Write the generated reference pages."`
	Completion completionCmd `cmd:"" help:"Print a script that completes commands and flags in bash, zsh or fish."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}

// world is what a command may use of the world outside.
type world struct {
	ctx    context.Context
	out    io.Writer
	err    io.Writer
	isTerm bool // stderr is a terminal
	args   []string
	begun  atomic.Bool               // the command heeds ctx from now on
	leaves bool                      // the process may end before that
	watch  func(experiment.Progress) // hears of progress, if not nil
}

func main() {
	memory.Prepare()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	leave = func() {
		fmt.Fprintln(os.Stderr, "yardmaster: stopped")
		os.Exit(exitFailed)
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, console.IsTerminal(os.Stderr)))
}

// endsItself lists the commands that answer a signal by themselves from the first moment on; the others do when they
// have begun to run.
var endsItself = []string{"live", "serve", "sweep-task", "workload measure", "workload train"}

// abandon ends the process after a signal if the command is still reading its input, for example from a pipe that
// nobody writes to. Nothing has been written by then.
func (w *world) abandon() {
	if !w.begun.Load() {
		leave()
	}
}

// leave ends the process where there is one: run alone does not.
var leave = func() {}

// run is main without the process: arguments in, exit code out.
func run(ctx context.Context, args []string, out, errOut io.Writer, isTerm bool) int {
	checked := &console.Checked{Writer: out}
	err := invoke(&world{ctx: ctx, out: checked, err: errOut, isTerm: isTerm, args: args, leaves: true})
	if checked.Err != nil { // whatever the command made of it, it is not the input's fault
		err = fmt.Errorf("writing output: %w", checked.Err)
	}
	return exitCode(errOut, err)
}

// exited is what invoke returns where kong has printed what was asked for, or what is wrong with the arguments.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// invoke reads the arguments of w and runs the command that they name.
func invoke(w *world) (err error) {
	var c cli
	left := -1
	parser, err := kong.New(&c,
		kong.Name("yardmaster"),
		kong.Description("What will this scheduling decision do to my jobs? Simulates shared Hadoop clusters under many schedulers.\n\n"+
			"Without a scenario file, run and compare use a built-in Facebook-like mix on 100 nodes.\n\n"+
			"Exit codes: 0 done, 1 the run failed, 2 the input was refused."),
		kong.Writers(w.out, w.err),
		kong.Exit(func(code int) { left = code; panic(exitPanic{}) }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exitPanic); !ok {
				panic(r)
			}
			err = exited(left)
		}
	}()
	args := w.args
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if i := slices.IndexFunc(args, empty); i >= 0 {
		return &strict.InputError{Err: fmt.Errorf("argument %d, %s: empty; give a value or leave it out", i+1, strings.Join(args[max(i-1, 0):i+1], " ")+"''")}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return &strict.InputError{Err: err}
	}
	w.begun.Store(slices.ContainsFunc(endsItself, func(c string) bool { return strings.HasPrefix(parsed.Command(), c) }))
	if w.leaves {
		defer context.AfterFunc(w.ctx, w.abandon)()
	}
	return parsed.Run(w, &measure.Shell{Ctx: w.ctx, Out: w.out, Err: w.err})
}

// empty reports whether an argument is an empty text, as an unset variable of a shell leaves it.
func empty(arg string) bool {
	return arg == "" || strings.HasPrefix(arg, "--") && strings.Index(arg, "=") == len(arg)-1
}

// exitPanic leaves kong's help printing without ending the process.
type exitPanic struct{}

// exitCode prints the error and returns the exit code for it.
func exitCode(w io.Writer, err error) int {
	var input *strict.InputError
	var left exited
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &left):
		return int(left)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "yardmaster: stopped")
		return exitFailed
	case errors.As(err, &input):
		var faults strict.Errors
		if !errors.As(err, &faults) { // those begin with their file and line
			fmt.Fprint(w, "yardmaster: ")
		}
		fmt.Fprintln(w, err)
		return exitRefused
	}
	fmt.Fprintf(w, "yardmaster: %v\n", err)
	return exitFailed
}
