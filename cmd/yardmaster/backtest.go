// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

type backtestCmd struct {
	History string   `arg:"" help:"Job history (.jhist, a folder of them with the _conf.xml of their jobs, Rumen JSON), or Yardmaster's own CSV with the columns waited and elapsed."`
	Conf    string   `placeholder:"DIR" help:"Configuration folder of YARN 3 that the cluster ran with."`
	Nodes   string   `placeholder:"FILE" help:"Racks and nodes of the cluster, in SLS's format, instead of the scenario's."`
	Measure bool     `name:"measured" help:"Take the launch of application masters from the history too, and print what was measured (with --conf)."`
	Config  string   `placeholder:"FILE.xml" help:"capacity-scheduler.xml of a Hadoop 1 cluster, instead of --conf."`
	On      string   `placeholder:"SCENARIO" help:"Scenario whose cluster, heartbeat and duration model are used; the built-in one if left out."`
	Set     []string `sep:"none" placeholder:"PATH=VALUE" help:"Change one field of the scenario, such as workload.trace.repair=true (repeatable)."`
	Seeds   *int     `placeholder:"N" help:"Repetitions, instead of the scenario's."`
	Jobs    int      `short:"j" placeholder:"N" help:"Runs at a time; one per core if left out."`
	Quiet   bool     `short:"q" help:"No progress."`
	Out     string   `placeholder:"FOLDER" help:"Also write a page and backtest.json to this folder."`
	Format  string   `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (backtestCmd) Help() string {
	return `Examples:
  yardmaster backtest yesterday.jhist --config capacity-scheduler.xml --on my.yaml
  yardmaster backtest history/done --conf etc/hadoop --nodes nodes.json
  yardmaster backtest jobs.csv --config capacity-scheduler.xml --on my.yaml --seeds 20 --format json

Runs the jobs of a history under the settings that the cluster had, and holds the waiting and elapsed
times that come out against those that the history tells, by queue. It says how far to trust a what-if
on that history: compare --capacity prints the same above its results.`
}

// Run implements the command.
func (c *backtestCmd) Run(w *world) error {
	if err := checkOut(c.Out); err != nil {
		return err
	}
	given, err := c.given(w)
	settings, err2 := parseSettings(c.Set)
	if err := errors.Join(err, err2); err != nil {
		return &strict.InputError{Err: err}
	}
	s, src, err := scenario.LoadSite(c.History, c.On, append(given.settings, settings...))
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
	choices, err := given.choices(s)
	if err != nil {
		return err
	}
	if err := c.measured(w, s, choices); err != nil {
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
	if c.Out != "" {
		answer := &answers.BacktestAnswer{Rows: rows, Jobs: b.Jobs(len(compared.Seeds))}
		m := manifestOf(w, "backtest", s, src, c.History, compared.Seeds)
		if err := answers.Write(c.Out, m, answers.Backtest(s.Name, cmp.Or(c.Conf, c.Config), answer), result.BacktestName, answer); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		err = result.WriteJSON(w.out, rows)
	} else {
		fmt.Fprintf(w.out, "%s under %s, %s\n\n", s.Name, cmp.Or(c.Conf, c.Config), digits.Count(len(compared.Seeds), "repetition"))
		console.Backtest(w.out, rows)
	}
	if err == nil && compared.Stopped {
		err = fmt.Errorf("stopped after %d of %d repetitions", len(compared.Seeds), seeds)
	}
	return err
}

// given is the configuration that the history is held against.
type given struct {
	settings []strict.Setting // of the scenario, that follow from it
	choices  func(*scenario.Scenario) ([]scenario.PolicyChoice, error)
}

func (c *backtestCmd) given(w *world) (*given, error) {
	if (c.Conf == "") == (c.Config == "") {
		return &given{}, errors.New("allowed: one of --conf DIR (YARN 3) and --config FILE.xml (Hadoop 1)")
	}
	if c.Config != "" {
		if c.Nodes != "" {
			return &given{}, fmt.Errorf("--nodes %s: allowed only with --conf", c.Nodes)
		}
		files, err := loadCapacity(w, c.Config)
		hintYarn(w, files)
		return &given{choices: func(s *scenario.Scenario) ([]scenario.PolicyChoice, error) { return advise.CapacityChoices(s, files) }}, err
	}
	sites, err := loadYarn(w, c.Conf)
	if err != nil {
		return &given{}, err
	}
	g := &given{settings: sites[0].Settings()}
	g.choices = func(s *scenario.Scenario) ([]scenario.PolicyChoice, error) { return yarnChoices(w, s, sites) }
	if c.Nodes != "" {
		more, err := sites[0].NodeSettings(c.Nodes)
		if err != nil {
			return g, err
		}
		g.settings = append(g.settings, more...)
	}
	return g, nil
}

// measured lets masters be launched as in the history, if that is wanted.
func (c *backtestCmd) measured(w *world, s *scenario.Scenario, choices []scenario.PolicyChoice) error {
	if !c.Measure {
		return nil
	}
	config, ok := choices[0].Params.(*handover.Config)
	if !ok {
		return &strict.InputError{Err: errors.New("--measured: allowed only with --conf")}
	}
	m, err := advise.MeasureMasters(s.Records())
	if err != nil {
		return err
	}
	config.MasterLaunch, config.Start = m.Launch, m.Start
	fmt.Fprintln(w.err, m)
	return nil
}
