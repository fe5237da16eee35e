// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report"
)

type runCmd struct {
	scenarioFlags
	Policy string `help:"Policy, instead of the scenario's."`
	Format string `enum:"table,json" default:"table" help:"What to print: table or json (summary.json)."`
}

// Help implements kong's detailed help.
func (runCmd) Help() string {
	return `Examples:
  yardmaster run                                   the built-in scenario
  yardmaster run my.yaml --policy fair --seed 7
  yardmaster run my.yaml --set cluster.racks=10 --set policy.delay.node-skips=20
  yardmaster run my.yaml --format json | jq .metrics.p95_wait

Writes a folder with manifest.json, summary.json, jobs.csv, series.csv and report.html.`
}

// Run implements the command.
func (c *runCmd) Run(w *world) error {
	var first []experiment.Setting
	if c.Policy != "" {
		choice, err := experiment.Choose(c.Policy)
		if err != nil {
			return err
		}
		first = append(first, experiment.Setting{Path: "policy", Value: choice.Name})
	}
	s, src, err := c.load(first...)
	if err != nil {
		return err
	}
	path := c.folder(s.Name)
	if err := experiment.CheckFolder(path); err != nil {
		return err
	}
	opt, progress := c.options(w)
	result, err := experiment.Compare(w.ctx, s, []experiment.PolicyChoice{s.Policy}, 1, s.StandardQueries(), opt)
	progress.done()
	if err != nil {
		return err
	}
	summary := s.Summarise(result.Shown[0], s.Policy.Label(), s.Seed)
	manifest := c.manifest(w, "run", s, src, result.Labels(), result.Seeds)
	if err := writeFolder(path, manifest, result, w, map[string]any{"summary.json": summary}, []string{""}); err != nil {
		return err
	}
	if c.Format == "json" {
		return experiment.WriteJSON(w.out, summary)
	}
	fmt.Fprintf(w.out, "%s under %s, seed %d: %d jobs, %d tasks\n\n", s.Name, s.Policy.Label(), s.Seed, summary.Jobs, summary.Tasks)
	report.Table(w.out, result.Rows(), result.Labels())
	printBlame(w.out, summary)
	fmt.Fprintf(w.out, "\nresults in %s, picture in %s\n", path, filepath.Join(path, "report.html"))
	return nil
}

// writeFolder writes a result folder: manifest, report, the given JSON files, and jobs.csv and
// series.csv of the shown run of each policy below its folder.
func writeFolder(path string, m *experiment.Manifest, result *experiment.Comparison, w *world, files map[string]any, folders []string) error {
	f, err := experiment.NewFolder(path)
	if err != nil {
		return err
	}
	write := func(name string, content func(io.Writer) error) {
		if err == nil {
			err = f.Write(name, content)
		}
	}
	write(experiment.ManifestName, writeJSON(m))
	for name, v := range files {
		write(name, writeJSON(v))
	}
	for p, folder := range folders {
		run := result.Shown[p]
		write(filepath.Join(folder, "jobs.csv"), func(out io.Writer) error { return experiment.WriteJobs(out, run) })
		write(filepath.Join(folder, "series.csv"), func(out io.Writer) error { return experiment.WriteSeries(out, &run.Series) })
	}
	write("report.html", writePage(result.Page(version(), w.command())))
	if err != nil {
		f.Discard()
		return err
	}
	return f.Commit()
}

// printBlame says where the time of the mean job went.
func printBlame(out io.Writer, s *experiment.Summary) {
	total := 0.0
	for _, v := range s.Blame {
		total += v
	}
	if total == 0 {
		return
	}
	fmt.Fprintf(out, "\nwhere a job's time went, on average\n")
	for p := range metrics.Part(metrics.Parts) {
		if v := s.Blame[p.String()]; v > 0 {
			fmt.Fprintf(out, "  %-16s %9.1f s  %5.1f %%\n", p, v, 100*v/total)
		}
	}
}

type versionCmd struct{}

// Run implements the command.
func (versionCmd) Run(w *world) error {
	_, err := fmt.Fprintln(w.out, "yardmaster", version())
	return err
}

const release = "0.1.0"

// version returns the release and, where the build knows it, the revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + "+" + s.Value[:12]
		}
	}
	return release
}
