// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/result"
)

type measureCmd struct {
	traceFlags
	outFlag
	On string `required:"" placeholder:"SCENARIO" help:"Scenario with the classes of machines, usually under durations: resources, and with the cost model that makes tasks of bytes."`
}

// Help implements kong's detailed help.
func (measureCmd) Help() string {
	return `Runs each job alone on the machines of each class of the scenario, at the
numbers that it has: choose them so that they cost the same. The trace that is
written has the mean lengths of tasks by class, and as the class of a job the
class of machines on which it ended first. Jobs that look alike run once. What
was measured is kept beside the trace, in FILE.measured, until the trace is
written: a command that was stopped goes on from there.

Examples:
  yardmaster workload measure FB-2010.tsv --on machines.yaml --out measured.csv`
}

// Run implements the command.
func (c *measureCmd) Run(w *world) error {
	s, err := (&siteFlags{On: c.On}).load()
	if err != nil {
		return err
	}
	t, err := c.traceFlags.load(w)
	if err != nil {
		return err
	}
	jobs, err := t.Jobs(s)
	if err != nil {
		return err
	}
	store, err := experiment.OpenMeasureLog(c.Out+".measured", s)
	if err != nil {
		return err
	}
	defer store.Close()
	taken, err := experiment.Measure(w.ctx, s, jobs, 0, store)
	if err != nil {
		return err
	}
	experiment.Label(jobs, taken)
	first := map[string]int{}
	for i := range jobs {
		r := &t.Records[i]
		r.ByClass, r.Class, r.Maps, r.Reduces = jobs[i].ByClass, jobs[i].Class, jobs[i].Maps, jobs[i].Reduces
		first[r.Class]++
	}
	if err := c.outFlag.write(w, t); err != nil {
		return err
	}
	for i := range s.Cluster.Classes {
		name := s.Cluster.Classes[i].Name
		fmt.Fprintf(w.out, "%d of them end first on %s\n", first[name], name)
	}
	return store.Remove()
}

type trainCmd struct {
	traceFlags
	Small string `default:"scale-up" help:"Class of the jobs that a decision value above 0 stands for."`
	Out   string `required:"" placeholder:"FILE" help:"File to write (JSON)."`
}

// Help implements kong's detailed help.
func (trainCmd) Help() string {
	return `Trains a classifier of jobs on a trace that workload measure wrote: a support
vector machine with a radial basis function on maps, reduces and shuffle data,
its settings chosen by 5-fold cross-validation over a grid of 5 by 5.

Examples:
  yardmaster workload train measured.csv --out model.json`
}

// Run implements the command.
func (c *trainCmd) Run(w *world) error {
	t, err := c.traceFlags.load(w)
	if err != nil {
		return err
	}
	model, cells, err := experiment.Train(w.ctx, t.Records, c.Small, 0)
	if err != nil {
		return err
	}
	b, err := model.Encode()
	if err != nil {
		return err
	}
	if err := result.WriteFile(c.Out, b); err != nil {
		return err
	}
	rows := [][]string{{"C", "gamma", "right"}}
	for _, cell := range cells {
		rows = append(rows, []string{fmt.Sprint(cell.C), fmt.Sprint(cell.Gamma), fmt.Sprintf("%.2f %%", 100*cell.Accuracy)})
	}
	console.Columns(w.out, rows)
	fmt.Fprintf(w.out, "\n%d jobs, C %g, gamma %g: %.2f %% right in cross-validation, %d support vectors, written to %s\n",
		model.Points, model.C, model.Machine.Gamma, 100*model.Validated, len(model.Machine.Support), c.Out)
	return nil
}
