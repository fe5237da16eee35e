// SPDX-License-Identifier: Apache-2.0

// Package measure is the commands that measure jobs on kinds of machines, train a classifier of them and hold it against
// a trace, and the command that says how many machines of one kind to replace by another.
package measure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/rng"
	"github.com/yardmaster/yardmaster/scenario"
)

// Shell is what a command runs in.
type Shell struct {
	Ctx      context.Context
	Out, Err io.Writer
}

// Trace is the trace that a command reads.
type Trace struct {
	Trace  string `arg:"" help:"Trace file of any format that workload convert reads."`
	Format string `name:"trace-format" aliases:"format" placeholder:"NAME" help:"Format of the trace (--format is the same); recognised by its content if left out."`
	Repair bool   `help:"Repair what can be repaired, and list it, instead of refusing the file."`
}

// load reads the trace and lists what was repaired.
func (f *Trace) load(sh *Shell) (*scenario.Trace, error) {
	t, err := scenario.LoadTrace(f.Trace, f.Format, f.Repair)
	if err != nil {
		return nil, err
	}
	for _, r := range t.Repaired {
		fmt.Fprintf(sh.Err, "%s: %s\n", f.Trace, r)
	}
	return t, nil
}

// printColumns prints rows as columns.
func printColumns(out io.Writer, rows [][]string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for _, cell := range row {
			fmt.Fprint(w, "  ", cell, "\t")
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// Measure is the command workload measure.
type Measure struct {
	Trace `embed:""`
	Out   string `required:"" placeholder:"FILE" help:"File to write (Yardmaster's own CSV)."`
	On    string `required:"" placeholder:"SCENARIO" help:"Scenario with the classes of machines, usually under durations: resources, and with the cost model that makes tasks of bytes."`
}

// Help implements kong's detailed help.
func (Measure) Help() string {
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
func (c *Measure) Run(sh *Shell) error {
	s, _, err := scenario.LoadOrBuiltin(c.On, nil)
	if err != nil {
		return err
	}
	t, err := c.load(sh)
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
	taken, err := experiment.Measure(sh.Ctx, s, jobs, 0, store)
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
	b, err := t.CSV()
	if err == nil {
		err = result.WriteFile(c.Out, b)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(sh.Out, "%s written to %s\n", digits.Count(len(t.Records), "job"), c.Out)
	for i := range s.Cluster.Classes {
		name := s.Cluster.Classes[i].Name
		fmt.Fprintf(sh.Out, "%d of them end first on %s\n", first[name], name)
	}
	return store.Remove()
}

// Train is the command workload train.
type Train struct {
	Trace `embed:""`
	Small string `default:"scale-up" help:"Class of the jobs that a decision value above 0 stands for."`
	Out   string `required:"" placeholder:"FILE" help:"File to write (JSON)."`
}

// Help implements kong's detailed help.
func (Train) Help() string {
	return `Trains a classifier of jobs on a trace that workload measure wrote: a support
vector machine with a radial basis function on maps, reduces and shuffle data,
its settings chosen by 5-fold cross-validation over a grid of 5 by 5.

Examples:
  yardmaster workload train measured.csv --out model.json`
}

// Run implements the command.
func (c *Train) Run(sh *Shell) error {
	t, err := c.load(sh)
	if err != nil {
		return err
	}
	model, cells, err := experiment.Train(sh.Ctx, t.Records, c.Small, 0)
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
	printColumns(sh.Out, rows)
	fmt.Fprintf(sh.Out, "\n%s, C %g, gamma %g: %.2f %% right in cross-validation, %s, written to %s\n",
		digits.Count(model.Points, "job"), model.C, model.Machine.Gamma, 100*model.Validated, digits.Count(len(model.Machine.Support), "support vector"), c.Out)
	return nil
}

// Classify is the command workload classify.
type Classify struct {
	Trace     `embed:""`
	Model     string  `required:"" placeholder:"FILE" help:"Classifier that workload train wrote."`
	Recurring float64 `default:"1" help:"Share of the jobs that have run before, so that their shuffle data is known; that of others counts as 0."`
	Monotone  bool    `help:"As the parameter of hybrid: a job is small only if it is so without its shuffle data too, or with what its reduces suggest."`
	Page      string  `placeholder:"FILE" help:"Write a page with the classifier's map to this file (HTML)."`
	Stolen    string  `placeholder:"RESULT" help:"Mark the jobs on the map that were stolen in this run: a result folder with jobs.csv."`
}

// Help implements kong's detailed help.
func (Classify) Help() string {
	return `Holds a classifier against a trace that workload measure wrote: how many jobs of
each class it finds, and how many large ones it takes for small. Beside it stand two
simpler rules at their best, fitted to the same trace: a threshold on maps alone,
and the class whose mean is nearest.

Examples:
  yardmaster workload classify measured.csv --model model.json --recurring 0.5
  yardmaster workload classify measured.csv --model model.json --page map.html --stolen results/hybrid`
}

// Run implements the command.
func (c *Classify) Run(sh *Shell) error {
	t, err := c.load(sh)
	if err != nil {
		return err
	}
	src, err := scenario.ReadInput(c.Model)
	if err != nil {
		return err
	}
	model, err := svm.Decode(src, hybrid.Features...)
	if err != nil {
		return &strict.InputError{Err: fmt.Errorf("%s: %w", c.Model, err)}
	}
	draws := rng.New(0, rng.Assign)
	known := func(i int) bool { return float64(draws.Uint64(uint64(i), 0, 0)>>11)/(1<<53) < c.Recurring }
	found, err := experiment.Confuse(t.Records, model, known, c.Monotone)
	if err != nil {
		return err
	}
	printColumns(sh.Out, [][]string{{"", "called " + model.Positive, "called " + model.Negative},
		{"is " + model.Positive, fmt.Sprint(found.SmallSmall), fmt.Sprint(found.SmallLarge)},
		{"is " + model.Negative, fmt.Sprint(found.LargeSmall), fmt.Sprint(found.LargeLarge)}})
	fmt.Fprintf(sh.Out, "\n%.2f %% right; %.2f %% of the %s jobs are called %s\n", 100*found.Right(), 100*found.LargeCalledSmall(), model.Negative, model.Positive)
	limit, byMaps := threshold(t.Records, model.Positive)
	fmt.Fprintf(sh.Out, "up to %d maps as a rule: %.2f %% right; the class with the nearest mean: %.2f %% right\n", limit, 100*byMaps, 100*nearest(t.Records, model))
	if c.Page == "" {
		if c.Stolen != "" {
			return &strict.InputError{Err: fmt.Errorf("--stolen %s: marks jobs on a map; allowed: with --page FILE", c.Stolen)}
		}
		return nil
	}
	stolen, err := c.stolenJobs(sh, t.Records)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.WritePaper(&page, classifierPage(c.Trace.Trace, t.Records, model, &found, stolen)); err != nil {
		return err
	}
	return result.WriteFile(c.Page, page.Bytes())
}
