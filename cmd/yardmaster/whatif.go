// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// whatIf is what a comparison compares: policies or files of settings, on the scenario and on changes
// of it.
type whatIf struct {
	files    []*advise.CapacityFile
	sites    []*advise.YarnSite
	twin     bool // the scenario is a folder, made of a real cluster
	variants []experiment.Variant
	changes  *advise.Changes  // nil where only policies are compared
	backtest *advise.Backtest // nil where the workload is not a history
}

// what reads the things that the command compares.
func (c *compareCmd) what(w *world, s *scenario.Scenario) (*whatIf, error) {
	out := &whatIf{twin: scenario.IsFolder(c.Scenario)}
	var choices []scenario.PolicyChoice
	var err error
	if len(c.Capacity) > 0 {
		if out.files, err = loadCapacity(w, c.Capacity...); err != nil {
			return nil, err
		}
		hintYarn(w, out.files)
		if choices, err = advise.CapacityChoices(s, out.files); err != nil {
			return nil, err
		}
	}
	if len(c.Conf) > 0 {
		if out.sites, err = loadYarn(w, c.Conf...); err != nil {
			return nil, err
		}
		more, err := yarnChoices(w, s, out.sites)
		if err != nil {
			return nil, err
		}
		choices = append(choices, more...)
	}
	if len(c.Capacity)+len(c.Conf) == 0 || c.Policies != nil {
		more, err := c.choices(s)
		if err != nil {
			return nil, err
		}
		choices = append(choices, more...)
		known := s.Warnings()
		for _, text := range s.LossWarnings(more) {
			if !slices.Contains(known, text) {
				fmt.Fprintln(w.err, "yardmaster: warning:", text)
			}
		}
	}
	from, err := c.from()
	if err != nil {
		return nil, err
	}
	out.variants, err = variants(s, from, choices, c.WhatIf)
	if err == nil && (len(c.Capacity)+len(c.Conf)+len(c.WhatIf) > 0 || c.Policies != nil && len(c.Set) > 0) {
		s.Policies = nil
		for _, v := range out.variants { // so that explain finds them again
			s.Policies = append(s.Policies, v.Policy)
		}
		err = scenario.CheckMasters(s)
	}
	return out, err
}

// variants returns what is compared: the choices on the scenario, or on what a change made of it, and on each what-if of that. All
// are changes of the scenario itself, which a result remembers.
func variants(s *scenario.Scenario, from *scenario.Change, choices []scenario.PolicyChoice, whatIfs []string) ([]experiment.Variant, error) {
	start, before := s, []strict.Setting(nil)
	if from != nil {
		var err error
		if start, err = from.Scenario(s); err != nil {
			return nil, err
		}
		before = from.Settings
	}
	var changes []*scenario.Change
	for _, text := range whatIfs {
		change, err := scenario.ParseChange(start, text, choices...)
		if err != nil {
			return nil, err
		}
		change.Settings = append(slices.Clone(before), change.Settings...)
		changes = append(changes, change)
	}
	out, err := experiment.Variants(s, choices, changes)
	for i := range out {
		if out[i].Change == nil && from != nil {
			out[i].Scenario, out[i].Change = start, from
		}
	}
	return out, err
}

// loadCapacity reads files of settings and lists on stderr what in them has no effect.
func loadCapacity(w *world, paths ...string) ([]*advise.CapacityFile, error) {
	files, err := advise.LoadCapacity(paths...)
	for _, f := range files {
		for _, e := range f.Warnings {
			fmt.Fprintf(w.err, "warning: %v\n", e)
		}
	}
	return files, err
}

// hintYarn says of files of YARN whose rules they are simulated by.
func hintYarn(w *world, files []*advise.CapacityFile) {
	for _, f := range files {
		if f.Dialect == capacityxml.YARN {
			fmt.Fprintf(w.err, "yardmaster: warning: %s is YARN's, and is simulated by the rules of Hadoop 1; --conf simulates YARN's own\n", f.Name)
		}
	}
}

// watch returns what has to see every run.
func (t *whatIf) watch(s *scenario.Scenario, seeds int) func(int, int, *metrics.Group) {
	changed := t.variants[len(t.variants)-1].Change != nil
	given := len(t.files) + len(t.sites)
	if len(t.variants) > 1 && (changed || given > 0) {
		t.changes = advise.NewChanges(s, t.variants, seeds)
	}
	if given > 0 || t.twin {
		t.backtest, _ = advise.NewBacktest(s, seeds) // a workload that is not a history has none
	}
	return func(p, rep int, g *metrics.Group) {
		if t.changes != nil {
			t.changes.Observe(p, rep, g)
		}
		if t.backtest != nil {
			t.backtest.Observe(p, rep, g)
		}
	}
}

// summarise adds what was seen in the first n repetitions.
func (t *whatIf) summarise(s *result.ComparisonSummary, n int) {
	if t.changes != nil {
		s.Changes = t.changes.Rows(n)
	}
	if t.backtest != nil {
		s.Backtest = t.backtest.Rows(n)
	}
}

// describe adds files, changes and what the model leaves out of them to the manifest.
func (t *whatIf) describe(m *result.Manifest) {
	inputs := map[string]string{}
	maps.Copy(inputs, m.Inputs)
	for _, f := range t.files {
		inputs[f.Name] = f.Hash
		for _, e := range f.Warnings {
			m.Caveats = append(m.Caveats, e.Error())
		}
	}
	for _, y := range t.sites {
		maps.Copy(inputs, y.Hashes)
		for _, text := range y.Warnings() {
			if !slices.Contains(m.Caveats, text) {
				m.Caveats = append(m.Caveats, text)
			}
		}
	}
	m.Inputs = inputs
	for _, v := range t.variants {
		if v.Change != nil {
			if m.Changes == nil {
				m.Changes = map[string][]strict.Setting{}
			}
			m.Changes[v.Policy.Label()] = v.Change.Settings
		}
	}
}

// tables returns what changed as tables for people.
func (t *whatIf) tables(s *result.ComparisonSummary) (tables []report.TextTable) {
	if s.Backtest != nil {
		tables = append(tables, console.BacktestTable(s.Backtest))
	}
	for _, c := range advise.ChangeTables(s.Changes) {
		note := "Means over the seeds; in brackets the difference, with a * where its paired 95 % interval excludes zero. Why: the limits that hold jobs back longer or shorter, in seconds per job."
		if c.More > 0 {
			note += fmt.Sprintf(" %d more rows are in summary.json.", c.More)
		}
		tables = append(tables, report.TextTable{Title: "What changed " + c.Title, Note: note, Head: c.Head, Rows: c.Rows, Order: c.Order})
	}
	return tables
}

// past is the backtest of a command that changes settings, printed above what it found; it has none
// where the workload is not a history.
type past struct {
	backtest *advise.Backtest
	seen     atomic.Int32 // repetitions
}

func newPast(s *scenario.Scenario, seeds int) *past {
	b, _ := advise.NewBacktest(s, seeds)
	return &past{backtest: b}
}

func (p *past) observe(policy, rep int, g *metrics.Group) {
	if p.backtest != nil && policy == 0 {
		p.backtest.Observe(policy, rep, g)
		p.seen.Add(1)
	}
}

func (p *past) print(w *world) {
	if n := int(p.seen.Load()); n > 0 {
		console.Backtest(w.out, p.backtest.Rows(n))
	}
}
