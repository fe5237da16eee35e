// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/advise/yarnqueues"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/decide"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/tables"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

type runCmd struct {
	scenarioFlags
	Policy    string `help:"Policy, instead of the scenario's."`
	Capacity  string `placeholder:"FILE.xml" help:"Run the policy capacity with the settings of this capacity-scheduler.xml."`
	Conf      string `placeholder:"DIR" help:"Run YARN 3's resource manager with this configuration folder (yarn-site.xml, capacity-scheduler.xml, mapred-site.xml)."`
	Plan      string `placeholder:"FILE" help:"Follow this plan of recurring jobs, made by plan jobs, instead of the policy's own."`
	Decisions string `placeholder:"FILE" help:"Write every decision of YARN's resource manager, in the lines of decide."`
	Format    string `enum:"table,json" default:"table" help:"What to print: table or json (summary.json)."`
	tables.Flags
}

// Help implements kong's detailed help.
func (runCmd) Help() string {
	return `Examples:
  yardmaster run                                   the built-in scenario
  yardmaster run my.yaml --policy fair --seed 7
  yardmaster run my.yaml --set cluster.racks=10 --set policy.delay.node-skips=20
  yardmaster run my.yaml --capacity capacity-scheduler.xml
  yardmaster run my.yaml --format json | jq .metrics.p95_wait

Writes a folder with manifest.json, summary.json, jobs.csv, series.csv and report.html,
links.csv and traffic.csv where racks' links are modelled, plan.csv where recurring jobs were planned, and tuning.log where a tuner changes the AM share.`
}

// Run implements the command.
func (c *runCmd) Run(w *world) error {
	var first []strict.Setting
	if c.Policy != "" {
		choice, err := scenario.Choose(c.Policy)
		if err != nil {
			return err
		}
		first = append(first, strict.Setting{Path: "policy", Value: choice.Name})
	}
	s, src, err := c.load(w, first...)
	if err != nil {
		return err
	}
	settings, err := c.useCapacity(w, s)
	if err != nil {
		return err
	}
	sites, err := c.useConf(w, s)
	if err != nil {
		return err
	}
	if err := followPlan(s, c.Plan); err != nil {
		return err
	}
	path := c.folder(s.Name)
	if err := result.CheckFolder(path); err != nil {
		return err
	}
	opt, progress := c.options(w)
	table := &tables.Writer{Flags: c.Flags}
	table.Watch(&opt)
	var tuning bytes.Buffer
	log := experiment.TunerLog(s, &tuning)
	if log != nil {
		opt.Tuning = log
	}
	closed, err := c.writeDecisions(s, &opt)
	if err != nil {
		return err
	}
	followed := advise.Course(s, s.Seed)
	if followed != nil {
		opt.Events = followed
	}
	compared, err := experiment.Compare(w.ctx, s, []scenario.PolicyChoice{s.Policy}, 1, scenario.StandardQueries(s, s.Policy), opt)
	progress.done()
	if err := errors.Join(err, closed()); err != nil {
		return err
	}
	summary := experiment.Summarise(s, compared.Shown[0], s.Policy, s.Seed)
	manifest := c.manifest(w, "run", s, src, compared.Labels(), compared.Seeds)
	(&whatIf{files: settings, sites: sites}).describe(manifest)
	files := map[string]any{result.SummaryName: summary}
	if log != nil {
		if err := log.Close(); err != nil {
			return err
		}
		files[result.TuningName] = tuning.Bytes()
	}
	if followed != nil {
		files[result.PlanName], compared.Course = followed.CSV(), followed.Chart()
	}
	content := &tables.Content{Manifest: manifest, Page: pageOf(w, manifest, compared), Files: files, Folders: []string{""}}
	if err := table.Write(path, compared, content); err != nil {
		return err
	}
	if c.Format == "json" {
		return result.WriteJSON(w.out, summary)
	}
	fmt.Fprintf(w.out, "%s under %s, seed %d: %s, %s\n\n", s.Name, s.Policy.Label(), s.Seed, digits.Count(summary.Jobs, "job"), digits.Count(summary.Tasks, "task"))
	report.Table(w.out, compared.Rows(), compared.Labels())
	console.Blame(w.out, summary)
	fmt.Fprintf(w.out, "\nresults in %s, picture in %s\n", path, filepath.Join(path, result.PageName))
	return nil
}

// useCapacity makes the scenario's policy that of a file of settings, if one is named.
func (c *runCmd) useCapacity(w *world, s *scenario.Scenario) ([]*advise.CapacityFile, error) {
	if c.Capacity == "" {
		return nil, nil
	}
	if c.Policy != "" {
		return nil, &strict.InputError{Err: fmt.Errorf("--policy %s --capacity %s: allowed: one of the two", c.Policy, c.Capacity)}
	}
	files, err := loadCapacity(w, c.Capacity)
	if err != nil {
		return nil, err
	}
	hintYarn(w, files)
	choices, err := advise.CapacityChoices(s, files)
	if err == nil {
		s.Policy = choices[0]
	}
	return files, err
}

// writeDecisions lets the run write its decisions, if that is wanted. closed ends the file.
func (c *runCmd) writeDecisions(s *scenario.Scenario, opt *experiment.Options) (closed func() error, err error) {
	if c.Decisions == "" {
		return func() error { return nil }, nil
	}
	if _, ok := s.Policy.Parameters(policies.Choosable).(*handover.Config); !ok {
		return nil, &strict.InputError{Err: fmt.Errorf("--decisions %s: allowed only with --conf or the policy yarn-capacity", c.Decisions)}
	}
	f, err := os.Create(c.Decisions)
	if err != nil {
		return nil, err
	}
	d := decide.NewDecisions(f)
	opt.Decisions = d
	return func() error { return errors.Join(d.Close(), f.Close()) }, nil
}

// useConf makes the scenario's policy YARN's resource manager, if a configuration is named.
func (c *runCmd) useConf(w *world, s *scenario.Scenario) ([]*advise.YarnSite, error) {
	if c.Conf == "" {
		return nil, nil
	}
	if c.Policy != "" || c.Capacity != "" {
		return nil, &strict.InputError{Err: fmt.Errorf("--conf %s: allowed: without --policy and --capacity", c.Conf)}
	}
	sites, err := loadYarn(w, c.Conf)
	if err != nil {
		return nil, err
	}
	choices, err := yarnChoices(w, s, sites)
	if err != nil {
		return nil, err
	}
	s.Policy = choices[0]
	return sites, scenario.CheckMasters(s)
}

// pageOf returns the page of a comparison, with what the model leaves out of a configuration and the queues of YARN.
func pageOf(w *world, m *result.Manifest, compared *experiment.Comparison) *report.Page {
	page := compared.Page(version.String(), w.command())
	page.Caveats = m.Caveats
	page.Trees = yarnqueues.Trees(compared.Scenario, compared.Policies, compared.Shown)
	return page
}

type versionCmd struct{}

// Run implements the command.
func (versionCmd) Run(w *world) error {
	_, err := fmt.Fprintln(w.out, "yardmaster", version.String())
	return err
}
