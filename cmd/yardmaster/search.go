// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/answers"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type searchCmd struct {
	scenarioFlags
	Over      []string `sep:"none" required:"" placeholder:"PATH=VALUES" help:"A parameter to search: policy.NAME.PARAMETER=VALUE,VALUE or with a range LOW..HIGH/N (repeatable)."`
	Objective string   `required:"" placeholder:"METRIC" help:"What should be best, such as v95_slowdown."`
	SubjectTo []string `sep:"none" placeholder:"RULE" help:"What must hold meanwhile, such as 'median_slowdown<=3' (repeatable)."`
	Seeds     *int     `placeholder:"N" help:"Repetitions of the last candidates, instead of the scenario's."`
	Format    string   `enum:"table,json" default:"table" help:"What to print: table or json (summary.json)."`
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
	found, err := search.Run(w.ctx)
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
		c.print(w, s, found, path)
	}
	if err == nil && !found.Best.Feasible {
		err = fmt.Errorf("no candidate keeps the rules; the nearest is %s", experiment.SettingsText(found.Best.Point.Settings))
	}
	return err
}

func (c *searchCmd) print(w *world, s *scenario.Scenario, r *experiment.SearchResult, path string) {
	fmt.Fprintf(w.out, "%s: %s\n\n", s.Name, r.Objective.String())
	for i, rung := range r.Rungs {
		fmt.Fprintf(w.out, "  step %d: %d candidates with %d repetitions\n", i+1, rung.Candidates, rung.Seeds)
	}
	fmt.Fprintf(w.out, "\nbest: %s\n\n", experiment.SettingsText(r.Best.Point.Settings))
	names := r.Objective.Names()
	rows := [][]string{append(append([]string{"setting"}, names...), "against the best", "rules")}
	row := func(m *experiment.Measured, note string) {
		cells := []string{experiment.SettingsText(m.Point.Settings)}
		for _, v := range m.Intervals {
			cells = append(cells, fmt.Sprintf("%.4g (%.4g .. %.4g)", v.Mean, v.Low, v.High))
		}
		kept := "kept"
		if !m.Feasible {
			kept = "broken"
		}
		rows = append(rows, append(cells, note, kept))
	}
	row(&r.Best, "")
	for i := range r.Neighbours {
		d := r.Neighbours[i].Difference
		row(&r.Neighbours[i], fmt.Sprintf("%+.1f %% (%+.1f .. %+.1f)", 100*d.Mean, 100*d.Low, 100*d.High))
	}
	console.Columns(w.out, rows)
	fmt.Fprintf(w.out, "\nmeans over %d repetitions that the choice did not see, with 95 %% intervals; results in %s\n", len(r.Seeds), path)
}
