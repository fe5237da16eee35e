// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
)

type tuneCmd struct {
	scenarioFlags
	Over      []string `sep:"none" required:"" placeholder:"PATH=VALUES" help:"A parameter to search: policy.NAME.PARAMETER=VALUE,VALUE or with a range LOW..HIGH/N (repeatable)."`
	Objective string   `required:"" placeholder:"METRIC" help:"What should be best, such as v95_slowdown."`
	SubjectTo []string `sep:"none" placeholder:"RULE" help:"What must hold meanwhile, such as 'median_slowdown<=3' (repeatable)."`
	Seeds     *int     `placeholder:"N" help:"Repetitions of the last candidates, instead of the scenario's."`
	Format    string   `enum:"table,json" default:"table" help:"What to print: table or json (summary.json)."`
}

// Help implements kong's detailed help.
func (tuneCmd) Help() string {
	return `Examples:
  yardmaster tune my.yaml --over 'policy.fbq.limits=[2000s..40000s/8]' --objective v95_slowdown
  yardmaster tune my.yaml --objective v95_slowdown --subject-to 'median_slowdown<=3' \
    --over 'policy.tags.capacities=[20%, 80%],[30%, 70%],[50%, 50%]' --over 'policy.tags.limits=[2000s..32000s/6]'
  yardmaster tune --over policy.delay.node-wait=1s..60s/6 --objective mean_elapsed --seeds 8

Every combination of the values is a candidate. All meet the same workloads. Each is run twice, the
better half is run twice as often, and so on up to --seeds (successive halving). The best and its
neighbours are then run again with seeds that the choice did not see: their intervals do not flatter the
winner, and the differences, paired against it, show how much the setting matters around it.
For the queue settings of a capacity-scheduler.xml see capacity tune.
A range LOW..HIGH/N stands for N values in equal ratios. Exit code 1 if no candidate keeps the rules.`
}

// tuneSummary is summary.json of a search.
type tuneSummary struct {
	Scenario   string            `json:"scenario"`
	Objective  string            `json:"objective"`
	Rungs      []experiment.Rung `json:"rungs"`
	Best       tuneEntry         `json:"best"`
	Neighbours []tuneEntry       `json:"neighbours"`
	Seeds      []uint64          `json:"seeds"` // of best and neighbours
}

type tuneEntry struct {
	Settings   map[string]string     `json:"settings"`
	Axis       string                `json:"axis,omitempty"`       // on which a neighbour differs
	Metrics    map[string][3]float64 `json:"metrics"`              // mean, low, high
	Difference *[3]float64           `json:"difference,omitempty"` // of the objective against the best: mean, low, high
	Feasible   bool                  `json:"feasible"`
}

// Run implements the command.
func (c *tuneCmd) Run(w *world) error {
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
	path := c.folder(s.Name + "-tune")
	if err := experiment.CheckFolder(path); err != nil {
		return err
	}
	opt, progress := c.options(w)
	t, err := experiment.Tune(w.ctx, s, axes, objective, seeds, opt)
	progress.done()
	if err != nil {
		return err
	}
	summary := c.summary(s, t)
	if err := c.write(path, summary, c.manifest(w, "tune", s, src, []string{}, t.Seeds)); err != nil {
		return err
	}
	if c.Format == "json" {
		err = experiment.WriteJSON(w.out, summary)
	} else {
		c.print(w, s, t, path)
	}
	if err == nil && !t.Best.Feasible {
		err = fmt.Errorf("no candidate keeps the rules; the nearest is %s", experiment.SettingsText(t.Best.Settings))
	}
	return err
}

func (c *tuneCmd) summary(s *experiment.Scenario, t *experiment.Tuning) *tuneSummary {
	out := &tuneSummary{Scenario: s.Name, Objective: t.Objective.String(), Rungs: t.Rungs, Seeds: t.Seeds, Neighbours: []tuneEntry{}}
	names := t.Objective.Names()
	entry := func(m *experiment.Measured) tuneEntry {
		e := tuneEntry{Settings: map[string]string{}, Axis: m.Axis, Metrics: map[string][3]float64{}, Feasible: m.Feasible}
		for _, set := range m.Settings {
			e.Settings[set.Path] = set.Value
		}
		for i, v := range m.Intervals {
			e.Metrics[names[i]] = [3]float64{v.Mean, v.Low, v.High}
		}
		if m.Axis != "" {
			e.Difference = &[3]float64{m.Difference.Mean, m.Difference.Low, m.Difference.High}
		}
		return e
	}
	out.Best = entry(&t.Best)
	for i := range t.Neighbours {
		out.Neighbours = append(out.Neighbours, entry(&t.Neighbours[i]))
	}
	return out
}

func (c *tuneCmd) write(path string, summary *tuneSummary, manifest *experiment.Manifest) error {
	folder, err := experiment.NewFolder(path)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := folder.Write("summary.json", writeJSON(summary)); err != nil {
		return err
	}
	if err := folder.Write(experiment.ManifestName, writeJSON(manifest)); err != nil {
		return err
	}
	return folder.Commit()
}

func (c *tuneCmd) print(w *world, s *experiment.Scenario, t *experiment.Tuning, path string) {
	fmt.Fprintf(w.out, "%s: %s\n\n", s.Name, t.Objective.String())
	for i, r := range t.Rungs {
		fmt.Fprintf(w.out, "  step %d: %d candidates with %d repetitions\n", i+1, r.Candidates, r.Seeds)
	}
	fmt.Fprintf(w.out, "\nbest: %s\n\n", experiment.SettingsText(t.Best.Settings))
	names := t.Objective.Names()
	rows := [][]string{append(append([]string{"setting"}, names...), "against the best", "rules")}
	row := func(m *experiment.Measured, note string) {
		cells := []string{experiment.SettingsText(m.Settings)}
		for _, v := range m.Intervals {
			cells = append(cells, fmt.Sprintf("%.4g (%.4g .. %.4g)", v.Mean, v.Low, v.High))
		}
		kept := "kept"
		if !m.Feasible {
			kept = "broken"
		}
		rows = append(rows, append(cells, note, kept))
	}
	row(&t.Best, "")
	for i := range t.Neighbours {
		d := t.Neighbours[i].Difference
		row(&t.Neighbours[i], fmt.Sprintf("%+.1f %% (%+.1f .. %+.1f)", 100*d.Mean, 100*d.Low, 100*d.High))
	}
	printColumns(w.out, rows)
	fmt.Fprintf(w.out, "\nmeans over %d repetitions that the choice did not see, with 95 %% intervals; results in %s\n", len(t.Seeds), path)
}
