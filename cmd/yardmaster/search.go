// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/streaming"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/result"
)

type searchCmd struct {
	scenarioFlags
	Over      []string `sep:"none" required:"" placeholder:"PATH=VALUES" help:"A parameter to search: policy.NAME.PARAMETER=VALUE,VALUE or with a range LOW..HIGH/N (repeatable)."`
	Objective string   `required:"" placeholder:"METRIC" help:"What should be best, such as v95_slowdown."`
	SubjectTo []string `sep:"none" placeholder:"RULE" help:"What must hold meanwhile, such as 'median_slowdown<=3' (repeatable)."`
	Seeds     *int     `placeholder:"N" help:"Repetitions of the last candidates, instead of the scenario's."`
	Format    string   `enum:"table,json" default:"table" help:"What to print: table or json (summary.json)."`

	streaming.Cluster `embed:""`
}

// Help implements kong's detailed help.
func (searchCmd) Help() string {
	return `Examples:
  yardmaster search my.yaml --over 'policy.fbq.limits=[2000s..40000s/8]' --objective v95_slowdown
  yardmaster search my.yaml --objective v95_slowdown --subject-to 'median_slowdown<=3' \
    --over 'policy.tags.capacities=[20%, 80%],[30%, 70%],[50%, 50%]' --over 'policy.tags.limits=[2000s..32000s/6]'
  yardmaster search --over policy.delay.node-wait=1s..60s/6 --objective mean_elapsed --seeds 8

Every combination of the values is a candidate. All meet the same workloads. Each is run twice, the
better half is run twice as often, and so on up to --seeds (successive halving). The best and its
neighbours are then run again with seeds that the choice did not see: their intervals do not flatter the
winner, and the differences, paired against it, show how much the setting matters around it.
For the queue settings of a capacity-scheduler.xml see capacity search.
With --on hadoop each step is a Hadoop Streaming job, with the same results; finished runs are kept in FOLDER-runs until
the end, and the same command goes on where it was stopped or killed.
A range LOW..HIGH/N stands for N values in equal ratios. Exit code 1 if no candidate keeps the rules.`
}

// Run implements the command.
func (c *searchCmd) Run(w *world) error {
	s, src, err := c.load(w)
	if err != nil {
		return err
	}
	var axes []experiment.Axis
	var errs []error
	for _, text := range c.Over {
		axis, err := experiment.ParseSpace(text)
		axes, errs = append(axes, axis), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &strict.InputError{Err: err}
	}
	objective, err := experiment.ParseObjective(s, c.Objective, c.SubjectTo)
	if err != nil {
		return err
	}
	seeds, err := seedsOr(c.Seeds, s.Seeds)
	if err != nil {
		return err
	}
	path := c.folder(s.Name + "-search")
	if err := result.CheckFolder(path); err != nil {
		return err
	}
	opt, progress := c.options(w)
	search := experiment.Search{Scenario: s, Axes: axes, Objective: objective, Seeds: seeds, Options: opt}
	found, err := c.search(w, &search, path)
	progress.done()
	if err != nil {
		return err
	}
	summary := found.Summary(s.Name)
	if err := answers.Write(path, c.manifest(w, "search", s, src, []string{}, found.Seeds), answers.Search(summary), result.SummaryName, summary); err != nil {
		return err
	}
	if c.Format == "json" {
		err = result.WriteJSON(w.out, summary)
	} else {
		console.Search(w.out, s.Name, found, path)
	}
	if err == nil && !found.Best.Feasible {
		err = fmt.Errorf("no candidate keeps the rules; the nearest is %s", experiment.SettingsText(found.Best.Point.Settings))
	}
	return err
}

// search searches here or on a cluster.
func (c *searchCmd) search(w *world, search *experiment.Search, path string) (*experiment.SearchResult, error) {
	if c.On != "hadoop" {
		return search.Run(w.ctx)
	}
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	there := streaming.Search{Cluster: c.Cluster, Task: streaming.Task{Settings: settings, Check: c.Check}, Scenario: c.Scenario, Folder: path + "-runs", Version: version.String(), Log: w.err}
	return there.Run(w.ctx, search)
}
