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
as before. The search is that of the command search: successive halving on common random numbers; the best and the
file as it is are then run again with seeds that the choice did not see. The file that is written is
the old one with the changed values, comments and all. Exit code 1, and no file, if no candidate keeps
the rules.`
}

// Run implements the command.
func (c *capacitySearchCmd) Run(w *world) error {
	if c.Workload == "" {
		return &strict.InputError{Err: errors.New("missing --workload; allowed: a scenario, trace or job history")}
	}
	s, _, f, err := c.load(w)
	if err != nil {
		return err
	}
	axes, err := c.axes(f)
	if err != nil {
		return err
	}
	objective, err := experiment.ParseObjective(s, c.Objective, c.SubjectTo)
	if err != nil {
		return err
	}
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
	found, err := advise.SearchCapacity(w.ctx, f, experiment.Search{Scenario: s, Axes: axes, Objective: objective, Seeds: seeds,
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
		c.print(w, s, found, written)
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

// axes returns the space to search.
func (c *capacitySearchCmd) axes(f *advise.CapacityFile) (axes []experiment.Axis, err error) {
	if len(c.Over) == 0 {
		return advise.CapacityAxes(&f.Config), nil
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

func (c *capacitySearchCmd) print(w *world, s *scenario.Scenario, r *advise.CapacitySearch, written string) {
	fmt.Fprintf(w.out, "%s on %s: %s\n\n", c.File, s.Name, r.Objective.String())
	for i, rung := range r.Rungs {
		fmt.Fprintf(w.out, "  step %d: %d candidates with %d repetitions\n", i+1, rung.Candidates, rung.Seeds)
	}
	if r.Skipped > 0 {
		fmt.Fprintf(w.out, "  %d combinations left out, which the scheduler refuses\n", r.Skipped)
	}
	rows := [][]string{append(append([]string{"settings"}, r.Objective.Names()...), "against the best", "rules")}
	row := func(name string, m *experiment.Measured, note string) {
		cells := []string{name}
		for _, v := range m.Intervals {
			cells = append(cells, fmt.Sprintf("%.4g (%.4g .. %.4g)", v.Mean, v.Low, v.High))
		}
		rows = append(rows, append(cells, note, map[bool]string{true: "kept", false: "broken"}[m.Feasible]))
	}
	against := func(m *experiment.Measured) string {
		return fmt.Sprintf("%+.1f %% (%+.1f .. %+.1f)", 100*m.Difference.Mean, 100*m.Difference.Low, 100*m.Difference.High)
	}
	row("best: "+advise.CapacitySettingsText(r.Best.Point.Settings), &r.Best, "")
	row("the file as it is", &r.Old, against(&r.Old))
	for i := range r.Neighbours {
		row(advise.CapacitySettingsText(r.Neighbours[i].Point.Settings), &r.Neighbours[i], against(&r.Neighbours[i]))
	}
	fmt.Fprintln(w.out)
	console.Columns(w.out, rows)
	fmt.Fprintf(w.out, "\nmeans over %d repetitions that the choice did not see, with 95 %% intervals\n", len(r.Seeds))
	switch {
	case len(r.Edits) == 0:
		fmt.Fprintf(w.out, "\nnothing beats the file as it is; no file is written\n")
		return
	case !r.Old.Difference.ExcludesZero():
		fmt.Fprintf(w.out, "\nthe gain over the file as it is may be chance: its interval includes zero\n")
	}
	fmt.Fprintf(w.out, "\nchanges\n")
	for _, e := range r.Edits {
		if e.Old != "" {
			fmt.Fprintf(w.out, "  - %s = %s\n", e.Property, e.Old)
		}
		fmt.Fprintf(w.out, "  + %s = %s\n", e.Property, e.New)
	}
	if written != "" {
		fmt.Fprintf(w.out, "\nwritten to %s\n", written)
	}
}
