// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/tables"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

type compareCmd struct {
	scenarioFlags
	On       string   `placeholder:"SCENARIO" help:"Take the first argument as a trace or job history, and run it on the cluster of this scenario."`
	Policies *string  `placeholder:"NAME,..." help:"Policies, instead of the scenario's; the first is the baseline."`
	Capacity []string `placeholder:"FILE.xml" help:"Settings of the Capacity Scheduler to compare, a capacity-scheduler.xml each (repeatable)."`
	Conf     []string `placeholder:"DIR" help:"Configurations of YARN 3 to compare, a folder of Hadoop's files each (repeatable)."`
	WhatIf   []string `sep:"none" placeholder:"CHANGE" help:"Compare on a changed scenario too, such as 'nodes=-2' or 'load=+30%' (repeatable)."`
	Seeds    *int     `placeholder:"N" help:"Repetitions, instead of the scenario's."`
	FailIf   []string `sep:"none" placeholder:"RULE" help:"Exit with 1 if the rule holds for any policy but the first, such as 'prod.p95_wait>+10%' (repeatable)."`
	Format   string   `enum:"table,json" default:"table" help:"What to print: table or json (summary.json)."`
	AllSeeds bool     `help:"Also write jobs.csv of all policies and seeds together."`
	tables.Flags
}

// Help implements kong's detailed help.
func (compareCmd) Help() string {
	return `Examples:
  yardmaster compare                               the built-in scenario and policies
  yardmaster compare my.yaml --policies fifo,fair,delay --seeds 20
  yardmaster compare my.yaml --fail-if 'prod.p95_wait>+10%' --fail-if 'mean_elapsed>300'

  yardmaster compare my.yaml --capacity old.xml --capacity new.xml
  yardmaster compare my.yaml --capacity old.xml,new.xml --what-if load=+30% --what-if 'nodes=-2; slow-start=50%'
  yardmaster compare yesterday.jhist --on my.yaml --capacity old.xml,new.xml
  yardmaster compare my.yaml --conf old,new

Every policy meets the same jobs and task lengths in each repetition. The table shows means with
95 % confidence intervals and paired differences against the first policy; a winner is named only
where the paired interval excludes zero. Rules compare METRIC, QUEUE.METRIC, class:NAME.METRIC or
user:NAME.METRIC with a number, or, with a sign and %, with the first policy's value.

With --capacity the policy capacity is compared under the settings of each file; with --what-if every
policy or file also runs on a changed scenario: nodes, map-slots and reduce-slots (a number, +2, -10%),
slow-start, reduces (of every job that has any, with the same work in all), load (+30%: gaps between jobs
shrink), or any PATH=VALUE; several changes at once with ; between them. Then the report shows for every
queue, user and class what changed and which limit is behind it. Where the workload is a job history,
what the first file predicts is held against what happened, above everything else.`
}

// Run implements the command.
func (c *compareCmd) Run(w *world) error {
	s, src, err := c.loadSite(w)
	if err != nil {
		return err
	}
	what, err := c.what(w, s)
	if err != nil {
		return err
	}
	rules, queries, err := experiment.ParseRules(s, c.FailIf, experiment.PoliciesOf(what.variants)...)
	if err != nil {
		return err
	}
	seeds, err := seedsOr(c.Seeds, s.Seeds)
	if err != nil {
		return err
	}
	path := c.folder(s.Name + "-compare")
	if err := result.CheckFolder(path); err != nil {
		return err
	}
	opt, progress := c.options(w)
	opt.Observe = what.watch(s, seeds)
	table := &tables.Writer{Flags: c.Flags, AllSeeds: c.AllSeeds}
	table.Watch(&opt)
	compared, err := experiment.CompareVariants(w.ctx, s, what.variants, seeds, queries, opt)
	progress.done()
	if err != nil {
		return err
	}
	summary := compared.Summary()
	what.summarise(summary, len(compared.Seeds))
	flags := c.scenarioFlags
	if c.On != "" {
		flags.Scenario = c.On
	}
	manifest := flags.manifest(w, "compare", s, src, compared.Labels(), compared.Seeds)
	what.describe(manifest)
	page := pageOf(w, manifest, compared)
	page.Texts = what.tables(summary)
	if err := table.Write(path, compared, &tables.Content{Manifest: manifest, Page: page, Files: c.files(s, compared, summary), Folders: compared.Labels()}); err != nil {
		return err
	}
	if c.Format == "json" {
		err = result.WriteJSON(w.out, summary)
	} else {
		console.Backtest(w.out, summary.Backtest)
		c.print(w, s, compared, path, what.tables(summary))
	}
	if err != nil {
		return err
	}
	if compared.Stopped {
		return fmt.Errorf("stopped; kept %d of %d seeds in %s", len(compared.Seeds), seeds, path)
	}
	return experiment.Judge(rules, compared)
}

// loadSite reads the scenario, or the trace on the cluster of --on.
func (c *compareCmd) loadSite(w *world) (*scenario.Scenario, []byte, error) {
	if c.On == "" {
		return c.load(w)
	}
	settings, err := c.settings()
	if err != nil {
		return nil, nil, err
	}
	s, src, err := scenario.LoadSite(c.Scenario, c.On, settings)
	return warned(w, s, err), src, err
}

// choices returns the policies to compare: the flag's, the scenario's, or the one it runs. The flag may be one label, which
// has commas if a what-if made it.
func (c *compareCmd) choices(s *scenario.Scenario) ([]scenario.PolicyChoice, error) {
	if c.Policies != nil {
		if one, err := s.Choice(*c.Policies); err == nil {
			return []scenario.PolicyChoice{one}, nil
		}
		return s.Pick(strings.Split(*c.Policies, ","))
	}
	if len(s.Policies) > 0 {
		return s.Policies, nil
	}
	return []scenario.PolicyChoice{s.Policy}, nil
}

// from returns the what-if that made the label of the flag, where that changed more than the policy: the scenario of its folder
// is not the one that it ran on. Otherwise it returns nil.
func (c *compareCmd) from() (*scenario.Change, error) {
	m, err := result.ReadManifest(cmp.Or(c.On, c.Scenario))
	if err != nil || c.Policies == nil {
		return nil, nil // no result, or nothing that it ran
	}
	change := &scenario.Change{Label: *c.Policies, Settings: m.Changes[*c.Policies]}
	switch {
	case change.OfPolicies():
		return nil, nil
	case len(c.Capacity)+len(c.Conf) > 0:
		return nil, &strict.InputError{Err: fmt.Errorf("--policies: found %q, which ran on a changed scenario, beside --capacity or --conf; allowed: that alone, or what ran on the scenario of the result", *c.Policies)}
	}
	return change, nil
}

// files returns the JSON files of the result folder: the comparison, and one summary per policy.
func (c *compareCmd) files(s *scenario.Scenario, compared *experiment.Comparison, summary any) map[string]any {
	files := map[string]any{result.SummaryName: summary}
	for p, label := range compared.Labels() {
		files[filepath.Join(label, result.SummaryName)] = experiment.Summarise(s, compared.Shown[p], compared.Policies[p], compared.Seeds[0])
	}
	return files
}

func (c *compareCmd) print(w *world, s *scenario.Scenario, compared *experiment.Comparison, path string, changes []report.TextTable) {
	fmt.Fprintf(w.out, "%s: %s over %s; differences are paired, against %s\n\n", s.Name,
		strings.Join(compared.Labels(), ", "), digits.Count(len(compared.Seeds), "seed"), compared.Labels()[0])
	report.Table(w.out, compared.Rows(), compared.Labels())
	if len(compared.Policies)-compared.Changed > 1 && len(compared.Seeds) > 1 {
		fmt.Fprintln(w.out)
		for _, line := range compared.Verdicts() {
			fmt.Fprintln(w.out, line)
		}
	}
	if compared.Prices != "" {
		fmt.Fprintf(w.out, "\n%s\n", compared.Prices)
	}
	console.Tables(w.out, changes)
	fmt.Fprintf(w.out, "\nresults in %s, picture in %s\n", path, filepath.Join(path, result.PageName))
}
