// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/strict"
)

type capacityTuneCmd struct {
	capacitySite
	Objective string   `required:"" placeholder:"METRIC" help:"What should be best, such as mean_elapsed or prod.p95_wait."`
	SubjectTo []string `sep:"none" placeholder:"RULE" help:"What must hold meanwhile, such as 'dev.mean_elapsed<=300' (repeatable)."`
	Over      []string `sep:"none" placeholder:"SETTING=VALUES" help:"A setting to search; user limits, maxima and the largest queue's capacity if left out (repeatable)."`
	Seeds     *int     `placeholder:"N" help:"Repetitions of the last candidates, instead of the scenario's."`
	Out       string   `placeholder:"FILE" help:"File to write; NAME.tuned.xml beside the working folder's files if left out."`
	Jobs      int      `short:"j" placeholder:"N" help:"Runs at a time; one a core if left out."`
	Quiet     bool     `short:"q" help:"No progress."`
	Format    string   `enum:"table,json" default:"table" help:"What to print: table or json."`
}

// Help implements kong's detailed help.
func (capacityTuneCmd) Help() string {
	return `Examples:
  yardmaster capacity tune capacity-scheduler.xml --workload my.yaml --objective mean_elapsed
  yardmaster capacity tune old.xml --workload history.jhist --on my.yaml --objective prod.p95_wait \
    --subject-to 'dev.mean_elapsed<=600' --out new.xml
  yardmaster capacity tune old.xml --workload my.yaml --objective mean_response_ratio \
    --over 'queue.prod.capacity=50,60,70' --over 'minimum-user-limit-percent=keep,25' --over 'maximum-capacity=keep,capacity,none'

A setting is one of capacity, maximum-capacity, minimum-user-limit-percent, user-limit-factor and
supports-priority, of all queues or of one (queue.NAME.SETTING). keep leaves it as it is in the file; a
maximum may also be capacity or none. Where the capacity of a queue is given, the others share the rest
as before. The search is that of tune: successive halving on common random numbers; the best and the
file as it is are then run again with seeds that the choice did not see. The file that is written is
the old one with the changed values, comments and all. Exit code 1, and no file, if no candidate keeps
the rules.`
}

// capacityTuneSummary is what --format json prints.
type capacityTuneSummary struct {
	File       string                `json:"file"`
	Written    string                `json:"written,omitempty"`
	Objective  string                `json:"objective"`
	Rungs      []experiment.Rung     `json:"rungs"`
	Skipped    int                   `json:"skipped"`
	Best       map[string][3]float64 `json:"best"` // mean, low, high by metric
	Old        map[string][3]float64 `json:"old"`
	Difference [3]float64            `json:"difference"` // of the objective, old against best: mean, low, high; 0.1 is 10 % more
	Feasible   bool                  `json:"feasible"`
	Changes    []capacityxml.Change  `json:"changes"`
	Seeds      []uint64              `json:"seeds"`
}

// Run implements the command.
func (c *capacityTuneCmd) Run(w *world) error {
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
		out = strings.TrimSuffix(base, filepath.Ext(base)) + ".tuned.xml"
	}
	if same(out, c.File) {
		return &strict.InputError{Err: fmt.Errorf("--out %s: allowed: another file than the one that is read", out)}
	}
	p := newProgress(w, c.Quiet)
	past := newPast(s, seeds)
	t, err := experiment.TuneCapacity(w.ctx, s, f, axes, objective, seeds, experiment.Options{Workers: c.Jobs, Progress: p.update, Observe: past.observe})
	p.done()
	if err != nil {
		return err
	}
	written := ""
	if t.Best.Feasible && len(t.Edits) > 0 {
		if err := experiment.WriteFile(out, t.XML); err != nil {
			return err
		}
		written = out
	}
	if c.Format == "json" {
		err = experiment.WriteJSON(w.out, c.summary(t, written))
	} else {
		past.print(w)
		c.print(w, s, t, written)
	}
	if err == nil && !t.Best.Feasible {
		err = fmt.Errorf("no candidate keeps the rules; the nearest is %s", experiment.CapacitySettingsText(t.Best.Settings))
	}
	return err
}

func same(a, b string) bool {
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && x == y
}

// axes returns the space to search.
func (c *capacityTuneCmd) axes(f *experiment.CapacityFile) (axes []experiment.Axis, err error) {
	if len(c.Over) == 0 {
		return experiment.CapacityAxes(&f.Config), nil
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

func (c *capacityTuneCmd) summary(t *experiment.CapacityTuning, written string) *capacityTuneSummary {
	d := t.Old.Difference
	out := &capacityTuneSummary{File: c.File, Written: written, Objective: t.Objective.String(), Rungs: t.Rungs, Skipped: t.Skipped, Feasible: t.Best.Feasible,
		Best: map[string][3]float64{}, Old: map[string][3]float64{}, Difference: [3]float64{d.Mean, d.Low, d.High}, Changes: t.Edits, Seeds: t.Seeds}
	if out.Changes == nil {
		out.Changes = []capacityxml.Change{}
	}
	for i, name := range t.Objective.Names() {
		b, o := t.Best.Intervals[i], t.Old.Intervals[i]
		out.Best[name], out.Old[name] = [3]float64{b.Mean, b.Low, b.High}, [3]float64{o.Mean, o.Low, o.High}
	}
	return out
}

func (c *capacityTuneCmd) print(w *world, s *experiment.Scenario, t *experiment.CapacityTuning, written string) {
	fmt.Fprintf(w.out, "%s on %s: %s\n\n", c.File, s.Name, t.Objective.String())
	for i, r := range t.Rungs {
		fmt.Fprintf(w.out, "  step %d: %d candidates with %d repetitions\n", i+1, r.Candidates, r.Seeds)
	}
	if t.Skipped > 0 {
		fmt.Fprintf(w.out, "  %d combinations left out, which the scheduler refuses\n", t.Skipped)
	}
	rows := [][]string{append(append([]string{"settings"}, t.Objective.Names()...), "against the best", "rules")}
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
	row("best: "+experiment.CapacitySettingsText(t.Best.Settings), &t.Best, "")
	row("the file as it is", &t.Old, against(&t.Old))
	for i := range t.Neighbours {
		row(experiment.CapacitySettingsText(t.Neighbours[i].Settings), &t.Neighbours[i], against(&t.Neighbours[i]))
	}
	fmt.Fprintln(w.out)
	printColumns(w.out, rows)
	fmt.Fprintf(w.out, "\nmeans over %d repetitions that the choice did not see, with 95 %% intervals\n", len(t.Seeds))
	switch {
	case len(t.Edits) == 0:
		fmt.Fprintf(w.out, "\nnothing beats the file as it is; no file is written\n")
		return
	case !t.Old.Difference.ExcludesZero():
		fmt.Fprintf(w.out, "\nthe gain over the file as it is may be chance: its interval includes zero\n")
	}
	fmt.Fprintf(w.out, "\nchanges\n")
	for _, e := range t.Edits {
		if e.Old != "" {
			fmt.Fprintf(w.out, "  - %s = %s\n", e.Property, e.Old)
		}
		fmt.Fprintf(w.out, "  + %s = %s\n", e.Property, e.New)
	}
	if written != "" {
		fmt.Fprintf(w.out, "\nwritten to %s\n", written)
	}
}
