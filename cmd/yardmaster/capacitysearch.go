// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type capacitySearchCmd struct {
	capacitySite
	Objective string   `required:"" placeholder:"METRIC" help:"What should be best, such as mean_elapsed or prod.p95_wait."`
	SubjectTo []string `sep:"none" placeholder:"RULE" help:"What must hold meanwhile, such as 'dev.mean_elapsed<=300' (repeatable)."`
	Over      []string `sep:"none" placeholder:"SETTING=VALUES" help:"A setting to search; user limits, maxima and the largest queue's capacity if left out (repeatable)."`
	Seeds     *int     `placeholder:"N" help:"Repetitions of the last candidates, instead of the scenario's."`
	Out       string   `placeholder:"FILE" help:"File to write; NAME.best.xml in the working folder if left out."`
	Jobs      int      `short:"j" placeholder:"N" help:"Runs at a time; one per core if left out."`
	Quiet     bool     `short:"q" help:"No progress."`
	Format    string   `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (capacitySearchCmd) Help() string {
	return `Examples:
  yardmaster capacity search capacity-scheduler.xml --workload my.yaml --objective mean_elapsed
  yardmaster capacity search old.xml --workload history.jhist --on my.yaml --objective prod.p95_wait \
    --subject-to 'dev.mean_elapsed<=600' --out new.xml
  yardmaster capacity search old.xml --workload my.yaml --objective mean_response_ratio \
    --over 'queue.prod.capacity=50,60,70' --over 'minimum-user-limit-percent=keep,25' --over 'maximum-capacity=keep,capacity,none'

A setting is one of capacity, maximum-capacity, minimum-user-limit-percent, user-limit-factor and
supports-priority, of all queues or of one (queue.NAME.SETTING). keep leaves it as it is in the file; a
maximum may also be capacity or none. Where the capacity of a queue is given, the others share the rest
as before. Under YARN's rules (a file of YARN or a configuration folder, cluster.room: yarn) settings are also
maximum-am-resource-percent and ordering-policy, and of the scheduler per-node-heartbeat.maximum-offswitch-assignments
and node-locality-delay; queues are named by path. The search is that of the command search: successive halving on common random numbers; the best and the
file as it is are then run again with seeds that the choice did not see. The file that is written is
the old one with the changed values, comments and all. Exit code 1, and no file, if no candidate keeps
the rules.`
}

// Run implements the command.
func (c *capacitySearchCmd) Run(w *world) error {
	if c.Workload == "" {
		return &strict.InputError{Err: errors.New("missing --workload; allowed: a scenario, trace or job history")}
	}
	s, axes, search, err := c.searcher(w)
	if err != nil {
		return err
	}
	objective, err := experiment.ParseObjective(s, c.Objective, c.SubjectTo)
	if err != nil {
		return err
	}
	objective.Fewest(metrics.Query{Metric: "refused"})
	seeds, err := seedsOr(c.Seeds, s.Seeds)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		base := filepath.Base(c.File)
		out = strings.TrimSuffix(base, filepath.Ext(base)) + ".best.xml"
	}
	if same(out, c.File) {
		return &strict.InputError{Err: fmt.Errorf("--out %s: allowed: another file than the one that is read", out)}
	}
	p := newProgress(w, c.Quiet)
	past := newPast(s, seeds)
	found, err := search(experiment.Search{Scenario: s, Axes: axes, Objective: objective, Seeds: seeds,
		Options: experiment.Options{Workers: c.Jobs, Progress: p.update, Observe: past.observe}})
	p.done()
	if err != nil {
		return err
	}
	written := ""
	if found.Best.Feasible && len(found.Edits) > 0 {
		if err := result.WriteFile(out, found.XML); err != nil {
			return err
		}
		written = out
	}
	if c.Format == "json" {
		err = result.WriteJSON(w.out, found.Summary(c.File, written))
	} else {
		past.print(w)
		console.CapacitySearch(w.out, c.File, s.Name, found, written)
	}
	if err == nil && !found.Best.Feasible {
		err = fmt.Errorf("no candidate keeps the rules; the nearest is %s", advise.CapacitySettingsText(found.Best.Point.Settings))
	}
	return err
}

func same(a, b string) bool {
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && x == y
}

// searched is what a search found.
type searched = advise.CapacitySearch

// searcher returns the workload, the space to search, and what searches it.
func (c *capacitySearchCmd) searcher(w *world) (*scenario.Scenario, []experiment.Axis, func(experiment.Search) (*searched, error), error) {
	site, err := c.yarn(w)
	if err != nil {
		return nil, nil, nil, err
	}
	if site != nil {
		axes, err := c.axes(site.Axes())
		return site.Scenario, axes, func(q experiment.Search) (*searched, error) { return searchYarn(w, site, c.File, q) }, err
	}
	s, _, f, err := c.load(w)
	if err != nil {
		return nil, nil, nil, err
	}
	axes, err := c.axes(advise.CapacityAxes(&f.Config))
	return s, axes, func(q experiment.Search) (*searched, error) { return advise.SearchCapacity(w.ctx, f, q) }, err
}

// axes returns the space to search; usual is that of a command which names none.
func (c *capacitySearchCmd) axes(usual []experiment.Axis) (axes []experiment.Axis, err error) {
	if len(c.Over) == 0 {
		return usual, nil
	}
	var errs []error
	for _, text := range c.Over {
		axis, err := experiment.ParseSpace(text)
		axes, errs = append(axes, axis), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, &strict.InputError{Err: err}
	}
	return axes, nil
}
