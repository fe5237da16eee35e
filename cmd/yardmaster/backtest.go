// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type backtestCmd struct {
	History string   `arg:"" help:"Job history (.jhist, a folder of them with the _conf.xml of their jobs, Rumen JSON), or Yardmaster's own CSV with the columns waited and elapsed."`
	Config  string   `required:"" placeholder:"FILE.xml" help:"capacity-scheduler.xml that the cluster ran with."`
	On      string   `placeholder:"SCENARIO" help:"Scenario whose cluster, heartbeat and duration model are used; the built-in one if left out."`
	Set     []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario, such as workload.trace.repair=true (repeatable)."`
	Seeds   *int     `placeholder:"N" help:"Repetitions, instead of the scenario's."`
	Jobs    int      `short:"j" placeholder:"N" help:"Runs at a time; one per core if left out."`
	Quiet   bool     `short:"q" help:"No progress."`
	Format  string   `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (backtestCmd) Help() string {
	return `Examples:
  yardmaster backtest yesterday.jhist --config capacity-scheduler.xml --on my.yaml
  yardmaster backtest jobs.csv --config capacity-scheduler.xml --on my.yaml --seeds 20 --format json

Runs the jobs of a history under the settings that the cluster had, and holds the waiting and elapsed
times that come out against those that the history tells, by queue. It says how far to trust a what-if
on that history: compare --capacity prints the same above its results.`
}

// Run implements the command.
func (c *backtestCmd) Run(w *world) error {
	files, err := loadCapacity(w, c.Config)
	settings, err2 := parseSettings(c.Set)
	if err := errors.Join(err, err2); err != nil {
		return &strict.InputError{Err: err}
	}
	s, _, err := scenario.LoadSite(c.History, c.On, settings)
	if err != nil {
		return err
	}
	for _, r := range s.Repairs() {
		fmt.Fprintf(w.err, "%s: %s\n", c.History, r)
	}
	seeds, err := seedsOr(c.Seeds, s.Seeds)
	if err != nil {
		return err
	}
	choices, err := advise.CapacityChoices(s, files)
	if err != nil {
		return err
	}
	b, err := advise.NewBacktest(s, seeds)
	if err != nil {
		return err
	}
	s.Reference = false
	p := newProgress(w, c.Quiet)
	compared, err := experiment.Compare(w.ctx, s, choices, seeds, nil, experiment.Options{Workers: c.Jobs, Progress: p.update, Observe: b.Observe})
	p.done()
	if err != nil {
		return err
	}
	rows := b.Rows(len(compared.Seeds))
	if c.Format == "json" {
		err = result.WriteJSON(w.out, rows)
	} else {
		fmt.Fprintf(w.out, "%s under %s, %d repetitions\n\n", s.Name, c.Config, len(compared.Seeds))
		printBacktest(w.out, rows)
	}
	if err == nil && compared.Stopped {
		err = fmt.Errorf("stopped after %d of %d repetitions", len(compared.Seeds), seeds)
	}
	return err
}
