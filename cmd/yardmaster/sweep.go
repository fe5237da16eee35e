// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/streaming"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type sweepCmd struct {
	scenarioFlags
	Seeds             *int `placeholder:"N" help:"Repetitions at each point, instead of the scenario's."`
	streaming.Cluster `embed:""`
}

// Help implements kong's detailed help.
func (sweepCmd) Help() string {
	return `Examples:
  yardmaster sweep my.yaml --set policy=fifo,fair,delay --set cluster.racks=1,5,10
  yardmaster sweep --set 'policy={delay: {node-skips: 0}},{delay: {node-skips: 40}}' --seeds 5

Every --set with several values is a dimension of the grid. Finished runs are kept in
journal.jsonl of the result folder: the same command goes on where it was stopped or killed.
Writes sweep.csv (one row per run, in grid order), summary.json (means and intervals) and report.html.
Runs that differ by policy alone share their workload and how long its jobs take alone; with reference=false the latter is left out.

With --on hadoop the runs are maps of a Hadoop Streaming job, which the hadoop command submits. The results are the
same bytes, and a command that was killed finds what its job has ended meanwhile.`
}

// Run implements the command.
func (c *sweepCmd) Run(w *world) error {
	var axes []experiment.Axis
	for _, text := range c.Set {
		axis, err := experiment.ParseAxis(text)
		if err != nil {
			return err
		}
		axes = append(axes, axis)
	}
	if len(axes) == 0 {
		return &strict.InputError{Err: errors.New("sweep: nothing to sweep; allowed: at least one --set PATH=VALUE,VALUE")}
	}
	flags := c.scenarioFlags
	flags.Set = nil
	s, src, err := flags.load(w)
	if err != nil {
		return err
	}
	seeds, err := seedsOr(c.Seeds, s.Seeds)
	if err != nil {
		return err
	}
	grid, err := experiment.NewGrid(s, axes, seeds)
	if err != nil {
		return err
	}
	folder := c.folder(s.Name + "-sweep")
	journal, err := experiment.OpenJournal(folder, grid, version.String())
	if err != nil {
		return err
	}
	defer journal.Close()
	before := journal.Len()
	opt, progress := c.options(w)
	values, err := c.sweep(w, grid, journal, opt)
	progress.done()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped; %d of %d runs are kept in %s, the same command goes on from there", journal.Len(), grid.Runs(), folder)
	}
	if err != nil {
		return err
	}
	if err := c.write(w, grid, values, s, src, folder); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%s: %s x %s, %s done now, %d kept from before\n", s.Name, digits.Count(grid.Points(), "point"), digits.Count(seeds, "seed"), digits.Count(grid.Runs()-before, "run"), before)
	console.Points(w.out, grid.Summary(values), axes)
	fmt.Fprintf(w.out, "\nresults in %s\n", folder)
	return nil
}

// sweep runs what is missing, here or on a cluster.
func (c *sweepCmd) sweep(w *world, grid *experiment.Grid, journal *experiment.Journal, opt experiment.Options) ([][]float64, error) {
	if c.On != "hadoop" {
		return experiment.Sweep(w.ctx, grid, journal, opt)
	}
	settings, err := (&scenarioFlags{Seed: c.Seed}).settings()
	if err != nil {
		return nil, err
	}
	task := streaming.Task{Settings: settings, Axes: grid.Axes, Seeds: grid.Seeds, Check: c.Check}
	return (&streaming.Sweep{Cluster: c.Cluster, Task: task, Scenario: c.Scenario, Grid: grid, Journal: journal, Log: w.err, Name: "yardmaster sweep"}).Run(w.ctx)
}

func (c *sweepCmd) write(w *world, grid *experiment.Grid, values [][]float64, s *scenario.Scenario, src []byte, folder string) error {
	seeds := make([]uint64, grid.Seeds)
	for i := range seeds {
		seeds[i] = s.Seed + uint64(i)
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{result.SweepName, func(out io.Writer) error { return grid.WriteCSV(out, values) }},
		{result.SummaryName, result.JSON(grid.Summary(values))},
		{result.PageName, func(out io.Writer) error {
			page := answers.Sweep(s.Name, grid.Axes, grid.Summary(values), grid.Seeds)
			page.Version, page.Command = version.String(), w.command()
			return report.WriteAnswer(out, page)
		}},
		{result.ManifestName, result.JSON(c.manifest(w, "sweep", s, src, []string{}, seeds))},
	} {
		var b bytes.Buffer
		if err := f.write(&b); err != nil {
			return err
		}
		if err := result.WriteFile(filepath.Join(folder, f.name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
